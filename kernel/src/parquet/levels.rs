//! Counts the rows of a run, in any order and on all threads at once, against the judged documents that it retrieved.
//!
//! The scores of a query's judged documents are its levels, from low to high. A row falls between two levels, or it ties
//! with one. A row that ties falls between two of the judged documents of that level, in the order of their ids, and in
//! that of their places in the run. No document may be listed twice.

use crate::index::Index;
use crate::judged::{Fact, Hit, Judged};
use crate::memory::{Grow, Lack, collected};
use crate::options::Options;
use std::sync::atomic::{AtomicU32, Ordering};

/// A judged document that was retrieved: its score, and the number of its row.
#[derive(Debug, Clone, Copy)]
pub struct Retrieved {
    pub document: u32,
    pub score: f64,
    pub place: u64,
}

/// A row of a query that is known.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub query: usize,
    pub document: &'a [u8],
    pub score: f64,
    pub place: u64,
}

/// The levels of all queries, and what was counted for them.
#[derive(Debug)]
pub struct Levels<'a> {
    index: &'a Index,
    options: Options,
    /// Query `q` has levels `starts[q]..starts[q + 1]`.
    starts: Vec<usize>,
    scores: Vec<f64>,
    /// Level `l` has the documents `members[l]..members[l + 1]`, in the order of ids and in that of places.
    members: Vec<usize>,
    by_id: Vec<Retrieved>,
    by_place: Vec<Retrieved>,
    /// Rows below each level of a query, and above the last.
    between: Vec<AtomicU32>,
    /// Rows before each document of a level, and after the last, in the same two orders.
    id_gaps: Vec<AtomicU32>,
    place_gaps: Vec<AtomicU32>,
}

impl<'a> Levels<'a> {
    /// The levels of the documents that each query retrieved.
    pub fn new(
        index: &'a Index,
        options: Options,
        retrieved: impl Fn(usize) -> Result<Vec<Retrieved>, Lack>,
    ) -> Result<Self, Lack> {
        let mut levels = Self {
            index,
            options,
            starts: collected([0].into_iter())?,
            scores: Vec::new(),
            members: Vec::new(),
            by_id: Vec::new(),
            by_place: Vec::new(),
            between: Vec::new(),
            id_gaps: Vec::new(),
            place_gaps: Vec::new(),
        };
        for query in 0..index.queries.len() {
            levels.add_query(retrieved(query)?)?;
        }
        levels.members.add(levels.by_id.len())?;
        let zeros = |count: usize| collected((0..count).map(|_| AtomicU32::new(0)));
        levels.between = zeros(levels.scores.len() + index.queries.len())?;
        levels.id_gaps = zeros(levels.by_id.len() + levels.scores.len())?;
        levels.place_gaps = zeros(levels.by_id.len() + levels.scores.len())?;
        Ok(levels)
    }

    fn add_query(&mut self, mut retrieved: Vec<Retrieved>) -> Result<(), Lack> {
        let score = |each: &Retrieved| self.options.score(each.score);
        retrieved.sort_unstable_by(|one, other| score(one).total_cmp(&score(other)));
        for level in retrieved.chunk_by_mut(|one, other| score(one) == score(other)) {
            self.members.add(self.by_id.len())?;
            self.scores.add(score(&level[0]))?;
            let id = |each: &Retrieved| self.index.document(each.document as usize);
            level.sort_unstable_by(|one, other| id(one).cmp(id(other)));
            self.by_id.add_all(level)?;
            level.sort_unstable_by_key(|each| each.place);
            self.by_place.add_all(level)?;
        }
        self.starts.add(self.scores.len())
    }

    /// Counts one row.
    #[inline]
    pub fn count(&self, row: Row<'_>) {
        let first = self.starts[row.query];
        let scores = &self.scores[first..self.starts[row.query + 1]];
        let score = self.options.score(row.score);
        let below = scores.partition_point(|&level| level < score);
        if scores.get(below) == Some(&score) {
            self.count_tied(first + below, row);
        } else {
            self.between[first + row.query + below].fetch_add(1, Ordering::Relaxed);
        }
    }

    fn count_tied(&self, level: usize, row: Row<'_>) {
        let range = self.members[level]..self.members[level + 1];
        let first_gap = range.start + level;
        let Err(gap) = self.by_place[range.clone()].binary_search_by_key(&row.place, |each| each.place)
        else {
            // The row of the judged document itself.
            return;
        };
        self.place_gaps[first_gap + gap].fetch_add(1, Ordering::Relaxed);
        let gap = self.by_id[range]
            .partition_point(|each| self.index.document(each.document as usize) < row.document);
        self.id_gaps[first_gap + gap].fetch_add(1, Ordering::Relaxed);
    }

    /// What was counted, of each query that has rows.
    pub fn finish(self, rows: &[u32]) -> Result<Judged, Lack> {
        let mut judged = Judged::default();
        judged.facts.room(rows.iter().filter(|&&count| count > 0).count())?;
        judged.hits.room(self.by_id.len())?;
        for (query, &retrieved) in rows.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let first_hit = judged.hits.len();
            self.add_hits(query, &mut judged.hits)?;
            let hits = (judged.hits.len() - first_hit) as u32;
            judged.facts.add(Fact {
                query: query as u32,
                retrieved,
                first_hit,
                hits,
                repeats_kept: 0,
                repeats_dropped: 0,
                excluded: 0,
                spread: None,
            })?;
        }
        Ok(judged)
    }

    /// The hits of a query, from the highest level down, and those of a level as they are given.
    fn add_hits(&self, query: usize, hits: &mut Vec<Hit>) -> Result<(), Lack> {
        let mut higher = 0;
        for level in (self.starts[query]..self.starts[query + 1]).rev() {
            higher += self.between[level + 1 + query].load(Ordering::Relaxed);
            let range = self.members[level]..self.members[level + 1];
            let gaps = range.start + level..range.end + level + 1;
            let before_id = before(&self.id_gaps[gaps.clone()])?;
            let before_place = before(&self.place_gaps[gaps])?;
            let tied = before_id[range.len()] - 1;
            let first_hit = hits.len();
            for (each, before_input) in self.by_place[range.clone()].iter().zip(before_place) {
                let (document, score) = (each.document, self.options.score(each.score));
                hits.add(Hit {
                    document,
                    score,
                    higher,
                    tied,
                    before_descending: 0,
                    before_ascending: 0,
                    before_input,
                })?;
            }
            for (each, before_ascending) in self.by_id[range.clone()].iter().zip(before_id) {
                let number =
                    self.by_place[range.clone()].binary_search_by_key(&each.place, |other| other.place);
                let hit = &mut hits[first_hit + number.unwrap_or_default()];
                hit.before_ascending = before_ascending;
                hit.before_descending = tied - before_ascending;
            }
            higher += tied + 1;
        }
        Ok(())
    }
}

/// How many rows and documents are before each document of a level and, last, how many there are.
fn before(gaps: &[AtomicU32]) -> Result<Vec<u32>, Lack> {
    let mut sum = 0;
    collected(gaps.iter().enumerate().map(|(number, gap)| {
        sum += gap.load(Ordering::Relaxed);
        sum + number as u32
    }))
}
