//! How much more often a number of one sample is above a number of another than below it.
//!
//! All samples are put in order together and gone through once: for each number it is known how many numbers of every
//! sample are below it. So the pairs of many samples take one sort, and an addition per number and sample.

use crate::fault::Fault;
use crate::memory::{Grow, Lack, filled};
use std::sync::atomic::AtomicBool;

/// For each sample, and each other one: over all pairs of a number of the first and one of the second, those where the
/// second's is larger less those where it is smaller. No number is NaN.
pub fn balances(samples: &[Vec<f64>], stop: &AtomicBool) -> Result<Vec<i64>, Fault> {
    let count = samples.len();
    let below = counted_below(&in_order(samples)?, count, stop)?;
    let mut balances = Vec::new();
    balances.room(count * count)?;
    for (first, one) in samples.iter().enumerate() {
        for (second, other) in samples.iter().enumerate() {
            balances.push(below[second * count + first] as i64 - (one.len() * other.len()) as i64);
        }
    }
    Ok(balances)
}

/// A number of a sample, by the place of its value in the order of all.
struct Member {
    key: u64,
    sample: u32,
}

/// The numbers of all samples, ascending.
fn in_order(samples: &[Vec<f64>]) -> Result<Vec<Member>, Lack> {
    let mut members = Vec::new();
    members.room(samples.iter().map(Vec::len).sum())?;
    for (sample, numbers) in (0..).zip(samples) {
        members.extend(numbers.iter().map(|&number| Member { key: key_of(number), sample }));
    }
    members.sort_unstable_by_key(|member| member.key);
    Ok(members)
}

/// Larger for larger numbers, and the same for both zeros.
fn key_of(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// For each sample, and each other one: how many numbers of the other are below each of its own, and how many are not
/// above it, together.
fn counted_below(members: &[Member], count: usize, stop: &AtomicBool) -> Result<Vec<u64>, Fault> {
    let mut below = filled(count * count, 0)?;
    // Twice the numbers of each sample that were passed.
    let mut passed = filled(count, 0)?;
    let mut same = filled(count, 0)?;
    for group in members.chunk_by(|one, other| one.key == other.key) {
        Fault::if_stopped(stop)?;
        if let [Member { sample, .. }] = group {
            let sample = *sample as usize;
            passed[sample] += 1;
            add(&mut below[sample * count..(sample + 1) * count], &passed, 1);
            passed[sample] += 1;
            continue;
        }
        for member in group {
            same[member.sample as usize] += 1;
            passed[member.sample as usize] += 1;
        }
        // What is passed now has this group once: those that are as large count half.
        for sample in (0..count).filter(|&sample| same[sample] > 0) {
            add(&mut below[sample * count..(sample + 1) * count], &passed, same[sample]);
        }
        for (passed, same) in passed.iter_mut().zip(&mut same) {
            *passed += std::mem::take(same);
        }
    }
    Ok(below)
}

fn add(sums: &mut [u64], more: &[u64], times: u64) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += times * more;
    }
}
