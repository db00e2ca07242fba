//! The policies that decide what is ranked. How ties are broken matters only to the first documents of a ranking: for
//! judged ones, all rules are counted at once.

use crate::rank::chunks::Chunks;
use std::sync::Arc;

/// What to do with a document that a ranking lists more than once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Duplicates {
    #[default]
    Error,
    First,
    Last,
    Count,
}

/// How documents with the same score are ordered: by id from high to low, from low to high, or as they are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Ties {
    #[default]
    Descending,
    Ascending,
    Input,
}

/// How rankings are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Options {
    pub duplicates: Duplicates,
    /// Scores are compared as 32-bit floats.
    pub single: bool,
    /// Scores are ignored and documents keep the order they are given in.
    pub given: bool,
    /// A document named like its query is dropped.
    pub exclude_query: bool,
    /// Documents that only other queries judged are found too.
    pub foreign: bool,
    /// The figures of each ranking's scores are kept.
    pub spread: bool,
    /// How many of the first documents of each ranking are kept.
    pub top: u32,
    /// The order of ties among these.
    pub ties: Ties,
    /// Where rankings are of chunks: how their documents are found, and which chunks stay.
    pub chunks: Option<Arc<Chunks>>,
}

impl Options {
    /// A score as it is compared under these options.
    pub fn score(&self, score: f64) -> f64 {
        if self.single { f64::from(score as f32) } else { score }
    }
}
