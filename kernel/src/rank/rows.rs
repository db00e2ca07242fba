//! Judgments or rankings as compact columns: query, document, value, and a group where the data has one.

use crate::failure;
use crate::memory::{Grow, Lack, copied, filled, number};
use crate::rank::ranker::Documents;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, LazyLock};

/// A piece of a byte buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The hash of an id, the same for every place it comes from. It differs from process to process, so that no file can be
/// made whose ids all collide; nothing but the place in a table may depend on it.
#[inline]
pub fn hash(id: &[u8]) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    let mut hasher = STATE.build_hasher();
    hasher.write(id);
    hasher.finish()
}

/// Distinct names in order of first appearance.
#[derive(Debug, Default)]
pub struct Names {
    text: Vec<u8>,
    spans: Vec<Span>,
    table: HashTable<u32>,
}

impl Names {
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    pub fn name(&self, index: usize) -> &[u8] {
        self.spans.get(index).map_or(&[], |span| span.of(&self.text))
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.spans.iter().map(|span| span.of(&self.text))
    }

    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.table.find(hash(name), |&index| self.name(index as usize) == name).copied()
    }

    /// The index of `name`, which is added if it is not there.
    pub fn add(&mut self, name: &[u8]) -> Result<u32, Lack> {
        if let Some(index) = self.find(name) {
            return Ok(index);
        }
        let index = number(self.spans.len())?;
        self.spans.room(1)?;
        self.table_room()?;
        let start = self.text.len();
        self.text.add_all(name)?;
        self.spans.push(Span { start, end: self.text.len() });
        let (text, spans) = (&self.text, &self.spans);
        self.table.insert_unique(hash(name), index, |&other| hash(spans[other as usize].of(text)));
        Ok(index)
    }

    fn table_room(&mut self) -> Result<(), Lack> {
        if self.table.len() == self.table.capacity() && failure::fails() {
            return Err(Lack::Memory);
        }
        let (text, spans) = (&self.text, &self.spans);
        let code = |&other: &u32| hash(spans[other as usize].of(text));
        self.table.try_reserve(1, code).map_err(|_| Lack::Memory)
    }
}

/// Rows grouped by query, in input order inside each.
#[derive(Debug, Default)]
pub struct Rows {
    pub queries: Arc<Names>,
    /// Row numbers: query `q` has rows `starts[q]..starts[q + 1]`.
    pub starts: Vec<usize>,
    /// Whether a query's documents were given as an order, without values.
    pub ordered: Vec<bool>,
    pub text: Vec<u8>,
    pub documents: Vec<Span>,
    pub values: Vec<f64>,
    /// One a row, or empty where the data has no groups.
    pub groups: Vec<u32>,
    pub group_names: Arc<Names>,
    pub tag: Vec<u8>,
}

impl Rows {
    pub fn copy(&self) -> Result<Self, Lack> {
        Ok(Self {
            queries: Arc::clone(&self.queries),
            starts: copied(&self.starts)?,
            ordered: copied(&self.ordered)?,
            text: copied(&self.text)?,
            documents: copied(&self.documents)?,
            values: copied(&self.values)?,
            groups: copied(&self.groups)?,
            group_names: Arc::clone(&self.group_names),
            tag: copied(&self.tag)?,
        })
    }

    pub fn range(&self, query: usize) -> std::ops::Range<usize> {
        match (self.starts.get(query), self.starts.get(query + 1)) {
            (Some(&start), Some(&end)) => start..end,
            _ => 0..0,
        }
    }

    pub fn document(&self, row: usize) -> &[u8] {
        self.documents.get(row).map_or(&[], |span| span.of(&self.text))
    }

    /// The documents of one query.
    pub fn ranking(&self, query: usize) -> Spans<'_> {
        Spans { text: &self.text, spans: self.documents.get(self.range(query)).unwrap_or_default() }
    }
}

/// Documents as pieces of one text.
#[derive(Debug, Clone, Copy)]
pub struct Spans<'a> {
    pub text: &'a [u8],
    pub spans: &'a [Span],
}

impl Documents for Spans<'_> {
    #[inline]
    fn count(&self) -> usize {
        self.spans.len()
    }

    #[inline]
    fn id(&self, position: usize) -> &[u8] {
        self.spans[position].of(self.text)
    }
}

/// What the rows of a query so far say about those that follow: nothing, that they are ranked by score, or that they are
/// in a given order with scores that fall.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Order {
    #[default]
    Unknown,
    ByScore,
    /// With the score of the last row.
    Given(f64),
}

impl Order {
    /// Takes one more row, with its score if it is in a given order, and says whether it fits the others.
    #[inline]
    pub fn goes_on(&mut self, given: Option<f64>) -> bool {
        let (next, fits) = match (*self, given) {
            (Self::Given(last), Some(score)) => (Self::Given(score), score < last),
            (before, Some(score)) => (Self::Given(score), before == Self::Unknown),
            (before, None) => (Self::ByScore, !before.is_given()),
        };
        *self = next;
        fits
    }

    #[inline]
    pub fn is_given(&self) -> bool {
        matches!(self, Self::Given(_))
    }
}

/// Collects rows in any order.
#[derive(Debug, Default)]
pub struct RowsBuilder {
    rows: Rows,
    queries: Names,
    groups: Names,
    row_queries: Vec<u32>,
    current: Option<u32>,
    /// The order of each query's rows, where it was asked for.
    orders: Vec<Order>,
}

impl RowsBuilder {
    /// Makes `name` the query of the rows that follow and says whether it was there before.
    pub fn query(&mut self, name: &[u8]) -> Result<bool, Lack> {
        if let Some(current) = self.current
            && self.queries.name(current as usize) == name
        {
            return Ok(true);
        }
        let known = self.queries.len();
        let index = self.queries.add(name)?;
        self.current = Some(index);
        if (index as usize) < known {
            return Ok(true);
        }
        self.rows.ordered.add(false)?;
        Ok(false)
    }

    pub fn set_ordered(&mut self) {
        if let Some(flag) = self.current.and_then(|query| self.rows.ordered.get_mut(query as usize)) {
            *flag = true;
        }
    }

    /// What the rows of the current query say about its order.
    pub fn order(&mut self) -> Result<&mut Order, Lack> {
        let query = self.current.unwrap_or_default() as usize;
        if self.orders.len() <= query {
            self.orders.fill(query + 1, Order::default())?;
        }
        Ok(&mut self.orders[query])
    }

    pub fn row(&mut self, document: &[u8], value: f64) -> Result<(), Lack> {
        let start = self.rows.text.len();
        self.rows.text.add_all(document)?;
        self.rows.documents.add(Span { start, end: self.rows.text.len() })?;
        self.rows.values.add(value)?;
        self.row_queries.add(self.current.unwrap_or_default())
    }

    /// Names the group of the row added last. Either every row gets one or none does.
    pub fn group(&mut self, name: &[u8]) -> Result<(), Lack> {
        let last = self.rows.groups.last().copied();
        let group = match last.filter(|&last| self.groups.name(last as usize) == name) {
            Some(last) => last,
            None => self.groups.add(name)?,
        };
        self.rows.groups.add(group)
    }

    pub fn tag(&mut self, tag: &[u8]) -> Result<(), Lack> {
        if self.rows.tag != tag {
            self.rows.tag.clear();
            self.rows.tag.add_all(tag)?;
        }
        Ok(())
    }

    pub fn rows_so_far(&self) -> usize {
        self.row_queries.len()
    }

    /// Forgets a group that all rows share: a column that says nothing.
    pub fn drop_single_group(&mut self) {
        if self.groups.len() < 2 {
            self.rows.groups = Vec::new();
            self.groups = Names::default();
        }
    }

    /// The rows, grouped by query.
    pub fn finish(mut self) -> Result<Rows, Lack> {
        let mut starts = filled(self.queries.len() + 1, 0usize)?;
        for &query in &self.row_queries {
            starts[query as usize + 1] += 1;
        }
        for query in 1..starts.len() {
            starts[query] += starts[query - 1];
        }
        if !self.row_queries.is_sorted() {
            let mut next = copied(&starts)?;
            let mut places = Vec::new();
            places.room(self.row_queries.len())?;
            for &query in &self.row_queries {
                places.push(next[query as usize]);
                next[query as usize] += 1;
            }
            self.rows.documents = scatter(&self.rows.documents, &places, Span { start: 0, end: 0 })?;
            self.rows.values = scatter(&self.rows.values, &places, 0.0)?;
            if !self.rows.groups.is_empty() {
                self.rows.groups = scatter(&self.rows.groups, &places, 0)?;
            }
        }
        self.rows.starts = starts;
        self.rows.queries = Arc::new(self.queries);
        self.rows.group_names = Arc::new(self.groups);
        Ok(self.rows)
    }
}

fn scatter<T: Copy>(values: &[T], places: &[usize], fill: T) -> Result<Vec<T>, Lack> {
    let mut moved = filled(values.len(), fill)?;
    for (&value, &place) in values.iter().zip(places) {
        moved[place] = value;
    }
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "takes Miri minutes")]
    fn ids_chosen_to_collide_under_a_known_seed_do_not_collide() {
        let known = foldhash::fast::FixedState::with_seed(0x5eed);
        let is_low = |code: u64| code as usize & 0x3ffff < 0x1000;
        let all = (0..640_000).map(|number| format!("d{number}"));
        let chosen: Vec<String> = all.filter(|id| is_low(known.hash_one(id.as_bytes()))).collect();
        assert!(chosen.len() > 5_000);
        let still = chosen.iter().filter(|id| is_low(hash(id.as_bytes()))).count();
        // One in 64 by chance.
        assert!(still < chosen.len() / 16, "{still} of {}", chosen.len());
    }
}
