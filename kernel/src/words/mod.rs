//! Words of texts as numbers, and what texts have in common.
//!
//! Texts come in groups; the last text of a group is compared with each of the others. Equal words of a group have equal
//! numbers, so that everything after splitting works on numbers. Groups are independent and are shared out to threads.

pub mod decimal_points;
pub mod grams;
pub mod key;
mod runs;
pub mod share_out;
pub mod split;
pub mod subsequence;
mod table;

use crate::fault::Fault;
use crate::memory::{Grow, Lack, number};
use crate::words::grams::Shared;
use crate::words::share_out::share_out;
use crate::words::split::{Splitter, Tokens};
use crate::words::subsequence::Subsequences;
use crate::words::table::Numberer;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// Texts one after the other, and how many each group has.
#[derive(Default)]
pub struct Texts {
    pub bytes: Vec<u8>,
    pub ends: Vec<usize>,
    /// The end of each group, in texts.
    pub groups: Vec<usize>,
}

fn span(ends: &[usize], number: usize) -> Range<usize> {
    number.checked_sub(1).map_or(0, |before| ends[before])..ends[number]
}

/// The words of groups of texts, as numbers.
#[derive(Default)]
pub struct Words {
    words: Vec<u32>,
    ends: Vec<usize>,
    groups: Vec<usize>,
    /// How many different words each group has.
    different: Vec<u32>,
}

impl Words {
    pub fn new(texts: &Texts, splitter: &Splitter, threads: usize, stop: &AtomicBool) -> Result<Self, Fault> {
        let parts = share_out(texts.groups.len(), texts.bytes.len(), threads, |groups| {
            Self::of_groups(texts, splitter, groups, stop)
        })?;
        let mut whole = Self::default();
        for part in parts {
            let (words, count) = (whole.words.len(), whole.ends.len());
            whole.words.add_all(&part.words)?;
            whole.ends.add_each(part.ends.iter().map(|end| end + words))?;
            whole.groups.add_each(part.groups.iter().map(|end| end + count))?;
            whole.different.add_all(&part.different)?;
        }
        Ok(whole)
    }

    fn of_groups(
        texts: &Texts,
        splitter: &Splitter,
        groups: Range<usize>,
        stop: &AtomicBool,
    ) -> Result<Self, Fault> {
        let (mut found, mut tokens, mut numberer) = (Self::default(), Tokens::default(), Numberer::default());
        for group in groups {
            Fault::if_stopped(stop)?;
            tokens.clear();
            for text in span(&texts.groups, group) {
                splitter.split(&texts.bytes, span(&texts.ends, text), &mut tokens, stop)?;
                found.ends.add(found.words.len() + tokens.len())?;
            }
            let different = numberer.number(&tokens, &mut found.words)?;
            found.different.add(different)?;
            found.groups.add(found.ends.len())?;
        }
        Ok(found)
    }

    /// How many words each text has.
    pub fn lengths(&self) -> impl Iterator<Item = i64> + '_ {
        (0..self.ends.len()).map(|text| span(&self.ends, text).len() as i64)
    }

    fn text(&self, number: usize) -> &[u32] {
        &self.words[span(&self.ends, number)]
    }

    /// The last text of a group, and the others.
    fn group(&self, number: usize) -> Option<(&[u32], impl Iterator<Item = &[u32]> + Clone)> {
        let texts = span(&self.groups, number);
        let last = texts.end.checked_sub(1).filter(|_| !texts.is_empty())?;
        Some((self.text(last), (texts.start..last).map(|text| self.text(text))))
    }

    /// What `count` adds to the numbers of each group, in order.
    fn each_group<T: Default>(
        &self,
        threads: usize,
        stop: &AtomicBool,
        count: impl Fn(&mut T, usize, &mut Vec<i64>) -> Result<(), Fault> + Sync,
    ) -> Result<Vec<i64>, Fault> {
        let parts = share_out(self.groups.len(), 8 * self.words.len(), threads, |groups| {
            let (mut scratch, mut found) = (T::default(), Vec::new());
            for group in groups {
                Fault::if_stopped(stop)?;
                count(&mut scratch, group, &mut found)?;
            }
            Ok(found)
        })?;
        let mut whole = Vec::new();
        for part in parts {
            whole.add_all(&part)?;
        }
        Ok(whole)
    }

    /// How many words all texts have.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// About how many steps it takes to find the longest common subsequences.
    pub fn subsequence_steps(&self) -> usize {
        let of_group = |(last, others): (&[u32], _)| {
            Iterator::map(others, |other: &[u32]| last.len().saturating_mul(other.len() / 64 + 1)).sum()
        };
        (0..self.groups.len())
            .filter_map(|group| self.group(group).map(of_group))
            .fold(0, usize::saturating_add)
    }

    /// Whether each text has the same words as the last one of its group, in the same order.
    pub fn equal(&self, stop: &AtomicBool) -> Result<Vec<i64>, Fault> {
        self.each_group(1, stop, |(), group, found| {
            let Some((last, others)) = self.group(group) else { return Ok(()) };
            Ok(found.add_each(others.map(|other| i64::from(other == last)))?)
        })
    }

    /// For each text and each length of n-grams up to `order`, how many it shares with the last one of its group, each as
    /// often as both have it. With `together`, what the last one shares with the others together: each n-gram as often as
    /// it has it, and one of the others.
    pub fn shared(
        &self,
        order: usize,
        together: bool,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<i64>, Fault> {
        self.each_group(threads, stop, |shared: &mut Shared, group, found| {
            let Some((last, others)) = self.group(group) else { return Ok(()) };
            shared.count(last, others, self.different[group] as usize, (order, together), stop)?;
            let counts = if together { &shared.together } else { &shared.each };
            Ok(found.add_all(counts)?)
        })
    }

    /// The length of the longest subsequence that each text has in common with the last one of its group; words past the
    /// `longest` are not looked at.
    pub fn subsequences(&self, longest: usize, threads: usize, stop: &AtomicBool) -> Result<Vec<i64>, Fault> {
        self.each_group(threads, stop, |common: &mut Subsequences, group, found| {
            let Some((last, others)) = self.group(group) else { return Ok(()) };
            for other in others {
                let first = |words: &'_ [u32]| words.len().min(longest);
                let (one, two) = (&other[..first(other)], &last[..first(last)]);
                found.add(common.length(one, two, self.different[group] as usize, stop)? as i64)?;
            }
            Ok(())
        })
    }
}

/// The characters past ASCII that texts have, each once, in ascending order.
pub fn characters(bytes: &[u8], stop: &AtomicBool) -> Result<Vec<u32>, Fault> {
    let mut seen: Vec<bool> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if at % (1 << 20) == 0 {
            Fault::if_stopped(stop)?;
        }
        if bytes[at] < 0x80 {
            at += 1;
            continue;
        }
        let (character, length) = split::decode(&bytes[at..]);
        if seen.len() <= character as usize {
            seen.fill(character as usize + 1, false)?;
        }
        seen[character as usize] = true;
        at += length;
    }
    let mut found = Vec::new();
    for (character, is_there) in seen.iter().enumerate().skip(0x80) {
        if *is_there {
            found.add(number(character)?)?;
        }
    }
    Ok(found)
}

/// Adds a text to those that are there.
pub fn add_text(texts: &mut Texts, text: &[u8]) -> Result<(), Lack> {
    texts.bytes.add_all(text)?;
    texts.ends.add(texts.bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_out_of_place_are_characters() {
        let cases: [(&[u8], (u32, usize)); 5] = [
            (&[0xFF], (0xFF, 1)),
            (&[0xC3], (0xC3, 1)),
            (&[0xE6, 0x9D, 0xB1], (0x6771, 3)),
            (&[0xED, 0xA0, 0x80], (0xD800, 3)),
            (&[0xF4, 0xBF, 0xBF, 0xBF], (0xF4, 1)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(split::decode(bytes), expected);
        }
        assert_eq!(characters(&[b'x', 0xE6, b' ', 0x80], &AtomicBool::new(false)).unwrap(), [0x80, 0xE6]);
    }
}
