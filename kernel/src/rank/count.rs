//! How many scores of a ranking are higher than a judged one, and how many are the same.

use crate::memory::{Lack, collected, filled};
use crate::read::lanes::{Lanes, Level, Task};

/// Up to this many judged documents are compared with every score; more are searched.
const FEW: usize = 16;

/// The scores of a ranking, ready to be counted against some of them.
#[derive(Debug)]
pub struct Counts<'a> {
    scores: &'a [f64],
    /// Whether they fall from first to last, as programs write them: then those that are higher stand in front.
    is_falling: bool,
    /// The scores that are asked for and what was counted for each, where there are many.
    levels: Option<Levels>,
}

#[derive(Debug)]
struct Levels {
    values: Vec<f64>,
    at_least: Vec<usize>,
    equal: Vec<usize>,
}

impl<'a> Counts<'a> {
    /// Only the scores in `wanted` will be asked for.
    pub fn new(scores: &'a [f64], wanted: impl ExactSizeIterator<Item = f64>) -> Result<Self, Lack> {
        let is_falling = is_falling(scores);
        let is_searched = !is_falling && wanted.len() > FEW;
        let levels = if is_searched { Some(Levels::new(scores, wanted)?) } else { None };
        Ok(Self { scores, is_falling, levels })
    }

    /// How many scores are higher than `score`, and how many are the same.
    pub fn of(&self, score: f64) -> (usize, usize) {
        match &self.levels {
            None if self.is_falling => {
                let higher = self.scores.partition_point(|&other| other > score);
                let rest = self.scores.get(higher..).unwrap_or_default();
                (higher, rest.partition_point(|&other| other == score))
            }
            None => count_against(self.scores, score),
            Some(levels) => levels.of(score),
        }
    }
}

impl Levels {
    /// Looks every score up among the wanted ones.
    fn new(scores: &[f64], wanted: impl Iterator<Item = f64>) -> Result<Self, Lack> {
        let values = distinct(wanted)?;
        let mut at_least = filled(values.len() + 1, 0usize)?;
        let mut equal = filled(values.len(), 0usize)?;
        for &score in scores {
            let reached = values.partition_point(|&value| value <= score);
            at_least[reached] += 1;
            if reached > 0 && values[reached - 1] == score {
                equal[reached - 1] += 1;
            }
        }
        for level in (0..values.len()).rev() {
            at_least[level] += at_least[level + 1];
        }
        Ok(Self { values, at_least, equal })
    }

    fn of(&self, score: f64) -> (usize, usize) {
        let level = self.values.partition_point(|&value| value < score);
        (self.at_least[level + 1] - self.equal[level], self.equal[level])
    }
}

/// The different scores, from low to high.
pub fn distinct(scores: impl Iterator<Item = f64>) -> Result<Vec<f64>, Lack> {
    let mut values = collected(scores)?;
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    Ok(values)
}

/// Whether no score is higher than the one before it. Many are compared at once.
fn is_falling(scores: &[f64]) -> bool {
    let next = scores.get(1..).unwrap_or_default();
    let mut parts = scores.chunks(FEW).zip(next.chunks(FEW));
    parts.all(|(part, next)| part.iter().zip(next).fold(true, |all, (score, next)| all & (score >= next)))
}

/// How many scores are higher, and how many the same.
fn count_against(scores: &[f64], score: f64) -> (usize, usize) {
    Lanes::best().run(Against { scores, score })
}

struct Against<'a> {
    scores: &'a [f64],
    score: f64,
}

impl Task for Against<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run(self, _: impl Level) -> (usize, usize) {
        let add = |(higher, same): (u64, u64), &other: &f64| {
            (higher + u64::from(other > self.score), same + u64::from(other == self.score))
        };
        let (higher, same) = self.scores.iter().fold((0, 0), add);
        (higher as usize, same as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_in_any_order_are_counted_alike() {
        for count in [0, 1, 2, 15, 16, 17, 33, 100] {
            let falling: Vec<f64> = (0..count).map(|place| -f64::from(place / 3)).collect();
            for place in 0..falling.len() {
                for (from, to) in [(place, place), (place, 0), (0, place), (falling.len() - 1, place)] {
                    let mut scores = falling.clone();
                    scores.swap(from, to);
                    assert_eq!(is_falling(&scores), scores.is_sorted_by(|one, other| one >= other));
                    for wanted in [&scores[..1], &scores] {
                        let counts = Counts::new(&scores, wanted.iter().copied()).unwrap();
                        for &score in wanted {
                            assert_eq!(counts.of(score), count_against(&scores, score), "{scores:?}");
                        }
                    }
                }
            }
        }
    }
}
