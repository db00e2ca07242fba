//! What ranking gives: the judged documents that were retrieved, with the counts that make their ranks.

use crate::memory::{Grow, Lack};
use crate::rank::chunks::ChunkFact;
use crate::rank::tops::Tops;

/// The number of a document that only other queries judged.
pub const FOREIGN: u32 = u32::MAX;

/// One judged document that a query retrieved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number among all judged documents, or `FOREIGN`.
    pub document: u32,
    pub score: f64,
    /// How many documents of the ranking score strictly higher.
    pub higher: u32,
    /// How many others have the same score.
    pub tied: u32,
    /// How many of those come before it when ties go by document id from high to low, from low to high, and as given.
    pub before_descending: u32,
    pub before_ascending: u32,
    pub before_input: u32,
}

/// One ranked query: how much it retrieved and which hits are its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fact {
    pub query: u32,
    pub retrieved: u32,
    pub first_hit: usize,
    pub hits: u32,
    /// Documents that the query lists more than once and that are kept all the same.
    pub repeats_kept: u32,
    /// Documents left out because the query lists them more than once.
    pub repeats_dropped: u32,
    /// Documents left out because they are named like the query.
    pub excluded: u32,
    /// The figures of the scores, where they are asked for and there are any.
    pub spread: Option<Spread>,
    /// What became of chunks, where rankings are of chunks.
    pub chunks: ChunkFact,
}

/// Figures of a ranking's scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub top: f64,
    /// The next one, or the top again where there is only one.
    pub second: f64,
    /// The standard deviation over all of them.
    pub deviation: f64,
}

impl Spread {
    pub fn of(scores: &[f64]) -> Option<Self> {
        let count = scores.len() as f64;
        let (mut top, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for &score in scores {
            second = second.max(score.min(top));
            top = top.max(score);
        }
        let mean = scores.iter().sum::<f64>() / count;
        let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count;
        let second = if scores.len() == 1 { top } else { second };
        (!scores.is_empty()).then_some(Self { top, second, deviation: variance.sqrt() })
    }
}

/// The rankings seen so far, in the order they were seen.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    pub facts: Vec<Fact>,
    pub hits: Vec<Hit>,
    /// The first documents of each ranking, where they are asked for.
    pub tops: Tops,
    /// Ids of chunks that the rule does not match, the first few of each query.
    pub unmatched: Vec<(u32, Vec<u8>)>,
}

impl Judged {
    /// Takes over what others saw, each under its own options: all of it or, if there is no memory, nothing.
    pub fn append_all(all: &mut [Judged], others: &[Judged]) -> Result<(), Lack> {
        for (judged, other) in all.iter_mut().zip(others) {
            judged.hits.room(other.hits.len())?;
            judged.facts.room(other.facts.len())?;
            judged.tops.room(&other.tops)?;
            judged.unmatched.room(other.unmatched.len())?;
        }
        for (judged, other) in all.iter_mut().zip(others) {
            let shift = judged.hits.len();
            judged.hits.extend_from_slice(&other.hits);
            let shifted = |fact: &Fact| Fact { first_hit: fact.first_hit + shift, ..*fact };
            judged.facts.extend(other.facts.iter().map(shifted));
            judged.tops.append(&other.tops);
            judged.unmatched.extend(other.unmatched.iter().cloned());
        }
        Ok(())
    }

    pub fn hits_of(&self, fact: &Fact) -> &[Hit] {
        self.hits.get(fact.first_hit..fact.first_hit + fact.hits as usize).unwrap_or_default()
    }
}
