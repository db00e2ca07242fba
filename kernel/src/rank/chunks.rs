//! Chunks of documents: how a document is found in the id of its chunk, and which of a document's chunks are ranked.

use crate::fault::Fault;
use crate::memory::{Grow, Lack, collected, copied};
use crate::rank::options::{Duplicates, Options};
use crate::rank::ranker::Documents;
use crate::rank::rows::hash;
use crate::rank::seen::Seen;
use memchr::memmem::{Finder, FinderRev};
use regex::bytes::Regex;
use std::hash::{Hash, Hasher};

/// Ids that show what a rule does not match, of each ranking.
const SHOWN: usize = 3;

/// How the document of a chunk is found: the id is cut at a separator, or a pattern has it as its only group.
#[derive(Debug, Clone)]
pub enum Rule {
    /// The id is that of the document.
    Same,
    Before(Finder<'static>),
    BeforeLast(FinderRev<'static>),
    After(Finder<'static>),
    AfterLast(FinderRev<'static>),
    Pattern(Regex),
    /// The id is that of the document, this separator, and that of the chunk.
    Joined(Finder<'static>),
}

impl Rule {
    /// The rule of that kind; none if there is no such kind, or a pattern cannot be used.
    pub fn new(kind: &str, argument: &str) -> Option<Self> {
        let first = || Finder::new(argument).into_owned();
        let last = || FinderRev::new(argument).into_owned();
        Some(match kind {
            "field" => Self::Same,
            "before" => Self::Before(first()),
            "before_last" => Self::BeforeLast(last()),
            "after" => Self::After(first()),
            "after_last" => Self::AfterLast(last()),
            "function" => Self::Joined(first()),
            "regex" => Self::Pattern(Regex::new(argument).ok()?),
            _ => return None,
        })
    }

    /// The document of a chunk; none if the rule does not match, or nothing is left.
    fn document<'a>(&self, chunk: &'a [u8]) -> Option<&'a [u8]> {
        let document = match self {
            Self::Same => Some(chunk),
            Self::Before(separator) | Self::Joined(separator) => separator.find(chunk).map(|at| &chunk[..at]),
            Self::BeforeLast(separator) => separator.rfind(chunk).map(|at| &chunk[..at]),
            Self::After(separator) => separator.find(chunk).map(|at| &chunk[at + separator.needle().len()..]),
            Self::AfterLast(separator) => {
                separator.rfind(chunk).map(|at| &chunk[at + separator.needle().len()..])
            }
            Self::Pattern(pattern) => {
                pattern.captures(chunk).and_then(|found| found.get(1)).map(|group| group.as_bytes())
            }
        };
        document.filter(|document| !document.is_empty())
    }

    /// The id of a chunk as it was given.
    fn chunk<'a>(&self, id: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Joined(separator) => {
                separator.find(id).map_or(id, |at| &id[at + separator.needle().len()..])
            }
            _ => id,
        }
    }

    /// What makes two rules one.
    fn key(&self) -> (u8, &[u8]) {
        match self {
            Self::Same => (0, b""),
            Self::Before(separator) => (1, separator.needle()),
            Self::BeforeLast(separator) => (2, separator.needle()),
            Self::After(separator) => (3, separator.needle()),
            Self::AfterLast(separator) => (4, separator.needle()),
            Self::Pattern(pattern) => (5, pattern.as_str().as_bytes()),
            Self::Joined(separator) => (6, separator.needle()),
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Rule {}

impl Hash for Rule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// How rankings of chunks are read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Chunks {
    pub rule: Rule,
    /// What to do with a chunk that a ranking lists more than once.
    pub duplicates: Duplicates,
    /// Whether only the chunk of a document is kept that ranks highest.
    pub best: bool,
}

/// What became of the chunks of one ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ChunkFact {
    pub retrieved: u32,
    /// Chunks left out because another one of their document ranks higher.
    pub dropped: u32,
    /// Chunks that the rule does not match; they are documents of their own.
    pub unmatched: u32,
    /// Chunks left out because the ranking lists them more than once.
    pub repeats: u32,
}

/// Which chunks of a ranking stay, in order, under their documents' ids.
#[derive(Debug)]
pub struct Collapsed<'a> {
    pub names: Vec<&'a [u8]>,
    pub kept: Vec<usize>,
    /// The hashes of the documents that stay.
    pub codes: Vec<u64>,
    pub fact: ChunkFact,
    /// The first few ids that the rule does not match.
    pub shown: Vec<Vec<u8>>,
}

impl Documents for Collapsed<'_> {
    fn count(&self) -> usize {
        self.kept.len()
    }

    fn id(&self, position: usize) -> &[u8] {
        self.names[self.kept[position]]
    }

    fn codes<'a>(&'a self, _: &'a mut Vec<u64>) -> Result<&'a [u64], Lack> {
        Ok(&self.codes)
    }
}

impl Chunks {
    /// The documents of a ranking of chunks. Without scores, or under options that ignore them, the order ranks.
    pub fn collapse<'a>(
        &self,
        query: &[u8],
        chunks: &'a impl Documents,
        scores: Option<&[f64]>,
        options: &Options,
        seen: &mut Seen,
    ) -> Result<Collapsed<'a>, Fault> {
        let count = chunks.count();
        let mut fact = ChunkFact { retrieved: count as u32, ..ChunkFact::default() };
        let (mut names, mut shown): (Vec<&[u8]>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
        names.room(count)?;
        for position in 0..count {
            let chunk = chunks.id(position);
            let document = self.rule.document(chunk);
            if document.is_none() {
                fact.unmatched += 1;
                if shown.len() < SHOWN && !shown.iter().any(|one| one == chunk) {
                    shown.add(copied(chunk)?)?;
                }
            }
            names.push(document.unwrap_or(chunk));
        }
        let mut kept = self.without_repeats(query, chunks, seen)?;
        fact.repeats = (count - kept.len()) as u32;
        let mut codes = collected(kept.iter().map(|&position| hash(names[position])))?;
        if self.best {
            let scores = scores.filter(|_| !options.given);
            let score = scores.map(|scores| |at: usize| options.score(scores[at]));
            let best = best_of(&names, &kept, &codes, score, seen)?;
            fact.dropped = (kept.len() - best.len()) as u32;
            codes = collected(best.iter().map(|&place| codes[place]))?;
            kept = collected(best.iter().map(|&place| kept[place]))?;
        }
        Ok(Collapsed { names, kept, codes, fact, shown })
    }

    /// The positions of chunks, without those that are listed more than once.
    fn without_repeats(
        &self,
        query: &[u8],
        chunks: &impl Documents,
        seen: &mut Seen,
    ) -> Result<Vec<usize>, Fault> {
        let count = chunks.count();
        if self.duplicates == Duplicates::Count {
            return Ok(collected(0..count)?);
        }
        let (mut room, mut dropped) = (Vec::new(), Vec::new());
        seen.reset(count)?;
        for (position, &code) in chunks.codes(&mut room)?.iter().enumerate() {
            let id = chunks.id(position);
            let Some(earlier) = seen.insert(code, position, |other| chunks.id(other) == id) else { continue };
            match self.duplicates {
                Duplicates::Error => return Err(Fault::duplicate_chunk(query, self.rule.chunk(id))),
                Duplicates::Last => dropped.add(earlier)?,
                _ => dropped.add(position)?,
            }
        }
        dropped.sort_unstable();
        Ok(collected((0..count).filter(|position| dropped.binary_search(position).is_err()))?)
    }
}

/// The places, among the kept positions, of the chunks with the highest score of their document, the first of several;
/// without scores the first.
fn best_of(
    names: &[&[u8]],
    kept: &[usize],
    codes: &[u64],
    score: Option<impl Fn(usize) -> f64>,
    seen: &mut Seen,
) -> Result<Vec<usize>, Lack> {
    seen.reset(kept.len())?;
    // The document of each kept position, as its number among the best.
    let (mut owners, mut best): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    owners.room(kept.len())?;
    for (place, &code) in codes.iter().enumerate() {
        let name = names[kept[place]];
        let Some(earlier) = seen.insert(code, place, |other| names[kept[other]] == name) else {
            owners.push(best.len());
            best.add(place)?;
            continue;
        };
        let owner = owners[earlier];
        owners.push(owner);
        if score.as_ref().is_some_and(|score| score(kept[place]) > score(kept[best[owner]])) {
            best[owner] = place;
        }
    }
    best.sort_unstable();
    Ok(best)
}
