//! Ranks the judged documents of one ranking without sorting it.

use crate::fault::Fault;
use crate::memory::{Grow, Lack, collected};
use crate::rank::chunks::ChunkFact;
use crate::rank::count::Counts;
use crate::rank::index::Index;
use crate::rank::judged::{FOREIGN, Fact, Hit, Judged, Spread};
use crate::rank::options::{Duplicates, Options};
use crate::rank::rows::{Spans, hash};
use crate::rank::seen::Seen;
use crate::rank::sieve::Sieve;
use crate::rank::ties::{break_ties, tied_scores};
use std::ops::Range;

/// The documents of one ranking, by position.
pub trait Documents {
    fn count(&self) -> usize;
    fn id(&self, position: usize) -> &[u8];

    /// The hashes of all ids, where they are known or in `room`.
    fn codes<'a>(&'a self, room: &'a mut Vec<u64>) -> Result<&'a [u64], Lack> {
        room.clear();
        room.add_each((0..self.count()).map(|position| hash(self.id(position))))?;
        Ok(room)
    }
}

/// A column of document ids, of many rankings.
pub trait Column {
    fn id(&self, row: usize) -> &[u8];
}

/// The documents of a stretch of rows.
#[derive(Debug)]
pub struct Stretch<'a, C> {
    pub column: &'a C,
    pub rows: Range<usize>,
}

impl<C: Column> Documents for Stretch<'_, C> {
    #[inline]
    fn count(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    fn id(&self, position: usize) -> &[u8] {
        self.column.id(self.rows.start + position)
    }
}

/// Ranks the same queries under several options.
#[derive(Debug)]
pub struct Rankers<'a> {
    pub index: &'a Index,
    pub each: Vec<Ranker<'a>>,
}

impl<'a> Rankers<'a> {
    pub fn new(index: &'a Index, options: &[Options]) -> Self {
        Self { index, each: options.iter().map(|options| Ranker::new(index, options.clone())).collect() }
    }

    pub fn rank(
        &mut self,
        query: u32,
        documents: &impl Documents,
        scores: Option<&[f64]>,
    ) -> Result<(), Fault> {
        self.each.iter_mut().try_for_each(|ranker| ranker.rank(query, documents, scores))
    }

    /// What each found.
    pub fn judged(self) -> Vec<Judged> {
        self.each.into_iter().map(|ranker| ranker.judged).collect()
    }
}

/// Ranks one query after another and collects what it finds.
#[derive(Debug)]
pub struct Ranker<'a> {
    pub index: &'a Index,
    pub options: Options,
    pub judged: Judged,
    sieve: Sieve,
    seen: Seen,
    codes: Vec<u64>,
    found: Vec<Found>,
    dropped: Vec<usize>,
    repeats_kept: u32,
    repeats_dropped: u32,
    excluded: u32,
    spread: Option<Spread>,
    scores: Vec<f64>,
}

/// A judged document at a position of the ranking.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    pub document: u32,
    pub position: usize,
}

impl<'a> Ranker<'a> {
    pub fn new(index: &'a Index, options: Options) -> Self {
        Self {
            index,
            options,
            judged: Judged::default(),
            sieve: Sieve::default(),
            seen: Seen::default(),
            codes: Vec::new(),
            found: Vec::new(),
            dropped: Vec::new(),
            repeats_kept: 0,
            repeats_dropped: 0,
            excluded: 0,
            spread: None,
            scores: Vec::new(),
        }
    }

    /// Ranks the judged documents of `query` among `documents`, or among those of chunks. Without scores the given order
    /// is the ranking.
    pub fn rank(
        &mut self,
        query: u32,
        documents: &impl Documents,
        scores: Option<&[f64]>,
    ) -> Result<(), Fault> {
        let Some(chunks) = &self.options.chunks else {
            return self.rank_documents(query, documents, scores);
        };
        let name = self.index.queries.name(query as usize);
        let found = chunks.collapse(name, documents, scores, &self.options, &mut self.seen)?;
        let of_kept = |scores: &[f64]| collected(found.kept.iter().map(|&position| scores[position]));
        let kept_scores = scores.map(of_kept).transpose()?;
        self.rank_documents(query, &found, kept_scores.as_deref())?;
        if let Some(fact) = self.judged.facts.last_mut() {
            fact.chunks = found.fact;
        }
        self.judged.unmatched.add_each(found.shown.into_iter().map(|id| (query, id)))?;
        Ok(())
    }

    fn rank_documents(
        &mut self,
        query: u32,
        documents: &impl Documents,
        scores: Option<&[f64]>,
    ) -> Result<(), Fault> {
        self.find(query, documents)?;
        if self.dropped.is_empty() {
            return Ok(self.count(query, documents, scores)?);
        }
        let kept = self.keep(documents.count())?;
        let of_kept = |scores: &[f64]| collected(kept.iter().map(|&position| scores[position]));
        let kept_scores = scores.map(of_kept).transpose()?;
        Ok(self.count(query, &Kept { documents, kept: &kept }, kept_scores.as_deref())?)
    }

    /// Ranks documents whose score is known, in the order of their numbers, against all `scores`. Where some tie, `tied` is
    /// asked for all documents with one of some scores, as they are given; false if it has none.
    pub fn rank_known<'b, E: From<Lack>>(
        &mut self,
        query: u32,
        known: &[(u32, f64)],
        scores: &[f64],
        tied: impl FnOnce(&[f64]) -> Result<Option<(Spans<'b>, &'b [f64])>, E>,
    ) -> Result<bool, E> {
        let first_hit = self.judged.hits.len();
        self.reset();
        let counts = Counts::new(scores, known.iter().map(|&(_, score)| score))?;
        for &(document, score) in known {
            let (higher, same) = counts.of(score);
            self.judged.hits.add(hit(document, score, higher, same.saturating_sub(1)))?;
        }
        let levels = tied_scores(&self.judged.hits[first_hit..])?;
        if !levels.is_empty() {
            let Some((documents, scores)) = tied(&levels)? else {
                self.judged.hits.truncate(first_hit);
                return Ok(false);
            };
            self.place_tied(query, first_hit, &documents, scores)?;
        }
        self.spread = if self.options.spread { Spread::of(scores) } else { None };
        self.close(query, scores.len(), first_hit)?;
        Ok(true)
    }

    /// Breaks the ties of hits in the order of their numbers, given all documents that tie with one.
    fn place_tied(
        &mut self,
        query: u32,
        first_hit: usize,
        documents: &Spans<'_>,
        scores: &[f64],
    ) -> Result<(), Lack> {
        let judged = self.index.lookup(query as usize);
        let hits = &mut self.judged.hits[first_hit..];
        let mut places = Vec::new();
        self.found.clear();
        for position in 0..documents.count() {
            let id = documents.id(position);
            if let Some(document) = judged.find(id, hash(id))
                && let Ok(place) = hits.binary_search_by_key(&document, |hit| hit.document)
            {
                self.found.add(Found { document, position })?;
                places.add(place)?;
            }
        }
        let mut tied = collected(places.iter().map(|&place| hits[place]))?;
        break_ties(&mut tied, &self.found, scores, documents)?;
        places.iter().zip(tied).for_each(|(&place, hit)| hits[place] = hit);
        Ok(())
    }

    /// Forgets the query ranked last.
    pub fn undo(&mut self) {
        if let Some(fact) = self.judged.facts.pop() {
            self.judged.hits.truncate(fact.first_hit);
            self.judged.tops.undo(fact.query);
        }
    }

    fn reset(&mut self) {
        (self.repeats_kept, self.repeats_dropped, self.excluded) = (0, 0, 0);
        self.spread = None;
    }

    /// Finds the judged documents, the repeats and the excluded document.
    fn find(&mut self, query: u32, documents: &impl Documents) -> Result<(), Fault> {
        self.found.clear();
        self.dropped.clear();
        self.reset();
        let mut codes = std::mem::take(&mut self.codes);
        let found = match documents.codes(&mut codes) {
            Ok(codes) if self.find_few(query, documents, codes)? => Ok(()),
            Ok(codes) => self.find_all(query, documents, codes),
            Err(lack) => Err(lack.into()),
        };
        self.codes = codes;
        found
    }

    /// Finds the judged documents where they are few and nothing is repeated or left out; false if that may be otherwise.
    fn find_few(&mut self, query: u32, documents: &impl Documents, codes: &[u64]) -> Result<bool, Lack> {
        if self.options.foreign || self.options.exclude_query {
            return Ok(false);
        }
        let judged = self.index.lookup(query as usize);
        let Some(suspects) = self.sieve.suspects(self.index.tags(query as usize), codes)? else {
            return Ok(false);
        };
        for (number, &position) in suspects.iter().enumerate() {
            let code = codes[position];
            let document = judged.find(documents.id(position), code);
            // A judged document is a suspect wherever it stands.
            let is_repeated = match document {
                Some(_) => suspects[..number].iter().any(|&earlier| codes[earlier] == code),
                None => codes[..position].contains(&code),
            };
            if is_repeated {
                self.found.clear();
                return Ok(false);
            }
            self.found.add_each(document.map(|document| Found { document, position }).into_iter())?;
        }
        Ok(true)
    }

    fn find_all(&mut self, query: u32, documents: &impl Documents, codes: &[u64]) -> Result<(), Fault> {
        let name = self.index.queries.name(query as usize);
        let judged = self.index.lookup(query as usize);
        let everywhere = if self.options.foreign { Some(self.index.everywhere()?) } else { None };
        self.seen.reset(codes.len())?;
        for (position, &code) in codes.iter().enumerate() {
            let id = documents.id(position);
            if self.options.exclude_query && id == name {
                self.excluded += 1;
                self.dropped.add(position)?;
                continue;
            }
            let repeated = self.seen.insert(code, position, |other| documents.id(other) == id);
            if let Some(earlier) = repeated {
                let unwanted = match self.options.duplicates {
                    Duplicates::Error => return Err(Fault::duplicate(name, id)),
                    Duplicates::First => Some(position),
                    Duplicates::Last => Some(earlier),
                    Duplicates::Count => None,
                };
                match unwanted {
                    Some(_) => self.repeats_dropped += 1,
                    None => self.repeats_kept += 1,
                }
                self.dropped.add_each(unwanted.into_iter())?;
            }
            let document = judged.find(id, code);
            let foreign = || everywhere.and_then(|names| names.find(id)).map(|_| FOREIGN);
            if let Some(document) = document.or_else(foreign) {
                self.found.add(Found { document, position })?;
            }
        }
        Ok(())
    }

    /// The positions that are kept, in order; what was found is renumbered to match.
    fn keep(&mut self, count: usize) -> Result<Vec<usize>, Lack> {
        self.dropped.sort_unstable();
        let dropped = &self.dropped;
        let is_dropped = |position: usize| dropped.binary_search(&position).is_ok();
        let kept = collected((0..count).filter(|&position| !is_dropped(position)))?;
        self.found.retain(|found| !is_dropped(found.position));
        for found in &mut self.found {
            found.position -= dropped.partition_point(|&position| position < found.position);
        }
        Ok(kept)
    }

    fn count(&mut self, query: u32, documents: &impl Documents, scores: Option<&[f64]>) -> Result<(), Lack> {
        let first_hit = self.judged.hits.len();
        let scores = if self.options.given { None } else { scores };
        match scores {
            None => {
                let given = |found: &Found| hit(found.document, -(found.position as f64), found.position, 0);
                self.judged.hits.add_each(self.found.iter().map(given))?;
                self.judged.tops.add(query, documents, None, &self.options)?;
            }
            Some(scores) => {
                self.spread = if self.options.spread { Spread::of(scores) } else { None };
                let scores = if self.options.single {
                    self.scores.clear();
                    self.scores.add_each(scores.iter().map(|&score| self.options.score(score)))?;
                    &self.scores
                } else {
                    scores
                };
                let wanted = self.found.iter().map(|found| (found.document, scores[found.position]));
                let counts = Counts::new(scores, wanted.clone().map(|(_, score)| score))?;
                for (document, score) in wanted {
                    let (higher, same) = counts.of(score);
                    self.judged.hits.add(hit(document, score, higher, same - 1))?;
                }
                break_ties(&mut self.judged.hits[first_hit..], &self.found, scores, documents)?;
                self.judged.tops.add(query, documents, Some(scores), &self.options)?;
            }
        }
        self.close(query, documents.count(), first_hit)
    }

    /// Closes a query. Its hits are put into the order of rank that ties do not touch, which is nearly the final one.
    fn close(&mut self, query: u32, retrieved: usize, first_hit: usize) -> Result<(), Lack> {
        let hits = &mut self.judged.hits[first_hit..];
        // Tied hits stay as they were given; a stable sort would need memory of its own.
        hits.sort_unstable_by_key(|hit| (hit.higher, hit.before_input));
        self.judged.facts.add(Fact {
            query,
            retrieved: retrieved as u32,
            first_hit,
            hits: hits.len() as u32,
            repeats_kept: self.repeats_kept,
            repeats_dropped: self.repeats_dropped,
            excluded: self.excluded,
            spread: self.spread,
            chunks: ChunkFact::default(),
        })
    }
}

fn hit(document: u32, score: f64, higher: usize, tied: usize) -> Hit {
    Hit {
        document,
        score,
        higher: higher as u32,
        tied: tied as u32,
        before_descending: 0,
        before_ascending: 0,
        before_input: 0,
    }
}

/// The documents that are left when some are dropped.
struct Kept<'a, D> {
    documents: &'a D,
    kept: &'a [usize],
}

impl<D: Documents> Documents for Kept<'_, D> {
    fn count(&self) -> usize {
        self.kept.len()
    }

    fn id(&self, position: usize) -> &[u8] {
        self.documents.id(self.kept[position])
    }
}

#[cfg(test)]
#[path = "ranker_tests.rs"]
mod tests;
