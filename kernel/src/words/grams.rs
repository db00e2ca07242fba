//! The n-grams that texts share.
//!
//! An n-gram is numbered by the n-gram without its last word, and that word. One that is not shared is part of no longer one
//! that is, so most of a long text drops out early.

use crate::fault::Fault;
use crate::memory::Grow;
use crate::words::table::{NONE, Pairs};
use std::sync::atomic::AtomicBool;

/// Counts of a group of texts.
#[derive(Default)]
pub struct Shared {
    /// Text by text, for each length the n-grams that it shares with the last one.
    pub each: Vec<i64>,
    /// For each length the n-grams of the last one that are in some other; only where that is asked for.
    pub together: Vec<i64>,
    pairs: Pairs,
    /// The number of the n-gram at each place of the last text, and of the others; `NONE` if it is not shared.
    last: Vec<u32>,
    others: Vec<u32>,
    ends: Vec<usize>,
    /// By n-gram: how often the last text has it, how much of that is not yet found in another, how much was found at most.
    has: Vec<u32>,
    left: Vec<u32>,
    most: Vec<u32>,
}

impl Shared {
    /// Counts the n-grams of up to `order` words, and with `is_together` those that are in some other text; all words are
    /// less than `different`.
    pub fn count<'a>(
        &mut self,
        last: &'a [u32],
        others: impl Iterator<Item = &'a [u32]> + Clone,
        different: usize,
        (order, is_together): (usize, bool),
        stop: &AtomicBool,
    ) -> Result<(), Fault> {
        self.start(last, others.clone(), order)?;
        let mut kinds = different;
        for length in 1..=order {
            Fault::if_stopped(stop)?;
            if length > 1 {
                kinds = self.extend(last, others.clone(), length)?;
            }
            if self.ends.len() == 1 && !is_together {
                self.tally_one(kinds, length - 1)?;
            } else {
                self.tally(kinds, length - 1, order, stop)?;
            }
        }
        Ok(())
    }

    fn start<'a>(
        &mut self,
        last: &[u32],
        others: impl Iterator<Item = &'a [u32]>,
        order: usize,
    ) -> Result<(), Fault> {
        self.last.clear();
        self.others.clear();
        self.ends.clear();
        self.last.add_all(last)?;
        for other in others {
            self.others.add_all(other)?;
            self.ends.add(self.others.len())?;
        }
        self.each.clear();
        self.together.clear();
        self.each.fill(self.ends.len() * order, 0)?;
        Ok(self.together.fill(order, 0)?)
    }

    /// Makes all n-grams one word longer; how many different ones the last text has.
    fn extend<'a>(
        &mut self,
        last: &[u32],
        others: impl Iterator<Item = &'a [u32]>,
        length: usize,
    ) -> Result<usize, Fault> {
        self.pairs.start(last.len())?;
        // What no other text has, none has with one more word before or after it.
        let is_shared = |code: u32| code != NONE && self.most[code as usize] > 0;
        for place in 0..self.last.len() {
            let (code, next) = (self.last[place], self.last.get(place + 1).copied().unwrap_or(NONE));
            self.last[place] = match last.get(place + length - 1) {
                Some(word) if is_shared(code) && is_shared(next) => self.pairs.find_or_add(code, *word)?,
                _ => NONE,
            };
        }
        let mut start = 0;
        for (other, &end) in others.zip(&self.ends) {
            for place in start..end {
                let (code, next) =
                    (self.others[place], self.others[..end].get(place + 1).copied().unwrap_or(NONE));
                let word =
                    other.get(place - start + length - 1).filter(|_| is_shared(code) && is_shared(next));
                self.others[place] = word.and_then(|word| self.pairs.find(code, *word)).unwrap_or(NONE);
            }
            start = end;
        }
        Ok(self.pairs.len())
    }

    /// Counts what is shared of the n-grams of one length with the only other text.
    fn tally_one(&mut self, kinds: usize, column: usize) -> Result<(), Fault> {
        for counts in [&mut self.left, &mut self.most] {
            counts.clear();
            counts.fill(kinds, 0)?;
        }
        for &code in self.last.iter().filter(|code| **code != NONE) {
            self.left[code as usize] += 1;
        }
        let mut shared = 0;
        for &code in self.others.iter().filter(|code| **code != NONE) {
            let (left, most) = (&mut self.left[code as usize], &mut self.most[code as usize]);
            let is_left = u32::from(*left > 0);
            *left -= is_left;
            *most += is_left;
            shared += i64::from(is_left);
        }
        self.each[column] = shared;
        Ok(())
    }

    /// Counts what is shared of the n-grams of one length.
    fn tally(&mut self, kinds: usize, column: usize, order: usize, stop: &AtomicBool) -> Result<(), Fault> {
        for counts in [&mut self.has, &mut self.most] {
            counts.clear();
            counts.fill(kinds, 0)?;
        }
        for &code in self.last.iter().filter(|code| **code != NONE) {
            self.has[code as usize] += 1;
        }
        self.left.clear();
        self.left.add_all(&self.has)?;
        let mut start = 0;
        for (number, &end) in self.ends.iter().enumerate() {
            Fault::if_stopped(stop)?;
            let codes =
                || self.others[start..end].iter().filter(|code| **code != NONE).map(|code| *code as usize);
            let mut shared = 0;
            for code in codes() {
                let is_left = u32::from(self.left[code] > 0);
                self.left[code] -= is_left;
                shared += i64::from(is_left);
            }
            for code in codes() {
                let taken = self.has[code] - self.left[code];
                self.together[column] += i64::from(taken.saturating_sub(self.most[code]));
                self.most[code] = self.most[code].max(taken);
                self.left[code] = self.has[code];
            }
            self.each[number * order + column] = shared;
            start = end;
        }
        Ok(())
    }
}
