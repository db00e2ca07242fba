//! Finds short names among many in few steps, for files whose lines go from query to query: without it one whose rows are
//! shuffled takes 1.05 times as long.

use crate::memory::{Grow, Lack, filled};
use crate::rank::rows::{Names, hash};

/// Names, and those that are short once more, where they are found at two looks.
#[derive(Debug)]
pub struct Finder<'a> {
    names: &'a Names,
    /// The upper half of a name's hash and the name's number, counted from one; zero where there is none. At most a
    /// quarter is taken, so that the first look is mostly the last.
    slots: Vec<(u32, u32)>,
    keys: Vec<Key>,
}

/// A name of at most 16 bytes: its first bytes, its last bytes, which may be the same ones, and how many it has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    first: u64,
    last: u64,
    length: usize,
}

impl Key {
    #[inline]
    fn new(name: &[u8]) -> Option<Self> {
        let length = name.len();
        let (first, last) = match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => match (name.first_chunk(), name.last_chunk()) {
                (Some(first), Some(last)) => {
                    (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
                }
                _ => (name.iter().fold(0, |all, &byte| all << 8 | u64::from(byte)), 0),
            },
        };
        (length <= 16).then_some(Self { first, last, length })
    }
}

impl<'a> Finder<'a> {
    pub fn new(names: &'a Names) -> Result<Self, Lack> {
        let slots = filled((4 * names.len()).next_power_of_two(), (0, 0))?;
        let mut finder = Self { names, slots, keys: Vec::new() };
        finder.keys.room(names.len())?;
        for name in names.iter() {
            let key = Key::new(name);
            finder.keys.push(key.unwrap_or_default());
            if key.is_some() {
                let (mut slot, tag) = finder.start(name);
                while finder.slots[slot].1 != 0 {
                    slot = (slot + 1) & (finder.slots.len() - 1);
                }
                finder.slots[slot] = (tag, finder.keys.len() as u32);
            }
        }
        Ok(finder)
    }

    /// The slot where the search for a name begins, and the name's tag.
    #[inline]
    fn start(&self, name: &[u8]) -> (usize, u32) {
        let code = hash(name);
        (code as usize & (self.slots.len() - 1), (code >> 32) as u32)
    }

    /// The number of a name.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        let Some(key) = Key::new(name) else { return self.names.find(name) };
        let (mut slot, tag) = self.start(name);
        loop {
            let (other, number) = self.slots[slot];
            let number = number.checked_sub(1)?;
            if other == tag && self.keys[number as usize] == key {
                return Some(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_length_are_found_and_others_are_not() {
        let mut names = Names::default();
        let name = |number: usize| format!("{}{number}", "ab".repeat(number % 11)).into_bytes();
        let one = |number: usize| [b'a'].repeat(number % 24 + 1);
        (0..500).step_by(2).for_each(|number| {
            names.add(&name(number)).unwrap();
            names.add(&one(number)).unwrap();
        });
        let finder = Finder::new(&names).unwrap();
        for number in 0..500 {
            for name in [name(number), one(number), b"b".repeat(number % 24 + 1)] {
                assert_eq!(finder.find(&name), names.find(&name), "{}", name.escape_ascii());
            }
        }
    }

    #[test]
    fn nothing_is_found_among_none() {
        let names = Names::default();
        assert_eq!(Finder::new(&names).unwrap().find(b"q1"), None);
    }
}
