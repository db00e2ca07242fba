//! Sums of rows of numbers over many samples, as resampling tests need them.
//!
//! A sample chooses rows by bits, or draws them by number, any of them several times. The result has one entry per
//! sample for the first column, then for the second, and so on. Where sums are exact, as assay's are, their order and
//! the number of threads do not matter.
//!
//! The sums of every choice among four rows are worked out first, so that a sample takes one addition for the four.

use crate::draws::Draws;
use crate::fault::{Fault, Kind};
use crate::memory::{Grow, THREAD, filled, has_memory, number};
use crate::text::lanes::{Lanes, Level, Task};
use std::sync::atomic::AtomicBool;
use std::thread::Builder;

/// Columns that are summed together.
const LANES: usize = 8;
/// Samples that are summed together: their sums, and a line of their bits, stay in the cache.
const BLOCK: usize = 2048;
/// Bytes of each sample that are looked at together: the sums of their choices stay in the nearest cache.
const BYTES: usize = 8;

type Lane = [f64; LANES];
/// The sum of every choice among four rows.
type Choices = [Lane; 16];

/// Rows of numbers, their columns in groups of `LANES`; the last group is filled with zeros.
pub struct Table {
    columns: usize,
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

    fn groups(&self) -> impl Iterator<Item = &[Lane]> {
        self.lanes.chunks_exact(self.rows.max(1))
    }

    /// The sums of the rows that the bits of each sample choose; a sample has `width` bytes, its highest bit first.
    pub fn chosen(
        &self,
        bits: &[u8],
        width: usize,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<f64>, Fault> {
        self.shared_out(bits, width, threads, |rows, bits, sums| {
            for (bits, sums) in bits.chunks(BLOCK * width).zip(sums.chunks_mut(BLOCK)) {
                Fault::if_stopped(stop)?;
                Lanes::best().run(AddChosen { rows, bits, width, sums });
            }
            Ok(())
        })
    }

    /// The sums of so many samples, each of as many rows as there are, drawn with replacement.
    pub fn resampled(
        &self,
        draws: &mut Draws,
        samples: usize,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<f64>, Fault> {
        let rows = number(self.rows)?;
        if rows == 0 {
            return Ok(filled(samples * self.columns, 0.0)?);
        }
        let drawn = draws.many(rows, samples * self.rows)?;
        self.drawn(&drawn, self.rows, threads, stop)
    }

    /// The sums of the rows that each sample draws, `width` of them by number.
    fn drawn(
        &self,
        draws: &[u32],
        width: usize,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<f64>, Fault> {
        self.shared_out(draws, width, threads, |rows, draws, sums| {
            for (draws, sum) in draws.chunks_exact(width).zip(sums) {
                Fault::if_stopped(stop)?;
                add_drawn(rows, draws, sum)?;
            }
            Ok(())
        })
    }

    /// Calls `add` with the rows of each group of columns, some samples, and where their sums go, on several threads.
    fn shared_out<T: Sync>(
        &self,
        samples: &[T],
        width: usize,
        threads: usize,
        add: impl Fn(&[Lane], &[T], &mut [Lane]) -> Result<(), Fault> + Sync,
    ) -> Result<Vec<f64>, Fault> {
        if width == 0 || !samples.len().is_multiple_of(width) {
            return Err(Fault::format(format!("{} entries are not samples of {width}", samples.len())));
        }
        let count = samples.len() / width;
        let work = &|share: &[T]| {
            let size = share.len() / width;
            let mut sums = filled(size * self.columns.div_ceil(LANES), [0.0; LANES])?;
            for (rows, sums) in self.groups().zip(sums.chunks_mut(size.max(1))) {
                add(rows, share, sums)?;
            }
            Ok(sums)
        };
        let share = count.div_ceil(threads.max(1)).max(1) * width;
        let parts = on_threads(samples.chunks(share), work)?;
        self.in_columns(&parts, count)
    }

    /// The sums of all shares, column after column.
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

/// What `work` makes of each share, the first on this thread. A share whose thread cannot be started is done here too.
fn on_threads<'a, T: Sync + 'a, R: Send>(
    mut shares: impl Iterator<Item = &'a [T]>,
    work: &(impl Fn(&[T]) -> Result<R, Fault> + Sync),
) -> Result<Vec<R>, Fault> {
    let Some(first) = shares.next() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let start = |share: &'a [T]| match has_memory(THREAD) {
            true => Builder::new().spawn_scoped(scope, move || work(share)).map_err(|_| share),
            false => Err(share),
        };
        let workers: Vec<_> = shares.map(start).collect();
        let first = work(first);
        let lost =
            |_| Err(Fault::new(Kind::Format, "summing stopped for a reason unknown; please report it"));
        let others = workers.into_iter().map(|worker| match worker {
            Ok(worker) => worker.join().unwrap_or_else(lost),
            Err(share) => work(share),
        });
        std::iter::once(first).chain(others).collect::<Vec<_>>().into_iter().collect()
    })
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
fn add(sum: &mut Lane, more: &Lane) {
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

/// Adds the rows with these numbers to a sum.
fn add_drawn(rows: &[Lane], draws: &[u32], sum: &mut Lane) -> Result<(), Fault> {
    let mut total = *sum;
    for &draw in draws {
        let Some(row) = rows.get(draw as usize) else {
            return Err(Fault::format(format!("row {draw} was drawn of {}", rows.len())));
        };
        add(&mut total, row);
    }
    *sum = total;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers that look random, as bytes.
    fn noise(count: usize) -> Vec<u8> {
        let step = |state: &mut u32| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Some((*state >> 24) as u8)
        };
        std::iter::repeat_n((), count).scan(7, |state, ()| step(state)).collect()
    }

    fn values(rows: usize, columns: usize) -> Vec<f64> {
        noise(rows * columns).into_iter().map(|byte| f64::from(byte) - 100.0).collect()
    }

    fn is_chosen(sample: &[u8], row: usize) -> bool {
        sample[row / 8] >> (7 - row % 8) & 1 == 1
    }

    #[test]
    fn bits_choose_rows() {
        let stop = AtomicBool::new(false);
        for (rows, columns, samples) in
            [(1, 1, 1), (8, 2, 3), (9, 8, 5), (17, 9, 50), (40, 17, 2100), (3, 3, 0)]
        {
            let (values, width) = (values(rows, columns), rows.div_ceil(8));
            let bits = noise(samples * width);
            let sum = |column: usize, sample: &[u8]| -> f64 {
                let chosen = (0..rows).filter(|&row| is_chosen(sample, row));
                chosen.map(|row| values[row * columns + column]).sum()
            };
            let expected: Vec<f64> = (0..columns)
                .flat_map(|column| bits.chunks_exact(width).map(move |sample| (column, sample)))
                .map(|(column, sample)| sum(column, sample))
                .collect();
            let table = Table::new(&values, columns).unwrap();
            for threads in 1..4 {
                assert_eq!(table.chosen(&bits, width, threads, &stop).unwrap(), expected);
            }
        }
    }

    #[test]
    fn rows_are_drawn_by_number() {
        let stop = AtomicBool::new(false);
        let values = values(5, 9);
        let draws: Vec<u32> = noise(7 * 5).into_iter().map(|byte| u32::from(byte) % 5).collect();
        let expected: Vec<f64> = (0..9)
            .flat_map(|column| draws.chunks_exact(5).map(move |sample| (column, sample)))
            .map(|(column, sample)| sample.iter().map(|&row| values[row as usize * 9 + column]).sum())
            .collect();
        let table = Table::new(&values, 9).unwrap();
        for threads in 1..4 {
            assert_eq!(table.drawn(&draws, 5, threads, &stop).unwrap(), expected);
        }
        let fault = table.drawn(&[0, 5, 0, 0, 0], 5, 1, &stop).unwrap_err();
        assert_eq!(fault.message, "row 5 was drawn of 5");
    }

    #[test]
    fn samples_are_drawn_one_after_the_other() {
        let stop = AtomicBool::new(false);
        let table = Table::new(&[1.0, 10.0, 100.0], 1).unwrap();
        let expected = table.drawn(&Draws::new(&[3]).many(3, 12).unwrap(), 3, 1, &stop).unwrap();
        let mut draws = Draws::new(&[3]);
        let first = table.resampled(&mut draws, 3, 2, &stop).unwrap();
        let last = table.resampled(&mut draws, 1, 1, &stop).unwrap();
        assert_eq!([first, last].concat(), expected);
        assert_eq!(Table::new(&[], 2).unwrap().resampled(&mut draws, 2, 1, &stop).unwrap(), [0.0; 4]);
    }

    #[test]
    fn samples_have_one_width() {
        let stop = AtomicBool::new(false);
        let table = Table::new(&[1.0], 1).unwrap();
        for width in [0, 2] {
            let fault = table.chosen(&[1, 2, 3], width, 1, &stop).unwrap_err();
            assert_eq!(fault.message, format!("3 entries are not samples of {width}"));
        }
    }

    #[test]
    fn work_that_is_told_to_stop_ends() {
        let stop = AtomicBool::new(true);
        let table = Table::new(&[1.0], 1).unwrap();
        assert_eq!(table.chosen(&[255], 1, 2, &stop).unwrap_err().kind, Kind::Interrupted);
        assert_eq!(table.drawn(&[0], 1, 2, &stop).unwrap_err().kind, Kind::Interrupted);
    }
}
