//! How a text becomes words: each character is part of a word, left out, between words, or a word by itself.
//!
//! Texts are UTF-8 in which surrogates may stand, as Python writes them; nothing else is assumed of their bytes.

use crate::fault::Fault;
use crate::memory::{Grow, Lack, filled};
use crate::words::decimal_points::Separator;
use std::sync::atomic::AtomicBool;

/// What a character is: one of four in the two lower bits.
pub const PART: u8 = 0;
pub const LEFT_OUT: u8 = 1;
pub const BETWEEN: u8 = 2;
pub const ALONE: u8 = 3;
const KIND: u8 = 3;
/// And whether it is a letter or a digit, between which no word ends that is to be removed.
pub const IS_LETTER: u8 = 4;
const ASCII: usize = 128;
/// Of a byte that is only part of a character.
const LONGER: u8 = u8::MAX;
/// Every so many bytes it is looked whether to stop.
const STEP: usize = 1 << 16;

/// Words one after the other.
#[derive(Default)]
pub struct Tokens {
    pub bytes: Vec<u8>,
    pub ends: Vec<usize>,
    separator: Separator,
}

impl Tokens {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn start(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Ends the word that is being written, if it has any character.
    fn end(&mut self) -> Result<(), Lack> {
        if self.bytes.len() > self.start() { self.ends.add(self.bytes.len()) } else { Ok(()) }
    }
}

/// What each character is, and which words are removed.
pub struct Splitter {
    /// Of each byte.
    kinds: [u8; 256],
    /// Of the characters from 128 on, as far as they are known.
    others: Vec<u8>,
    other: u8,
    removed: Vec<Vec<u8>>,
    /// Whether symbols are split off first, except in numbers.
    symbols: bool,
}

impl Splitter {
    /// `ascii` says what the first characters are, `others` what some others are, `other` what the rest is.
    pub fn new(
        ascii: [u8; ASCII],
        others: &[(u32, u8)],
        other: u8,
        removed: Vec<Vec<u8>>,
        symbols: bool,
    ) -> Result<Self, Lack> {
        let last = others.iter().map(|(character, _)| *character as usize).max();
        let mut known =
            filled(last.map_or(0, |last| (last.min(0x0010_FFFF) + 1).saturating_sub(ASCII)), other)?;
        for (character, kind) in others {
            if let Some(place) = (*character as usize).checked_sub(ASCII).and_then(|at| known.get_mut(at)) {
                *place = *kind;
            }
        }
        let mut kinds = [LONGER; 256];
        kinds[..ASCII].copy_from_slice(&ascii);
        Ok(Self { kinds, others: known, other, removed, symbols })
    }

    #[inline]
    fn kind(&self, character: u32) -> u8 {
        let place = (character as usize).checked_sub(ASCII);
        place.and_then(|at| self.others.get(at)).copied().unwrap_or(self.other)
    }

    /// Adds the words of a text to those that are there.
    pub fn split(&self, text: &[u8], tokens: &mut Tokens, stop: &AtomicBool) -> Result<(), Fault> {
        if !self.symbols {
            return self.walk(text, tokens, stop);
        }
        let mut separator = std::mem::take(&mut tokens.separator);
        self.walk(separator.separate(text)?, tokens, stop)?;
        tokens.separator = separator;
        Ok(())
    }

    fn walk(&self, text: &[u8], tokens: &mut Tokens, stop: &AtomicBool) -> Result<(), Fault> {
        // Where the letters begin that may be a word to be removed.
        let (mut run, mut at, mut next_look) = (tokens.bytes.len(), 0, STEP);
        while at < text.len() {
            let start = at;
            let kind = self.kinds[usize::from(text[at])];
            let kind = if kind == LONGER {
                let (character, length) = decode(&text[at..]);
                at += length;
                self.kind(character)
            } else {
                at += 1;
                // Parts of a word are taken as many at a time as there are.
                while kind & KIND == PART
                    && text.get(at).is_some_and(|byte| self.kinds[usize::from(*byte)] == kind)
                {
                    at += 1;
                }
                kind
            };
            match kind & KIND {
                LEFT_OUT => {}
                PART if kind & IS_LETTER != 0 => tokens.bytes.add_all(&text[start..at])?,
                other => {
                    self.remove(tokens, run)?;
                    if other != PART {
                        tokens.end()?;
                    }
                    if other != BETWEEN {
                        tokens.bytes.add_all(&text[start..at])?;
                    }
                    if other == ALONE {
                        tokens.end()?;
                    }
                    run = tokens.bytes.len();
                }
            }
            if at >= next_look {
                Fault::if_stopped(stop)?;
                next_look = at + STEP;
            }
        }
        self.remove(tokens, run)?;
        Ok(tokens.end()?)
    }

    /// Removes the letters from `run` on if they are a word that is not wanted; what was before them is a word.
    #[inline]
    fn remove(&self, tokens: &mut Tokens, run: usize) -> Result<(), Lack> {
        if self.removed.is_empty() {
            return Ok(());
        }
        let start = run.max(tokens.start());
        if self.removed.iter().any(|word| *word == tokens.bytes[start..]) {
            tokens.bytes.truncate(start);
            tokens.end()?;
        }
        Ok(())
    }
}

/// The first character and its length in bytes. A byte that is out of place is a character of its own.
#[inline]
pub fn decode(bytes: &[u8]) -> (u32, usize) {
    let next = |at: usize| match bytes.get(at) {
        Some(byte) if byte & 0xC0 == 0x80 => Some(u32::from(byte & 0x3F)),
        _ => None,
    };
    let first = u32::from(bytes[0]);
    match first {
        0xC2..=0xDF => next(1).map(|one| ((first & 0x1F) << 6 | one, 2)),
        0xE0..=0xEF => next(1).zip(next(2)).map(|(one, two)| ((first & 0x0F) << 12 | one << 6 | two, 3)),
        0xF0..=0xF4 => next(1)
            .zip(next(2))
            .zip(next(3))
            .map(|((one, two), three)| ((first & 0x07) << 18 | one << 12 | two << 6 | three, 4)),
        _ => None,
    }
    .filter(|(character, _)| *character <= 0x0010_FFFF)
    .unwrap_or((first, 1))
}
