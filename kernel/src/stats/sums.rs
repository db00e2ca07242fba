//! Sums of rows of numbers over many samples, as resampling tests need them.
//!
//! A sample chooses rows by bits, or by their numbers, any of them several times. Where sums are exact, as assay's
//! are, their order and the number of threads do not matter.
//!
//! The sums of every choice among four rows are worked out first, so that a sample takes one addition for the four.

use crate::fault::Fault;
use crate::memory::{Grow, filled};
use crate::parallel::on_shares;
use crate::read::lanes::{Lanes, Level, Task};
use std::sync::atomic::AtomicBool;

/// Columns that are summed together.
pub const LANES: usize = 8;
/// Samples that are summed together: their sums, and a line of their bits, stay in the cache.
pub const BLOCK: usize = 2048;
/// Bytes of each sample that are looked at together: the sums of their choices stay in the nearest cache.
const BYTES: usize = 8;

pub type Lane = [f64; LANES];
/// The sum of every choice among four rows.
type Choices = [Lane; 16];

/// Rows of numbers, their columns in groups of `LANES`; the last group is filled with zeros.
pub struct Table {
    pub columns: usize,
    rows: usize,
    lanes: Vec<Lane>,
}

impl Table {
    /// The table of `values`, row after row.
    pub fn new(values: &[f64], columns: usize) -> Result<Self, Fault> {
        let rows = values.len() / columns.max(1);
        let mut lanes = filled(rows * columns.div_ceil(LANES), [0.0; LANES])?;
        for (row, numbers) in values.chunks_exact(columns.max(1)).enumerate() {
            for (column, number) in numbers.iter().enumerate() {
                lanes[column / LANES * rows + row][column % LANES] = *number;
            }
        }
        Ok(Self { columns, rows, lanes })
    }

    pub fn groups(&self) -> impl Iterator<Item = &[Lane]> {
        self.lanes.chunks_exact(self.rows.max(1))
    }

    /// Adds to each sum those of the rows of a group that the bits of its sample choose.
    pub fn add_chosen(&self, rows: &[Lane], bits: &[u8], width: usize, sums: &mut [Lane]) {
        Lanes::best().run(AddChosen { rows, bits, width, sums });
    }

    /// An error unless these are samples of so many entries.
    pub fn check_samples(&self, samples: &[u8], width: usize) -> Result<(), Fault> {
        if width == 0 || !samples.len().is_multiple_of(width) {
            return Err(Fault::format(format!("{} entries are not samples of {width}", samples.len())));
        }
        Ok(())
    }

    /// The sums of samples, column after column; each draws as many rows as there are, by number.
    pub fn drawn(&self, draws: &[u32], threads: usize, stop: &AtomicBool) -> Result<Vec<f64>, Fault> {
        if !draws.len().is_multiple_of(self.rows.max(1)) {
            return Err(Fault::format(format!("{} draws are not samples of {}", draws.len(), self.rows)));
        }
        let samples = draws.len() / self.rows.max(1);
        let share = samples.div_ceil(threads.max(1)).max(1) * self.rows.max(1);
        let parts = on_shares(draws.chunks(share), &|share: &[u32]| {
            let mut sums = filled(0, [0.0; LANES])?;
            sums.room(share.len() / self.rows * self.columns.div_ceil(LANES))?;
            for rows in self.groups() {
                for draws in share.chunks_exact(self.rows) {
                    Fault::if_stopped(stop)?;
                    if let Some(draw) = draws.iter().find(|&&draw| draw as usize >= self.rows) {
                        return Err(Fault::format(format!("row {draw} was drawn of {}", self.rows)));
                    }
                    sums.push(Lanes::best().run(SumDrawn { rows, draws }));
                }
            }
            Ok(sums)
        })?;
        self.in_columns(&parts, samples)
    }

    /// The sums of all parts, column after column.
    fn in_columns(&self, parts: &[Vec<Lane>], count: usize) -> Result<Vec<f64>, Fault> {
        let groups = self.columns.div_ceil(LANES).max(1);
        let mut sums = Vec::new();
        sums.room(self.columns * count)?;
        for column in 0..self.columns {
            for part in parts {
                let size = part.len() / groups;
                let own = &part[column / LANES * size..][..size];
                sums.add_each(own.iter().map(|lane| lane[column % LANES]))?;
            }
        }
        Ok(sums)
    }
}

/// Adds to each sum the rows that the bits of its sample choose.
struct AddChosen<'a> {
    rows: &'a [Lane],
    bits: &'a [u8],
    width: usize,
    sums: &'a mut [Lane],
}

impl Task for AddChosen<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Level) {
        let Self { rows, bits, width, sums } = self;
        for start in (0..width).step_by(BYTES) {
            let end = width.min(start + BYTES);
            let choices: [[Choices; 2]; BYTES] = std::array::from_fn(|byte| {
                [0, 4].map(|half| sums_of_choices(rows.get((start + byte) * 8 + half..).unwrap_or_default()))
            });
            for (sample, sum) in bits.chunks_exact(width).zip(&mut *sums) {
                // Two sums side by side, so that an addition need not wait for the one before.
                let (mut left, mut right) = (*sum, [0.0; LANES]);
                for (byte, [high, low]) in sample[start..end].iter().zip(&choices) {
                    add(&mut left, &high[usize::from(byte >> 4)]);
                    add(&mut right, &low[usize::from(byte & 15)]);
                }
                add(&mut left, &right);
                *sum = left;
            }
        }
    }
}

#[inline(always)]
pub fn add(sum: &mut Lane, more: &Lane) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

/// The sum of every choice among the first four rows, or as many as there are; the highest bit chooses the first.
#[inline(always)]
fn sums_of_choices(rows: &[Lane]) -> Choices {
    let mut sums = [[0.0; LANES]; 16];
    for choice in 1..16_usize {
        // The same choice without its last row is a smaller number.
        sums[choice] = sums[choice & (choice - 1)];
        if let Some(row) = rows.get(3 - choice.trailing_zeros() as usize) {
            add(&mut sums[choice], row);
        }
    }
    sums
}

/// The sum of the rows with these numbers.
struct SumDrawn<'a> {
    rows: &'a [Lane],
    draws: &'a [u32],
}

impl Task for SumDrawn<'_> {
    type Output = Lane;

    #[inline(always)]
    fn run(self, _: impl Level) -> Lane {
        // Two sums side by side, so that an addition need not wait for the one before.
        let (mut left, mut right) = ([0.0; LANES], [0.0; LANES]);
        let (pairs, rest) = self.draws.as_chunks();
        for &[one, other] in pairs {
            add(&mut left, &self.rows[one as usize]);
            add(&mut right, &self.rows[other as usize]);
        }
        for &draw in rest {
            add(&mut left, &self.rows[draw as usize]);
        }
        add(&mut left, &right);
        left
    }
}
