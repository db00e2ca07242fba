//! Ranks the judged documents of one ranking without sorting it.

use crate::fault::Fault;
use crate::index::Index;
use crate::judged::{FOREIGN, Fact, Hit, Judged, Spread};
use crate::options::{Duplicates, Options};
use crate::rows::hash;
use crate::seen::Seen;

/// The documents of one ranking, by position.
pub trait Documents {
    fn count(&self) -> usize;
    fn id(&self, position: usize) -> &[u8];
}

/// Ranks the same queries under several options.
#[derive(Debug)]
pub struct Rankers<'a> {
    pub index: &'a Index,
    pub each: Vec<Ranker<'a>>,
}

impl<'a> Rankers<'a> {
    pub fn new(index: &'a Index, options: &[Options]) -> Self {
        Self { index, each: options.iter().map(|&options| Ranker::new(index, options)).collect() }
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
    seen: Seen,
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
struct Found {
    document: u32,
    position: usize,
}

impl<'a> Ranker<'a> {
    pub fn new(index: &'a Index, options: Options) -> Self {
        Self {
            index,
            options,
            judged: Judged::default(),
            seen: Seen::default(),
            found: Vec::new(),
            dropped: Vec::new(),
            repeats_kept: 0,
            repeats_dropped: 0,
            excluded: 0,
            spread: None,
            scores: Vec::new(),
        }
    }

    /// Ranks the judged documents of `query` among `documents`. Without scores the given order is the ranking.
    pub fn rank(
        &mut self,
        query: u32,
        documents: &impl Documents,
        scores: Option<&[f64]>,
    ) -> Result<(), Fault> {
        self.find(query, documents)?;
        if self.dropped.is_empty() {
            self.count(query, documents, scores);
            return Ok(());
        }
        let kept = self.keep(documents.count());
        let kept_scores: Option<Vec<f64>> =
            scores.map(|scores| kept.iter().map(|&position| scores[position]).collect());
        self.count(query, &Kept { documents, kept: &kept }, kept_scores.as_deref());
        Ok(())
    }

    /// Counts against `scores` for documents whose score is known and that nothing ties with; true if that was all.
    pub fn rank_untied(&mut self, query: u32, found: &[(u32, f64)], scores: &[f64]) -> bool {
        let first_hit = self.judged.hits.len();
        self.reset();
        for &(document, score) in found {
            let (higher, same) = count_against(scores, score);
            if same > 1 {
                self.judged.hits.truncate(first_hit);
                return false;
            }
            self.judged.hits.push(hit(document, score, higher, 0));
        }
        self.spread = if self.options.spread { Spread::of(scores) } else { None };
        self.close(query, scores.len(), first_hit);
        true
    }

    /// Forgets the query ranked last.
    pub fn undo(&mut self) {
        if let Some(fact) = self.judged.facts.pop() {
            self.judged.hits.truncate(fact.first_hit);
        }
    }

    fn reset(&mut self) {
        (self.repeats_kept, self.repeats_dropped, self.excluded) = (0, 0, 0);
        self.spread = None;
    }

    /// Finds the judged documents, the repeats and the excluded document.
    fn find(&mut self, query: u32, documents: &impl Documents) -> Result<(), Fault> {
        let name = self.index.queries.name(query as usize);
        let judged = self.index.lookup(query as usize);
        self.found.clear();
        self.dropped.clear();
        self.reset();
        self.seen.reset(documents.count());
        for position in 0..documents.count() {
            let id = documents.id(position);
            let code = hash(id);
            if self.options.exclude_query && id == name {
                self.excluded += 1;
                self.dropped.push(position);
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
                self.dropped.extend(unwanted);
            }
            let document = judged.find(id, code);
            let foreign = || (self.options.foreign && self.index.is_judged(id)).then_some(FOREIGN);
            if let Some(document) = document.or_else(foreign) {
                self.found.push(Found { document, position });
            }
        }
        Ok(())
    }

    /// The positions that are kept, in order; what was found is renumbered to match.
    fn keep(&mut self, count: usize) -> Vec<usize> {
        self.dropped.sort_unstable();
        let dropped = &self.dropped;
        let is_dropped = |position: usize| dropped.binary_search(&position).is_ok();
        let kept: Vec<usize> = (0..count).filter(|&position| !is_dropped(position)).collect();
        self.found.retain(|found| !is_dropped(found.position));
        for found in &mut self.found {
            found.position -= dropped.partition_point(|&position| position < found.position);
        }
        kept
    }

    fn count(&mut self, query: u32, documents: &impl Documents, scores: Option<&[f64]>) {
        let first_hit = self.judged.hits.len();
        let scores = if self.options.given { None } else { scores };
        match scores {
            None => {
                let given = |found: &Found| hit(found.document, -(found.position as f64), found.position, 0);
                self.judged.hits.extend(self.found.iter().map(given));
            }
            Some(scores) => {
                self.scores.clear();
                self.scores.extend(scores.iter().map(|&score| self.options.score(score)));
                self.spread = if self.options.spread { Spread::of(scores) } else { None };
                if self.found.len() <= FEW {
                    self.compare()
                } else {
                    self.search()
                }
                self.break_ties(first_hit, documents);
            }
        }
        self.close(query, documents.count(), first_hit);
    }

    /// Closes a query. Its hits are put into the order of rank that ties do not touch, which is nearly the final one.
    fn close(&mut self, query: u32, retrieved: usize, first_hit: usize) {
        let hits = &mut self.judged.hits[first_hit..];
        hits.sort_by_key(|hit| hit.higher);
        self.judged.facts.push(Fact {
            query,
            retrieved: retrieved as u32,
            first_hit,
            hits: hits.len() as u32,
            repeats_kept: self.repeats_kept,
            repeats_dropped: self.repeats_dropped,
            excluded: self.excluded,
            spread: self.spread,
        });
    }

    /// Counts by comparing every score with every judged one.
    fn compare(&mut self) {
        for found in &self.found {
            let score = self.scores[found.position];
            let (higher, same) = count_against(&self.scores, score);
            self.judged.hits.push(hit(found.document, score, higher, same - 1));
        }
    }

    /// Counts by looking every score up among the judged ones.
    fn search(&mut self) {
        let mut levels: Vec<f64> = self.found.iter().map(|found| self.scores[found.position]).collect();
        levels.sort_unstable_by(f64::total_cmp);
        levels.dedup();
        let mut at_least = vec![0usize; levels.len() + 1];
        let mut equal = vec![0usize; levels.len()];
        for &score in &self.scores {
            let reached = levels.partition_point(|&level| level <= score);
            at_least[reached] += 1;
            if reached > 0 && levels[reached - 1] == score {
                equal[reached - 1] += 1;
            }
        }
        for level in (0..levels.len()).rev() {
            at_least[level] += at_least[level + 1];
        }
        for found in &self.found {
            let score = self.scores[found.position];
            let level = levels.partition_point(|&level| level < score);
            let higher = at_least[level + 1] - equal[level];
            self.judged.hits.push(hit(found.document, score, higher, equal[level] - 1));
        }
    }

    /// Places each hit among the documents it ties with.
    fn break_ties(&mut self, first_hit: usize, documents: &impl Documents) {
        let mut levels: Vec<f64> =
            self.judged.hits[first_hit..].iter().filter(|hit| hit.tied > 0).map(|hit| hit.score).collect();
        levels.sort_unstable_by(f64::total_cmp);
        levels.dedup();
        for level in levels {
            let given: Vec<usize> =
                (0..self.scores.len()).filter(|&other| self.scores[other] == level).collect();
            let mut sorted = given.clone();
            sorted.sort_by(|&left, &right| documents.id(left).cmp(documents.id(right)));
            for (hit, found) in self.judged.hits[first_hit..].iter_mut().zip(&self.found) {
                if hit.score == level {
                    let id = documents.id(found.position);
                    let low = sorted.partition_point(|&other| documents.id(other) < id);
                    let high = sorted.partition_point(|&other| documents.id(other) <= id);
                    let repeats = sorted[low..high].iter().filter(|&&other| other < found.position).count();
                    hit.before_ascending = (low + repeats) as u32;
                    hit.before_descending = (sorted.len() - high + repeats) as u32;
                    hit.before_input = given.partition_point(|&other| other < found.position) as u32;
                }
            }
        }
    }
}

/// Up to this many judged documents are compared with every score; more are searched.
const FEW: usize = 16;

/// How many scores are higher than `score`, and how many are the same.
fn count_against(scores: &[f64], score: f64) -> (usize, usize) {
    let add = |(higher, same): (u64, u64), &other: &f64| {
        (higher + u64::from(other > score), same + u64::from(other == score))
    };
    let (higher, same) = scores.iter().fold((0, 0), add);
    (higher as usize, same as usize)
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
#[path = "rank_tests.rs"]
mod tests;
