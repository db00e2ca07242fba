//! The numbers that `numpy.random.default_rng(seed).integers(count, dtype=int32)` draws, without loading NumPy's generators.
//!
//! The seed is spread over the state by NumPy's `SeedSequence` (O'Neill's seed_seq_fe); the generator is PCG64 (O'Neill,
//! PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number Generation, 2014); numbers
//! below a bound are Lemire's (Fast Random Integer Generation in an Interval, 2019).

use crate::memory::{Grow, Lack};

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;
const POOL: usize = 4;

/// A generator, and the half of its last number that is not used yet.
pub struct Draws {
    state: u128,
    increment: u128,
    half: Option<u32>,
}

/// Changes numbers by a constant that changes itself with each.
struct Hash {
    constant: u32,
    multiplier: u32,
}

impl Hash {
    fn mix(&mut self, value: u32) -> u32 {
        let mixed = value ^ self.constant;
        self.constant = self.constant.wrapping_mul(self.multiplier);
        let mixed = mixed.wrapping_mul(self.constant);
        mixed ^ (mixed >> 16)
    }
}

fn merged(a: u32, b: u32) -> u32 {
    let mixed = a.wrapping_mul(0xCA01_F9DD).wrapping_sub(b.wrapping_mul(0x4973_F715));
    mixed ^ (mixed >> 16)
}

/// The pool of a seed, given in 32 bits at a time, the lowest first.
fn pool_of(seed: &[u32]) -> [u32; POOL] {
    let mut hash = Hash { constant: 0x43B0_D7E5, multiplier: 0x931E_8875 };
    let mut pool: [u32; POOL] =
        std::array::from_fn(|place| hash.mix(seed.get(place).copied().unwrap_or_default()));
    for from in 0..POOL {
        for to in (0..POOL).filter(|&to| to != from) {
            pool[to] = merged(pool[to], hash.mix(pool[from]));
        }
    }
    for &word in seed.iter().skip(POOL) {
        for place in &mut pool {
            *place = merged(*place, hash.mix(word));
        }
    }
    pool
}

impl Draws {
    pub fn new(seed: &[u32]) -> Self {
        let pool = pool_of(seed);
        let mut hash = Hash { constant: 0x8B51_F9DD, multiplier: 0x58F3_8DED };
        let words: [u32; 2 * POOL] = std::array::from_fn(|place| hash.mix(pool[place % POOL]));
        let long = |place: usize| u128::from(words[2 * place]) | u128::from(words[2 * place + 1]) << 32;
        let increment = (long(2) << 64 | long(3)) << 1 | 1;
        let mut draws = Self { state: 0, increment, half: None };
        draws.step();
        draws.state = draws.state.wrapping_add(long(0) << 64 | long(1));
        draws.step();
        draws
    }

    #[inline]
    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    #[inline]
    fn next(&mut self) -> u32 {
        self.half.take().unwrap_or_else(|| {
            self.step();
            let [first, second] = halves_of(self.state);
            self.half = Some(second);
            first
        })
    }

    /// A number below `count`, each as likely as the others.
    #[inline]
    fn below(&mut self, count: u32) -> u32 {
        if count == 1 {
            return 0;
        }
        let mut product = u64::from(self.next()) * u64::from(count);
        if (product as u32) < count {
            let least = count.wrapping_neg() % count;
            while (product as u32) < least {
                product = u64::from(self.next()) * u64::from(count);
            }
        }
        (product >> 32) as u32
    }

    /// Puts so many numbers below `count`, which is not 0, in place of what is in `drawn`.
    pub fn many(&mut self, count: u32, number: usize, drawn: &mut Vec<u32>) -> Result<(), Lack> {
        drawn.clear();
        drawn.fill(number, 0)?;
        let mut places = drawn.iter_mut();
        self.each(count, number, |next| {
            if let Some(place) = places.next() {
                *place = next;
            }
        });
        Ok(())
    }

    /// Calls `take` with so many numbers below `count`, which is not 0.
    #[inline]
    pub fn each(&mut self, count: u32, number: usize, mut take: impl FnMut(u32)) {
        let two_steps = MULTIPLIER.wrapping_mul(MULTIPLIER);
        let two_increments = self.increment.wrapping_mul(MULTIPLIER.wrapping_add(1));
        let mut left = number;
        while left > 0 {
            if self.half.is_none() && count > 1 {
                // Two numbers at once, of which neither waits for the other. Halves that might have to be drawn again, which
                // are few, are drawn one by one.
                let mut state = self.state;
                while left >= 4 {
                    let one = state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
                    let two = state.wrapping_mul(two_steps).wrapping_add(two_increments);
                    let ([a, b], [c, d]) = (halves_of(one), halves_of(two));
                    let [a, b, c, d] = [a, b, c, d].map(|half| u64::from(half) * u64::from(count));
                    if (a as u32).min(b as u32).min(c as u32).min(d as u32) < count {
                        break;
                    }
                    state = two;
                    take((a >> 32) as u32);
                    take((b >> 32) as u32);
                    take((c >> 32) as u32);
                    take((d >> 32) as u32);
                    left -= 4;
                }
                self.state = state;
            }
            if left > 0 {
                take(self.below(count));
                left -= 1;
            }
        }
    }
}

/// The halves of the number that a state gives, in the order in which they are used.
#[inline]
fn halves_of(state: u128) -> [u32; 2] {
    let folded = (state >> 64) as u64 ^ state as u64;
    let number = folded.rotate_right((state >> 122) as u32);
    [number as u32, (number >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What NumPy draws; the tests in Python compare many more.
    #[test]
    fn numbers_are_numpys() {
        let draw = |seed: &[u32], count| {
            let mut drawn = vec![1, 2, 3];
            Draws::new(seed).many(count, 8, &mut drawn).unwrap();
            drawn
        };
        assert_eq!(draw(&[0], 1), [0; 8]);
        assert_eq!(draw(&[0], 100), FIRST_0_100);
        assert_eq!(draw(&[42], 6980), FIRST_42_6980);
        assert_eq!(draw(&[1, 2, 3, 4, 5, 6], 2_000_000_000), FIRST_LONG);
    }

    const FIRST_0_100: [u32; 8] = [85, 63, 51, 26, 30, 4, 7, 1];
    const FIRST_42_6980: [u32; 8] = [622, 5402, 4568, 3063, 3022, 5993, 599, 4867];
    const FIRST_LONG: [u32; 8] =
        [860544511, 1243609843, 1429055467, 238802535, 1776557794, 1678095998, 83295376, 164603444];
}
