//! The first documents of rankings, where they are asked for: chosen without sorting the ranking.

use crate::memory::{Grow, Lack};
use crate::rank::options::{Options, Ties};
use crate::rank::ranker::Documents;
use crate::rank::rows::Span;
use std::cmp::Ordering;

/// The first documents of one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopList {
    pub query: u32,
    first: usize,
    count: usize,
}

/// A document among the first: its id, and its score as it is compared.
#[derive(Debug, Clone, Copy)]
struct TopDocument {
    id: Span,
    score: f64,
}

/// The first documents of the rankings seen so far, each in the order of rank.
#[derive(Debug, Clone, Default)]
pub struct Tops {
    pub lists: Vec<TopList>,
    documents: Vec<TopDocument>,
    text: Vec<u8>,
}

impl Tops {
    /// Keeps the first documents of a ranking, if any are asked for. The scores are those that are compared; without
    /// them the given order is the ranking, and scores are made for it as for a hit.
    pub fn add(
        &mut self,
        query: u32,
        documents: &impl Documents,
        scores: Option<&[f64]>,
        options: &Options,
    ) -> Result<(), Lack> {
        if options.top == 0 {
            return Ok(());
        }
        let (first, most) = (self.documents.len(), options.top as usize);
        match scores {
            None => {
                for position in 0..documents.count().min(most) {
                    self.document(documents.id(position), -(position as f64))?;
                }
            }
            Some(scores) => {
                for position in choose(scores, most, &|one, other| tied(documents, options.ties, one, other))?
                {
                    self.document(documents.id(position), scores[position])?;
                }
            }
        }
        self.lists.add(TopList { query, first, count: self.documents.len() - first })
    }

    fn document(&mut self, id: &[u8], score: f64) -> Result<(), Lack> {
        let start = self.text.len();
        self.text.add_all(id)?;
        self.documents.add(TopDocument { id: Span { start, end: self.text.len() }, score })
    }

    /// The ids and scores of one query, in the order of rank.
    pub fn of(&self, list: &TopList) -> impl ExactSizeIterator<Item = (&[u8], f64)> {
        self.own(list).iter().map(|document| (document.id.of(&self.text), document.score))
    }

    fn own(&self, list: &TopList) -> &[TopDocument] {
        self.documents.get(list.first..list.first + list.count).unwrap_or_default()
    }

    /// Forgets the query that was added last, if it is this one.
    pub fn undo(&mut self, query: u32) {
        if let Some(list) = self.lists.pop_if(|list| list.query == query) {
            let start = self.own(&list).first().map_or(self.text.len(), |document| document.id.start);
            self.text.truncate(start);
            self.documents.truncate(list.first);
        }
    }

    /// Makes room for what others saw.
    pub fn room(&mut self, other: &Tops) -> Result<(), Lack> {
        let own = || other.lists.iter().flat_map(|list| other.own(list));
        self.lists.room(other.lists.len())?;
        self.documents.room(own().count())?;
        self.text.room(own().map(|document| document.id.end - document.id.start).sum())
    }

    /// Takes over what others saw, for which there is room. What is in none of their lists stays behind.
    pub fn append(&mut self, other: &Tops) {
        for list in &other.lists {
            self.lists.push(TopList { first: self.documents.len(), ..*list });
            for (id, score) in other.of(list) {
                let start = self.text.len();
                self.text.extend_from_slice(id);
                self.documents.push(TopDocument { id: Span { start, end: self.text.len() }, score });
            }
        }
    }
}

/// The order of two documents with the same score. Those listed twice keep the order they are given in.
fn tied(documents: &impl Documents, ties: Ties, one: usize, other: usize) -> Ordering {
    let ascending = || documents.id(one).cmp(documents.id(other));
    let by_id = match ties {
        Ties::Descending => ascending().reverse(),
        Ties::Ascending => ascending(),
        Ties::Input => Ordering::Equal,
    };
    by_id.then(one.cmp(&other))
}

/// The score that the first `most` documents have at least, whatever the order of ties.
pub fn least(scores: &[f64], most: usize) -> Result<f64, Lack> {
    let chosen = choose(scores, most, &|one, other| one.cmp(&other))?;
    let last = if chosen.len() < most { None } else { chosen.last() };
    Ok(last.map_or(f64::NEG_INFINITY, |&position| scores[position]))
}

/// The positions of the `most` highest scores in order, those of the same score in the order that `tied` gives.
///
/// Up to twice as many are held at a time: when there are so many, the better half stays, and the last of that half is
/// what others have to come before. `tied` is rarely called, so that one compiled copy serves all kinds of documents.
fn choose(scores: &[f64], most: usize, tied: &dyn Fn(usize, usize) -> Ordering) -> Result<Vec<usize>, Lack> {
    // The two zeros are the same score.
    let order = |&one: &usize, &other: &usize| {
        (scores[other] + 0.0).total_cmp(&(scores[one] + 0.0)).then_with(|| tied(one, other))
    };
    let mut chosen = Vec::new();
    chosen.room(scores.len().min(most.saturating_mul(2)))?;
    let mut last: Option<(f64, usize)> = None;
    for (position, &score) in scores.iter().enumerate() {
        if last.is_some_and(|(least, last)| score < least || order(&position, &last).is_gt()) {
            continue;
        }
        chosen.add(position)?;
        if chosen.len() / 2 >= most {
            let (_, &mut middle, _) = chosen.select_nth_unstable_by(most - 1, order);
            last = Some((scores[middle], middle));
            chosen.truncate(most);
        }
    }
    chosen.sort_unstable_by(order);
    chosen.truncate(most);
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "takes Miri minutes")]
    fn rising_scores_take_no_square_of_the_time() {
        let scores: Vec<f64> = (0..2_000_000).map(f64::from).collect();
        let begun = std::time::Instant::now();
        let chosen = choose(&scores, 50_000, &|one, other| one.cmp(&other)).unwrap();
        assert_eq!((chosen.len(), chosen[0], chosen[49_999]), (50_000, 1_999_999, 1_950_000));
        // Inserting each into a sorted list would take minutes in a build without optimization.
        assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    }
}
