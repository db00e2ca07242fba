//! Judgments or rankings as compact columns: query, document, value, and a group where the data has one.

use crate::rank::Documents;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::LazyLock;

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
    STATE.hash_one(id)
}

/// Distinct names in order of first appearance.
#[derive(Debug, Clone, Default)]
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
    pub fn add(&mut self, name: &[u8]) -> u32 {
        if let Some(index) = self.find(name) {
            return index;
        }
        let index = self.spans.len() as u32;
        let start = self.text.len();
        self.text.extend_from_slice(name);
        self.spans.push(Span { start, end: self.text.len() });
        let (text, spans) = (&self.text, &self.spans);
        self.table.insert_unique(hash(name), index, |&other| hash(spans[other as usize].of(text)));
        index
    }
}

/// Rows grouped by query, in input order inside each.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    pub queries: Names,
    /// Row numbers: query `q` has rows `starts[q]..starts[q + 1]`.
    pub starts: Vec<usize>,
    /// Whether a query's documents were given as an order, without values.
    pub ordered: Vec<bool>,
    pub text: Vec<u8>,
    pub documents: Vec<Span>,
    pub values: Vec<f64>,
    /// One a row, or empty where the data has no groups.
    pub groups: Vec<u32>,
    pub group_names: Names,
    pub tag: Vec<u8>,
}

impl Rows {
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
    row_queries: Vec<u32>,
    current: Option<u32>,
    /// The order of each query's rows, where it was asked for.
    orders: Vec<Order>,
}

impl RowsBuilder {
    /// Makes `name` the query of the rows that follow and says whether it was there before.
    pub fn query(&mut self, name: &[u8]) -> bool {
        if let Some(current) = self.current
            && self.rows.queries.name(current as usize) == name
        {
            return true;
        }
        let known = self.rows.queries.len();
        let index = self.rows.queries.add(name);
        self.current = Some(index);
        if (index as usize) < known {
            return true;
        }
        self.rows.ordered.push(false);
        false
    }

    pub fn set_ordered(&mut self) {
        if let Some(flag) = self.current.and_then(|query| self.rows.ordered.get_mut(query as usize)) {
            *flag = true;
        }
    }

    /// What the rows of the current query say about its order.
    pub fn order(&mut self) -> &mut Order {
        let query = self.current.unwrap_or_default() as usize;
        if self.orders.len() <= query {
            self.orders.resize(query + 1, Order::default());
        }
        &mut self.orders[query]
    }

    pub fn row(&mut self, document: &[u8], value: f64) {
        let start = self.rows.text.len();
        self.rows.text.extend_from_slice(document);
        self.rows.documents.push(Span { start, end: self.rows.text.len() });
        self.rows.values.push(value);
        self.row_queries.push(self.current.unwrap_or_default());
    }

    /// Names the group of the row added last. Either every row gets one or none does.
    pub fn group(&mut self, name: &[u8]) {
        let group = self.rows.group_names.add(name);
        self.rows.groups.push(group);
    }

    pub fn tag(&mut self, tag: &[u8]) {
        if self.rows.tag != tag {
            self.rows.tag = tag.to_vec();
        }
    }

    pub fn rows_so_far(&self) -> usize {
        self.row_queries.len()
    }

    /// Forgets a group that all rows share: a column that says nothing.
    pub fn drop_single_group(&mut self) {
        if self.rows.group_names.len() < 2 {
            self.rows.groups = Vec::new();
            self.rows.group_names = Names::default();
        }
    }

    /// The rows, grouped by query.
    pub fn finish(mut self) -> Rows {
        let mut starts = vec![0usize; self.rows.queries.len() + 1];
        for &query in &self.row_queries {
            starts[query as usize + 1] += 1;
        }
        for query in 1..starts.len() {
            starts[query] += starts[query - 1];
        }
        if !self.row_queries.is_sorted() {
            let mut next = starts.clone();
            let mut places = Vec::with_capacity(self.row_queries.len());
            for &query in &self.row_queries {
                places.push(next[query as usize]);
                next[query as usize] += 1;
            }
            self.rows.documents = scatter(&self.rows.documents, &places, Span { start: 0, end: 0 });
            self.rows.values = scatter(&self.rows.values, &places, 0.0);
            if !self.rows.groups.is_empty() {
                self.rows.groups = scatter(&self.rows.groups, &places, 0);
            }
        }
        self.rows.starts = starts;
        self.rows
    }
}

fn scatter<T: Copy>(values: &[T], places: &[usize], fill: T) -> Vec<T> {
    let mut moved = vec![fill; values.len()];
    for (&value, &place) in values.iter().zip(places) {
        moved[place] = value;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_order_falls_and_is_not_mixed_with_scores() {
        let fits = |rows: &[Option<f64>]| {
            let mut order = Order::default();
            rows.iter().map(|&row| order.goes_on(row)).collect::<Vec<_>>()
        };
        assert_eq!(fits(&[Some(3.0), Some(2.0), Some(-1.0)]), [true, true, true]);
        assert_eq!(fits(&[None, None]), [true, true]);
        assert_eq!(fits(&[Some(3.0), Some(3.0)]), [true, false]);
        assert_eq!(fits(&[Some(3.0), None]), [true, false]);
        assert_eq!(fits(&[None, Some(3.0)]), [true, false]);
    }

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

    #[test]
    fn names_are_distinct_and_keep_their_order() {
        let mut names = Names::default();
        assert_eq!((names.add(b"b"), names.add(b"a"), names.add(b"b")), (0, 1, 0));
        assert_eq!(names.find(b"a"), Some(1));
        assert_eq!(names.find(b"c"), None);
        assert_eq!(names.iter().collect::<Vec<_>>(), [b"b", b"a"]);
    }

    #[test]
    fn scattered_rows_are_grouped_in_input_order() {
        let mut builder = RowsBuilder::default();
        for (query, document, value) in [("q1", "a", 1.0), ("q2", "b", 2.0), ("q1", "c", 3.0)] {
            builder.query(query.as_bytes());
            builder.row(document.as_bytes(), value);
        }
        let rows = builder.finish();
        assert_eq!(rows.starts, [0, 2, 3]);
        assert_eq!(rows.document(1), b"c");
        assert_eq!(rows.values, [1.0, 3.0, 2.0]);
    }

    #[test]
    fn one_group_for_all_is_no_group() {
        let mut builder = RowsBuilder::default();
        builder.query(b"q1");
        builder.row(b"a", 1.0);
        builder.group(b"0");
        builder.drop_single_group();
        assert!(builder.finish().groups.is_empty());
    }
}
