//! What an interval of a difference needs to know of its estimates, for many pairs of lists: bounds, quantiles, skewness.
//!
//! The estimates are the numbers of the second list less those of the first, which are all finite.

use crate::fault::Fault;
use crate::read::lanes::{Lanes, Level, Task};
use crate::stats::differences::{Lists, bounds_of, pairwise};
use std::cmp::Ordering;
use std::sync::atomic::AtomicBool;

impl Lists<'_> {
    /// The least and the largest estimate of each pair, and how many lie below its observed difference; those that equal it
    /// up to `rounding` times the largest count half.
    pub fn spans(
        &self,
        pairs: &[[u32; 2]],
        observed: &[f64],
        rounding: f64,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<[f64; 3]>, Fault> {
        let about = with_numbers(pairs, observed.iter().copied())?;
        self.of_each(&about, threads, stop, |&(pair, observed), estimates| {
            self.estimate(pair, estimates)?;
            Ok(Lanes::best().run(Span { estimates, observed, rounding }))
        })
    }

    /// For each of two places among the ascending estimates of each pair: the estimate there, and the next.
    pub fn quantiles(
        &self,
        pairs: &[[u32; 2]],
        places: &[[u32; 2]],
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<[f64; 4]>, Fault> {
        let about = with_numbers(pairs, places.iter().copied())?;
        self.of_each(&about, threads, stop, |&(pair, [low, high]), estimates| {
            self.estimate(pair, estimates)?;
            let [low, next_low] = pair_at(estimates, low)?;
            let [high, next_high] = pair_at(estimates, high)?;
            Ok([low, next_low, high, next_high])
        })
    }

    /// The sums of the squares and of the cubes of the distances of the estimates from their mean: positive for those that
    /// are below it.
    pub fn moments(
        &self,
        pairs: &[[u32; 2]],
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<[f64; 2]>, Fault> {
        self.of_each(pairs, threads, stop, |&pair, estimates| {
            self.estimate(pair, estimates)?;
            Ok(Lanes::best().run(Moments { estimates }))
        })
    }

    fn estimate(&self, pair: [u32; 2], estimates: &mut [f64]) -> Result<(), Fault> {
        let [first, second] = self.both(pair)?;
        for ((estimate, first), second) in estimates.iter_mut().zip(first).zip(second) {
            *estimate = f64::from_ne_bytes(*second) - f64::from_ne_bytes(*first);
        }
        Ok(())
    }
}

/// Each pair with what is asked of it.
fn with_numbers<T>(
    pairs: &[[u32; 2]],
    numbers: impl ExactSizeIterator<Item = T>,
) -> Result<Vec<([u32; 2], T)>, Fault> {
    if pairs.len() != numbers.len() {
        return Err(Fault::format(format!(
            "{} numbers are not one for each of {} pairs",
            numbers.len(),
            pairs.len()
        )));
    }
    Ok(crate::memory::collected(pairs.iter().copied().zip(numbers))?)
}

/// The number at a place among the ascending numbers, and the next; of the last, itself.
fn pair_at(numbers: &mut [f64], place: u32) -> Result<[f64; 2], Fault> {
    let (place, count) = (place as usize, numbers.len());
    if place >= count {
        return Err(Fault::format(format!("there is no place {place} among {count} numbers")));
    }
    let (_, &mut found, above) = numbers.select_nth_unstable_by(place, ascending);
    Ok([found, above.iter().copied().reduce(f64::min).unwrap_or(found)])
}

/// The order of numbers; NaN comes last.
fn ascending(one: &f64, other: &f64) -> Ordering {
    one.partial_cmp(other).unwrap_or_else(|| one.is_nan().cmp(&other.is_nan()))
}

struct Span<'a> {
    estimates: &'a [f64],
    observed: f64,
    rounding: f64,
}

impl Task for Span<'_> {
    type Output = [f64; 3];

    #[inline(always)]
    fn run(self, _: impl Level) -> [f64; 3] {
        let [least, largest] = bounds_of(self.estimates);
        let near = self.rounding * least.abs().max(largest.abs());
        let below =
            |bound: f64| -> u64 { self.estimates.iter().map(|&estimate| u64::from(estimate < bound)).sum() };
        [least, largest, (below(self.observed - near) + below(self.observed + near)) as f64 / 2.0]
    }
}

struct Moments<'a> {
    estimates: &'a mut [f64],
}

impl Task for Moments<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run(self, _: impl Level) -> [f64; 2] {
        let mean = pairwise(self.estimates, |estimate| estimate) / self.estimates.len() as f64;
        let square = |estimate: f64| (mean - estimate) * (mean - estimate);
        let cube = |estimate: f64| square(estimate) * (mean - estimate);
        [pairwise(self.estimates, square), pairwise(self.estimates, cube)]
    }
}
