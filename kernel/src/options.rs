//! The policies that decide what is ranked. How ties are broken is not one of them: all rules are counted at once.

/// What to do with a document that a ranking lists more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Duplicates {
    Error,
    First,
    Last,
    Count,
}

/// How rankings are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
}

impl Default for Options {
    fn default() -> Self {
        Self {
            duplicates: Duplicates::Error,
            single: false,
            given: false,
            exclude_query: false,
            foreign: false,
            spread: false,
        }
    }
}

impl Options {
    /// A score as it is compared under these options.
    pub fn score(&self, score: f64) -> f64 {
        if self.single { f64::from(score as f32) } else { score }
    }
}
