//! How many samples reach what was observed, for many tests that share their samples.
//!
//! A test looks at half of a signed sum: that of one column of a table, or that of the difference between two. The sums
//! of a few samples at a time stay in the cache while all tests look at them.

use crate::fault::Fault;
use crate::memory::{Grow, filled, number};
use crate::parallel::on_shares;
use crate::read::lanes::{Lanes, Level, Task};
use crate::stats::sums::{BLOCK, LANES, Lane, Table};
use std::sync::atomic::AtomicBool;

/// Samples that a test looks at before the next one does.
const TILE: usize = 256;

/// Half of the signed sum of the column `plus`, less that of `minus`, reaches what was observed from `most` on, does not
/// below `least`, and leaves it open between them.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    pub plus: u32,
    pub minus: Option<u32>,
    pub least: f64,
    pub most: f64,
}

/// How many samples reach each test, and which tests and samples are open.
#[derive(Debug, Default, PartialEq)]
pub struct Reached {
    pub counts: Vec<u64>,
    pub open: Vec<[u32; 2]>,
}

impl Table {
    /// What the samples, each of `width` bytes whose bits choose the rows with a turned sign, come to for each test.
    pub fn reached(
        &self,
        bits: &[u8],
        width: usize,
        tests: &[Test],
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Reached, Fault> {
        self.check_samples(bits, width)?;
        let columns = tests.iter().flat_map(|test| [Some(test.plus), test.minus]).flatten();
        if let Some(column) = columns.max().filter(|&column| column as usize >= self.columns) {
            return Err(Fault::format(format!("there is no column {column}")));
        }
        let samples = bits.len() / width;
        number(samples)?;
        let share = samples.div_ceil(threads.max(1)).max(1) * width;
        let halves = self.halves();
        let parts = on_shares(bits.chunks(share), &|share: &[u8]| {
            // The samples of a share are numbered from its first.
            let mut reached = Reached { counts: filled(tests.len(), 0)?, open: Vec::new() };
            for (block, bits) in share.chunks(BLOCK * width).enumerate() {
                Fault::if_stopped(stop)?;
                let centred = self.centred(bits, width, &halves)?;
                reached.add(tests, &centred, bits.len() / width, (block * BLOCK) as u32)?;
            }
            Ok(reached)
        })?;
        Reached::together(parts, tests.len(), (share / width) as u32)
    }

    /// Half of the sum of each column.
    fn halves(&self) -> Vec<Lane> {
        let sum = |rows: &[Lane]| {
            let mut sum = [0.0; LANES];
            for row in rows {
                crate::stats::sums::add(&mut sum, row);
            }
            sum.map(|sum| sum / 2.0)
        };
        self.groups().map(sum).collect()
    }

    /// Half of the signed sum of each column over each of some samples, with its sign turned, column after column.
    fn centred(&self, bits: &[u8], width: usize, halves: &[Lane]) -> Result<Vec<f64>, Fault> {
        let samples = bits.len() / width;
        let mut centred = filled(halves.len() * LANES * samples, 0.0)?;
        let mut sums = filled(samples, [0.0; LANES])?;
        for ((rows, halves), columns) in
            self.groups().zip(halves).zip(centred.chunks_exact_mut((LANES * samples).max(1)))
        {
            sums.fill_with(|| [0.0; LANES]);
            self.add_chosen(rows, bits, width, &mut sums);
            for ((place, half), column) in halves.iter().enumerate().zip(columns.chunks_exact_mut(samples)) {
                for (centred, sum) in column.iter_mut().zip(&sums) {
                    *centred = sum[place] - half;
                }
            }
        }
        Ok(centred)
    }
}

impl Reached {
    /// Adds samples by their halves, column after column; `first` is the number of the first sample.
    fn add(&mut self, tests: &[Test], centred: &[f64], samples: usize, first: u32) -> Result<(), Fault> {
        for start in (0..samples).step_by(TILE) {
            let tile = start..samples.min(start + TILE);
            let column = |number: u32| &centred[number as usize * samples..][tile.clone()];
            for ((test, count), place) in tests.iter().zip(&mut self.counts).zip(0..) {
                let (plus, minus) = (column(test.plus), test.minus.map(column));
                let [sure, possible] = Lanes::best().run(Count { plus, minus, test });
                *count += sure;
                if possible > sure {
                    let open = (0..).zip(plus).filter(|&(sample, &plus)| {
                        let half = minus.map_or(plus, |minus| plus - minus[sample as usize]).abs();
                        half >= test.least && half < test.most
                    });
                    self.open
                        .add_each(open.map(|(sample, _): (u32, _)| [place, first + start as u32 + sample]))?;
                }
            }
        }
        Ok(())
    }

    /// What all shares found, each of so many samples.
    fn together(parts: Vec<Self>, tests: usize, share: u32) -> Result<Self, Fault> {
        let mut all = Self { counts: filled(tests, 0)?, open: Vec::new() };
        for (part, first) in parts.into_iter().zip((0..).step_by(share.max(1) as usize)) {
            for (count, more) in all.counts.iter_mut().zip(part.counts) {
                *count += more;
            }
            all.open.add_each(part.open.into_iter().map(|[test, sample]| [test, first + sample]))?;
        }
        Ok(all)
    }
}

/// Counts the samples that reach a test for sure, and those that possibly do.
struct Count<'a> {
    plus: &'a [f64],
    minus: Option<&'a [f64]>,
    test: &'a Test,
}

impl Task for Count<'_> {
    type Output = [u64; 2];

    #[inline(always)]
    fn run(self, _: impl Level) -> [u64; 2] {
        let Test { least, most, .. } = *self.test;
        let (mut sure, mut possible) = (0, 0);
        let mut count = |half: f64| {
            sure += u64::from(half.abs() >= most);
            possible += u64::from(half.abs() >= least);
        };
        match self.minus {
            None => self.plus.iter().for_each(|&plus| count(plus)),
            Some(minus) => self.plus.iter().zip(minus).for_each(|(plus, minus)| count(plus - minus)),
        }
        [sure, possible]
    }
}
