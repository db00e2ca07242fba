//! What the differences between two lists of numbers come to, for many pairs of lists.
//!
//! A difference that is only rounding is 0, and one with a number that is not finite is NaN and does not count. Sums are
//! taken as NumPy takes them, in pairs of pairs, so that they have the same bits.

use crate::fault::Fault;
use crate::memory::{Grow, filled};
use crate::parallel::on_shares;
use crate::read::lanes::{Lanes, Level, Task};
use std::sync::atomic::AtomicBool;

/// Numbers that are added side by side.
const LANES: usize = 8;
/// Up to this many numbers are added without being halved.
const UNHALVED: usize = 128;

type Lane = [f64; LANES];
/// The numbers of a list, as they come from Python.
type Numbers<'a> = &'a [[u8; 8]];

/// Of the differences that count: how many, above zero and below it, the least and the largest, their sum, and that of the
/// squares of their distances to the mean.
pub type Figures = [f64; 7];

/// Of differences rounded so that their sums are exact: how many count, their sum without signs (NaN if sums might be
/// infinite) and with them, and how far they are from those of the lists rounded so, together.
pub type Rounded = [f64; 4];

/// Lists of the same length, one after the other.
pub struct Lists<'a> {
    numbers: Numbers<'a>,
    length: usize,
}

impl<'a> Lists<'a> {
    pub fn new(bytes: &'a [u8], length: usize) -> Self {
        Self { numbers: bytes.as_chunks().0, length }
    }

    fn list(&self, number: u32) -> Result<Numbers<'a>, Fault> {
        let start = (number as usize).checked_mul(self.length);
        let range = start.and_then(|start| Some(start..start.checked_add(self.length)?));
        let list = range.and_then(|range| self.numbers.get(range));
        list.ok_or_else(|| Fault::format(format!("there is no list {number}")))
    }

    pub fn both(&self, [first, second]: [u32; 2]) -> Result<[Numbers<'a>; 2], Fault> {
        Ok([self.list(first)?, self.list(second)?])
    }

    /// The figures of each pair of lists: the second less the first. Differences of up to `rounding` times the larger
    /// number are 0.
    pub fn figures(
        &self,
        pairs: &[[u32; 2]],
        rounding: f64,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Figures>, Fault> {
        self.of_each(pairs, threads, stop, |&pair, moved| {
            let [first, second] = self.both(pair)?;
            Ok(Lanes::best().run(Figure { first, second, rounding, moved }))
        })
    }

    /// The same differences, rounded so that their sums are exact; `systems` are the lists themselves, rounded so.
    pub fn rounded(
        &self,
        pairs: &[[u32; 2]],
        rounding: f64,
        systems: &Lists<'_>,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Rounded>, Fault> {
        self.of_each(pairs, threads, stop, |&pair, moved| {
            let [first, second] = self.both(pair)?;
            Ok(Lanes::best().run(Round { first, second, rounding, systems: systems.both(pair)?, moved }))
        })
    }

    /// What `work` makes of each item, with room for as many numbers as a list has.
    pub fn of_each<T: Sync, R: Send>(
        &self,
        items: &[T],
        threads: usize,
        stop: &AtomicBool,
        work: impl Fn(&T, &mut [f64]) -> Result<R, Fault> + Sync,
    ) -> Result<Vec<R>, Fault> {
        let share = items.len().div_ceil(threads.max(1)).max(1);
        let parts = on_shares(items.chunks(share), &|share: &[T]| {
            let (mut made, mut room) = (Vec::new(), filled(self.length, 0.0)?);
            made.room(share.len())?;
            for item in share {
                Fault::if_stopped(stop)?;
                made.push(work(item, &mut room)?);
            }
            Ok(made)
        })?;
        Ok(parts.into_iter().flatten().collect())
    }
}

/// Writes the differences to `moved`.
#[inline(always)]
fn subtract(first: Numbers<'_>, second: Numbers<'_>, rounding: f64, moved: &mut [f64]) {
    for ((moved, first), second) in moved.iter_mut().zip(first).zip(second) {
        let (first, second) = (f64::from_ne_bytes(*first), f64::from_ne_bytes(*second));
        let (one, other) = (first.abs(), second.abs());
        let larger = if one > other { one } else { other };
        let difference = second - first;
        let difference = if difference.abs() <= rounding * larger { 0.0 } else { difference };
        let is_finite = one < f64::INFINITY && other < f64::INFINITY;
        *moved = if is_finite { difference } else { f64::NAN };
    }
}

/// Works out the figures of a pair.
struct Figure<'a> {
    first: Numbers<'a>,
    second: Numbers<'a>,
    rounding: f64,
    moved: &'a mut [f64],
}

impl Task for Figure<'_> {
    type Output = Figures;

    #[inline(always)]
    fn run(self, _: impl Level) -> Figures {
        let Self { first, second, rounding, moved } = self;
        subtract(first, second, rounding, moved);
        let count = without_nan(moved);
        let moved = &moved[..count];
        let [above_zero, below_zero] = signs_of(moved);
        let [least, largest] = bounds_of(moved);
        let sum = pairwise(moved, |number| number);
        let mean = sum / count as f64;
        let squares = pairwise(moved, |number| (number - mean) * (number - mean));
        [count as f64, above_zero, below_zero, least, largest, sum, squares]
    }
}

/// How many numbers are not NaN.
#[inline(always)]
fn counted(numbers: &[f64]) -> usize {
    numbers.iter().map(|number| usize::from(!number.is_nan())).sum()
}

/// Moves the numbers that are not NaN to the front; how many they are.
#[inline(always)]
fn without_nan(numbers: &mut [f64]) -> usize {
    let count = counted(numbers);
    if count < numbers.len() {
        let mut place = 0;
        for number in 0..numbers.len() {
            numbers[place] = numbers[number];
            place += usize::from(!numbers[number].is_nan());
        }
    }
    count
}

/// How many numbers are above zero and how many below.
#[inline(always)]
fn signs_of(numbers: &[f64]) -> [f64; 2] {
    let count = |is_counted: fn(f64) -> bool| -> f64 {
        numbers.iter().map(|&number| u64::from(is_counted(number))).sum::<u64>() as f64
    };
    [count(|number| number > 0.0), count(|number| number < 0.0)]
}

/// The least number and the largest; infinite if there is none.
#[inline(always)]
pub fn bounds_of(numbers: &[f64]) -> [f64; 2] {
    let (mut least, mut largest) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (lanes, rest) = numbers.as_chunks::<LANES>();
    let mut add = |place: usize, number: f64| {
        least[place] = if number < least[place] { number } else { least[place] };
        largest[place] = if number > largest[place] { number } else { largest[place] };
    };
    for lane in lanes {
        for (place, number) in lane.iter().enumerate() {
            add(place, *number);
        }
    }
    for (place, number) in rest.iter().enumerate() {
        add(place, *number);
    }
    [least.into_iter().fold(f64::INFINITY, f64::min), largest.into_iter().fold(f64::NEG_INFINITY, f64::max)]
}

/// The sum of what `map` makes of the numbers, in NumPy's order.
#[inline(always)]
pub fn pairwise(numbers: &[f64], map: impl Fn(f64) -> f64 + Copy) -> f64 {
    0.0 + halved(numbers, map)
}

fn halved(numbers: &[f64], map: impl Fn(f64) -> f64 + Copy) -> f64 {
    if numbers.len() > UNHALVED {
        let half = numbers.len() / 2;
        let (first, second) = numbers.split_at(half - half % LANES);
        return halved(first, map) + halved(second, map);
    }
    let (lanes, rest) = numbers.as_chunks::<LANES>();
    let Some((first, others)) = lanes.split_first() else {
        return rest.iter().fold(-0.0, |sum, &number| sum + map(number));
    };
    let mut sums: Lane = first.map(map);
    for lane in others {
        for (sum, number) in sums.iter_mut().zip(lane) {
            *sum += map(*number);
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, &number| sum + map(number))
}

/// Rounds the differences of a pair.
struct Round<'a> {
    first: Numbers<'a>,
    second: Numbers<'a>,
    rounding: f64,
    /// What the differences are to be close to: the second of these less the first.
    systems: [Numbers<'a>; 2],
    moved: &'a mut [f64],
}

impl Task for Round<'_> {
    type Output = Rounded;

    #[inline(always)]
    fn run(self, _: impl Level) -> Rounded {
        let Self { first, second, rounding, systems: [before, after], moved } = self;
        subtract(first, second, rounding, moved);
        let count = counted(moved) as f64;
        for number in moved.iter_mut() {
            *number = if number.is_nan() { 0.0 } else { *number };
        }
        let [least, largest] = bounds_of(moved);
        let unit = unit_of(largest.max(-least).max(0.0) * moved.len() as f64);
        if !unit.is_finite() {
            return [count, f64::NAN, 0.0, 0.0];
        }
        let mut sums = [[0.0; LANES]; 3];
        for ((moved, before), after) in moved.chunks(LANES).zip(before.chunks(LANES)).zip(after.chunks(LANES))
        {
            for (place, ((moved, before), after)) in moved.iter().zip(before).zip(after).enumerate() {
                let rounded = (moved / unit).round_ties_even() * unit;
                let apart = rounded - (f64::from_ne_bytes(*after) - f64::from_ne_bytes(*before));
                sums[0][place] += rounded.abs();
                sums[1][place] += rounded;
                sums[2][place] += apart.abs();
            }
        }
        let [size, sum, gap] = sums.map(|lane| lane.iter().sum());
        [count, size, sum, gap]
    }
}

/// The unit of numbers whose sums, up to `largest`, are to be exact.
fn unit_of(largest: f64) -> f64 {
    if largest == 0.0 || !largest.is_finite() {
        return f64::EPSILON + largest;
    }
    // A power of two above it, less 52 binary digits; of the smallest numbers, none is smaller than the unit.
    let exponent = (largest.to_bits() >> 52) as i32 - 1022 - 52;
    if exponent < -1022 { f64::MIN_POSITIVE } else { f64::from_bits(((exponent + 1023) as u64) << 52) }
}
