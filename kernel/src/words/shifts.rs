//! How many edits turn one text into another, where moving some adjacent words is one edit: the search of Tercom as
//! sacrebleu does it, with the same limits, so that it finds the same number.
//!
//! Snover et al., A study of translation edit rate with targeted human annotation, AMTA 2006. As long as a move lowers the
//! edit distance, the best one is made. A distance is computed near the diagonal only. All moves keep the length of the
//! text, so a moved text has the rows of the text before it up to the first word that differs.

use crate::fault::Fault;
use crate::memory::{Grow, Lack};
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// The most words that are moved at once, how far, how many moves are tried, and the width of the diagonal.
const LONGEST: usize = 10;
const FARTHEST: usize = 50;
const MOST_MOVES: usize = 1000;
const BEAM: usize = 25;
/// The cost of what is too far from the diagonal.
const FAR: u32 = u32::MAX / 2;

/// How a cell of the matrix was reached.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Step {
    #[default]
    Unknown,
    Keep,
    Replace,
    /// A word of the text is left out.
    Delete,
    /// A word of the other text is put in.
    Insert,
}

/// A move: its worth, and what of equal ones is preferred. The order of the fields is that of the preference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Move {
    gain: i64,
    length: usize,
    before_start: std::cmp::Reverse<usize>,
    before_target: std::cmp::Reverse<usize>,
}

#[derive(Default)]
pub struct Shifts {
    words: Vec<u32>,
    moved: Vec<u32>,
    /// The matrix of `words`, row by row, and how its cells were reached.
    costs: Vec<u32>,
    steps: Vec<Step>,
    /// The row before, and the row, of a moved text.
    rows: (Vec<u32>, Vec<u32>),
    /// For each word of the other text, the place of `words` that it is aligned with, plus one.
    aligned: Vec<usize>,
    /// The words of each text that are not kept, up to each place.
    wrong: Vec<u32>,
    other_wrong: Vec<u32>,
}

/// What two texts of these lengths have in common: the range of columns that are computed in each row.
#[derive(Clone, Copy)]
struct Diagonal {
    rows: usize,
    columns: usize,
    ratio: f64,
    beam: usize,
}

impl Diagonal {
    fn new(rows: usize, columns: usize) -> Self {
        let ratio = if rows == 0 { 1.0 } else { columns as f64 / rows as f64 };
        let half = ratio / 2.0;
        let beam = if (BEAM as f64) < half { (half + BEAM as f64).ceil() as usize } else { BEAM };
        Self { rows, columns, ratio, beam }
    }

    fn range(&self, row: usize) -> Range<usize> {
        let middle = (row as f64 * self.ratio).floor() as usize;
        let end = if row == self.rows { self.columns + 1 } else { middle + self.beam };
        middle.saturating_sub(self.beam)..end.min(self.columns + 1)
    }
}

impl Shifts {
    /// The edits that turn `given` into `right`; nothing if the diagonal does not reach from one end to the other.
    pub fn edits(&mut self, given: &[u32], right: &[u32], stop: &AtomicBool) -> Result<Option<i64>, Fault> {
        if right.is_empty() {
            return Ok(Some(given.len() as i64));
        }
        self.words.clear();
        self.words.add_all(given)?;
        let diagonal = Diagonal::new(given.len(), right.len());
        let (mut shifts, mut tried) = (0, 0);
        loop {
            Fault::if_stopped(stop)?;
            self.fill(right, diagonal)?;
            let Some(()) = self.align(diagonal)? else { return Ok(None) };
            let best = self.best_move(right, diagonal, &mut tried, stop)?;
            let Some(best) = best.filter(|best| tried < MOST_MOVES && best.gain > 0) else { break };
            self.shift(best.before_start.0, best.length, best.before_target.0)?;
            std::mem::swap(&mut self.words, &mut self.moved);
            shifts += 1;
        }
        Ok(Some(shifts + i64::from(self.distance(diagonal))))
    }

    fn distance(&self, diagonal: Diagonal) -> u32 {
        self.costs[diagonal.rows * (diagonal.columns + 1) + diagonal.columns]
    }

    /// The matrix of `words`.
    fn fill(&mut self, right: &[u32], diagonal: Diagonal) -> Result<(), Lack> {
        let width = diagonal.columns + 1;
        self.costs.clear();
        self.steps.clear();
        self.costs.fill(width * (diagonal.rows + 1), FAR)?;
        self.steps.fill(width * (diagonal.rows + 1), Step::Unknown)?;
        for column in 0..width {
            (self.costs[column], self.steps[column]) = (column as u32, Step::Insert);
        }
        for row in 1..=diagonal.rows {
            let (before, after) = self.costs.split_at_mut(row * width);
            let above = &before[(row - 1) * width..];
            let steps = &mut self.steps[row * width..(row + 1) * width];
            fill_row(
                self.words[row - 1],
                right,
                above,
                &mut after[..width],
                diagonal.range(row),
                |column, step| {
                    steps[column] = step;
                },
            );
        }
        Ok(())
    }

    /// Follows the steps back, to know which words are aligned and which are wrong; nothing if they do not lead back.
    fn align(&mut self, diagonal: Diagonal) -> Result<Option<()>, Lack> {
        for list in [&mut self.wrong, &mut self.other_wrong] {
            list.clear();
        }
        self.wrong.fill(diagonal.rows + 1, 0)?;
        self.other_wrong.fill(diagonal.columns + 1, 0)?;
        self.aligned.clear();
        self.aligned.fill(diagonal.columns, 0)?;
        let (mut row, mut column) = (diagonal.rows, diagonal.columns);
        while row > 0 || column > 0 {
            let step = self.steps[row * (diagonal.columns + 1) + column];
            if step == Step::Unknown {
                return Ok(None);
            }
            // A word that is put in is aligned with the last one before it.
            if step != Step::Delete {
                self.aligned[column - 1] = row;
                self.other_wrong[column] = u32::from(step != Step::Keep);
            }
            if step != Step::Insert {
                self.wrong[row] = u32::from(step != Step::Keep);
            }
            row -= usize::from(step != Step::Insert);
            column -= usize::from(step != Step::Delete);
        }
        for list in [&mut self.wrong, &mut self.other_wrong] {
            for place in 1..list.len() {
                list[place] += list[place - 1];
            }
        }
        Ok(Some(()))
    }

    /// The best of the moves of words that both texts have, if there is any; counts those that were tried.
    fn best_move(
        &mut self,
        right: &[u32],
        diagonal: Diagonal,
        tried: &mut usize,
        stop: &AtomicBool,
    ) -> Result<Option<Move>, Fault> {
        let mut best = None;
        for start in 0..self.words.len() {
            Fault::if_stopped(stop)?;
            let near = start.saturating_sub(FARTHEST)..right.len().min(start + FARTHEST + 1);
            for other in near {
                for length in 1..=LONGEST {
                    let (last, other_last) = (start + length - 1, other + length - 1);
                    let is_same =
                        self.words.get(last).is_some_and(|word| right.get(other_last) == Some(word));
                    if !is_same {
                        break;
                    }
                    if self.is_worth(start, other, length) {
                        self.try_targets((start, other, length), right, diagonal, tried, &mut best)?;
                        if *tried >= MOST_MOVES {
                            return Ok(best);
                        }
                    }
                }
            }
        }
        Ok(best)
    }

    /// Whether some of these words are wrong in both texts, and are not aligned with each other.
    fn is_worth(&self, start: usize, other: usize, length: usize) -> bool {
        self.wrong[start + length] > self.wrong[start]
            && self.other_wrong[other + length] > self.other_wrong[other]
            && !(start + 1..=start + length).contains(&self.aligned[other])
    }

    /// Tries to move words to each place that the other text suggests.
    fn try_targets(
        &mut self,
        (start, other, length): (usize, usize, usize),
        right: &[u32],
        diagonal: Diagonal,
        tried: &mut usize,
        best: &mut Option<Move>,
    ) -> Result<(), Lack> {
        let mut before = None;
        for place in other..=other + length {
            // The place after the word that the one before is aligned with.
            let target = if place == 0 { 0 } else { self.aligned[place - 1] };
            if before == Some(target) {
                continue;
            }
            before = Some(target);
            let first = self.shift(start, length, target)?;
            let moved = self.moved_distance(first, right, diagonal)?;
            let found = Move {
                gain: i64::from(self.distance(diagonal)) - i64::from(moved),
                length,
                before_start: std::cmp::Reverse(start),
                before_target: std::cmp::Reverse(target),
            };
            *tried += 1;
            *best = Some(best.map_or(found, |best| best.max(found)));
        }
        Ok(())
    }

    /// Writes the words with some of them moved to `moved`; the first place at which both may differ.
    fn shift(&mut self, start: usize, length: usize, target: usize) -> Result<usize, Lack> {
        let words = &self.words;
        let end = start + length;
        // A target inside of what is moved is so many words after its start.
        let to = if target >= start && target <= end { (target + length).min(words.len()) } else { target };
        self.moved.clear();
        if to < start {
            for part in [&words[..to], &words[start..end], &words[to..start], &words[end..]] {
                self.moved.add_all(part)?;
            }
        } else {
            for part in [&words[..start], &words[end..to], &words[start..end], &words[to..]] {
                self.moved.add_all(part)?;
            }
        }
        Ok(start.min(to))
    }

    /// The distance of `moved`, which is like `words` up to `first`.
    fn moved_distance(&mut self, first: usize, right: &[u32], diagonal: Diagonal) -> Result<u32, Lack> {
        let width = diagonal.columns + 1;
        let (above, below) = (&mut self.rows.0, &mut self.rows.1);
        above.clear();
        above.add_all(&self.costs[first * width..(first + 1) * width])?;
        below.clear();
        below.fill(width, FAR)?;
        for row in first + 1..=diagonal.rows {
            below[..].fill(FAR);
            fill_row(self.moved[row - 1], right, above, below, diagonal.range(row), |_, _| {});
            std::mem::swap(above, below);
        }
        Ok(above[diagonal.columns])
    }
}

/// A row of the matrix from the one above. Of equal costs, keeping or replacing a word is preferred, then deleting one.
#[inline]
fn fill_row(
    word: u32,
    right: &[u32],
    above: &[u32],
    row: &mut [u32],
    columns: Range<usize>,
    mut note: impl FnMut(usize, Step),
) {
    for column in columns {
        let Some(before) = column.checked_sub(1) else {
            row[0] = above[0] + 1;
            note(0, Step::Delete);
            continue;
        };
        let is_same = right[before] == word;
        let mut best = (FAR, Step::Unknown);
        let (keep, kept) = if is_same { (0, Step::Keep) } else { (1, Step::Replace) };
        for (cost, step) in
            [(above[before] + keep, kept), (above[column] + 1, Step::Delete), (row[before] + 1, Step::Insert)]
        {
            if best.0 > cost {
                best = (cost, step);
            }
        }
        row[column] = best.0;
        note(column, best.1);
    }
}
