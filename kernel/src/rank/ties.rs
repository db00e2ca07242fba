//! Places judged documents among those they tie with, under every rule at once.

use crate::memory::{Grow, Lack, filled};
use crate::rank::count::distinct;
use crate::rank::judged::Hit;
use crate::rank::ranker::{Documents, Found};

/// A document of the ranking that ties with a judged one.
#[derive(Debug, Clone, Copy, Default)]
struct Member {
    position: usize,
    /// How many documents of the same score are given before it.
    before_input: usize,
}

/// The different scores of hits that others tie with, from low to high.
pub fn tied_scores(hits: &[Hit]) -> Result<Vec<f64>, Lack> {
    distinct(hits.iter().filter(|hit| hit.tied > 0).map(|hit| hit.score))
}

/// Breaks the ties of `hits`, which are the documents in `found`, in the order of their positions.
pub fn break_ties(
    hits: &mut [Hit],
    found: &[Found],
    scores: &[f64],
    documents: &impl Documents,
) -> Result<(), Lack> {
    let levels = tied_scores(hits)?;
    if levels.is_empty() {
        return Ok(());
    }
    let id = |member: &Member| documents.id(member.position);
    let (mut members, starts) = group(&levels, scores)?;
    for bounds in starts.windows(2) {
        let tie = &mut members[bounds[0]..bounds[1]];
        // Documents listed twice keep the order they are given in. A stable sort would need memory of its own.
        tie.sort_unstable_by(|left, right| id(left).cmp(id(right)).then(left.position.cmp(&right.position)));
        let mut lower = 0;
        for same in tie.chunk_by(|left, right| id(left) == id(right)) {
            for (repeats, member) in same.iter().enumerate() {
                if let Ok(number) = found.binary_search_by_key(&member.position, |found| found.position) {
                    hits[number].before_ascending = (lower + repeats) as u32;
                    hits[number].before_descending = (tie.len() - lower - same.len() + repeats) as u32;
                    hits[number].before_input = member.before_input as u32;
                }
            }
            lower += same.len();
        }
    }
    Ok(())
}

/// The documents whose score is one of `levels`, level by level as they are given, and where each level begins.
fn group(levels: &[f64], scores: &[f64]) -> Result<(Vec<Member>, Vec<usize>), Lack> {
    let mut starts = filled(levels.len() + 1, 0)?;
    let mut tied = Vec::new();
    for (position, &score) in scores.iter().enumerate() {
        let level = levels.partition_point(|&level| level < score);
        if levels.get(level) == Some(&score) {
            tied.add((level, Member { position, before_input: starts[level + 1] }))?;
            starts[level + 1] += 1;
        }
    }
    for level in 1..starts.len() {
        starts[level] += starts[level - 1];
    }
    let mut members = filled(tied.len(), Member::default())?;
    for (level, member) in tied {
        members[starts[level] + member.before_input] = member;
    }
    Ok((members, starts))
}
