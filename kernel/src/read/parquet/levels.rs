//! Counts the rows of a run, in any order, against the judged documents that it retrieved. What several threads count adds
//! up.
//!
//! The scores of a query's judged documents are its levels, from low to high. A row falls between two levels, or it ties
//! with one. A row that ties falls between two of the judged documents of that level, in the order of their ids, and in
//! that of their places in the run. No document may be listed twice.

use super::batch::Batch;
use crate::memory::{Grow, Lack, collected, filled};
use crate::rank::chunks::ChunkFact;
use crate::rank::index::Index;
use crate::rank::judged::{Fact, Hit, Judged};
use crate::rank::options::Options;

/// A judged document that was retrieved: its score, and the number of its row.
#[derive(Debug, Clone, Copy)]
pub struct Retrieved {
    pub document: u32,
    pub score: f64,
    pub place: u64,
}

/// A row of a query that is known, and its number among all rows.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub batch: &'a Batch,
    pub row: usize,
    pub query: usize,
    pub place: u64,
}

/// The levels of all queries.
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
}

/// What was counted for them.
#[derive(Debug)]
pub struct Counts {
    /// Rows below each level of a query, and above the last.
    between: Vec<u32>,
    /// Rows before each document of a level, and after the last, in the order of ids and in that of places.
    id_gaps: Vec<u32>,
    place_gaps: Vec<u32>,
}

impl Counts {
    /// Adds what another thread counted.
    pub fn add(&mut self, other: &Self) {
        let add = |own: &mut [u32], others: &[u32]| {
            own.iter_mut().zip(others).for_each(|(own, other)| *own += other)
        };
        add(&mut self.between, &other.between);
        add(&mut self.id_gaps, &other.id_gaps);
        add(&mut self.place_gaps, &other.place_gaps);
    }
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
        };
        for query in 0..index.queries.len() {
            levels.add_query(retrieved(query)?)?;
        }
        levels.members.add(levels.by_id.len())?;
        Ok(levels)
    }

    /// Room for what a thread counts.
    pub fn counts(&self) -> Result<Counts, Lack> {
        let gaps = self.by_id.len() + self.scores.len();
        Ok(Counts {
            between: filled(self.scores.len() + self.index.queries.len(), 0)?,
            id_gaps: filled(gaps, 0)?,
            place_gaps: filled(gaps, 0)?,
        })
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
    pub fn count(&self, counts: &mut Counts, row: Row<'_>) {
        let first = self.starts[row.query];
        let scores = &self.scores[first..self.starts[row.query + 1]];
        let score = self.options.score(row.batch.scores[row.row]);
        let below = scores.partition_point(|&level| level < score);
        if scores.get(below) == Some(&score) {
            self.count_tied(counts, first + below, row);
        } else {
            counts.between[first + row.query + below] += 1;
        }
    }

    #[cold]
    fn count_tied(&self, counts: &mut Counts, level: usize, row: Row<'_>) {
        let range = self.members[level]..self.members[level + 1];
        let first_gap = range.start + level;
        let Err(gap) = self.by_place[range.clone()].binary_search_by_key(&row.place, |each| each.place)
        else {
            // The row of the judged document itself.
            return;
        };
        counts.place_gaps[first_gap + gap] += 1;
        let document = row.batch.document(row.row);
        let gap =
            self.by_id[range].partition_point(|each| self.index.document(each.document as usize) < document);
        counts.id_gaps[first_gap + gap] += 1;
    }

    /// What was counted, of each query that has rows.
    pub fn finish(&self, counts: &Counts, rows: &[u32]) -> Result<Judged, Lack> {
        let mut judged = Judged::default();
        judged.facts.room(rows.iter().filter(|&&count| count > 0).count())?;
        judged.hits.room(self.by_id.len())?;
        for (query, &retrieved) in rows.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let first_hit = judged.hits.len();
            self.add_hits(query, counts, &mut judged.hits)?;
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
                chunks: ChunkFact::default(),
            })?;
        }
        Ok(judged)
    }

    /// The hits of a query, from the highest level down, and those of a level as they are given.
    fn add_hits(&self, query: usize, counts: &Counts, hits: &mut Vec<Hit>) -> Result<(), Lack> {
        let mut higher = 0;
        for level in (self.starts[query]..self.starts[query + 1]).rev() {
            higher += counts.between[level + 1 + query];
            let range = self.members[level]..self.members[level + 1];
            let gaps = range.start + level..range.end + level + 1;
            let before_id = before(&counts.id_gaps[gaps.clone()])?;
            let before_place = before(&counts.place_gaps[gaps])?;
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
fn before(gaps: &[u32]) -> Result<Vec<u32>, Lack> {
    let mut sum = 0;
    collected(gaps.iter().enumerate().map(|(number, gap)| {
        sum += gap;
        sum + number as u32
    }))
}
