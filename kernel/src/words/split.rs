//! How a text becomes words: each character is part of a word, left out, between words, or a word by itself.
//!
//! Texts are UTF-8 in which surrogates may stand, as Python writes them; nothing else is assumed of their bytes.

use crate::fault::Fault;
use crate::memory::{Grow, Lack, filled};
use crate::words::decimal_points::Separator;
use crate::words::key::{Key, LongWords};
use crate::words::runs::{Letters, Runs};
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// What a character is: one of four in the two lower bits.
pub const PART: u8 = 0;
pub const LEFT_OUT: u8 = 1;
pub const BETWEEN: u8 = 2;
pub const ALONE: u8 = 3;
pub const KIND: u8 = 3;
/// And whether it is a letter or a digit, between which no word ends that is to be removed.
pub const IS_LETTER: u8 = 4;
const ASCII: usize = 128;
/// Of a byte that is only part of a character.
const LONGER: u8 = u8::MAX;
/// Every so many bytes it is looked whether to stop.
const STEP: usize = 1 << 16;

/// The words of texts, each as a key.
#[derive(Default)]
pub struct Tokens {
    pub keys: Vec<Key>,
    /// The bytes of the words that are more than a key holds.
    pub long: LongWords,
    /// The word that is being written, where it is not one piece of the text.
    open: Vec<u8>,
    runs: Runs,
    separator: Separator,
}

impl Tokens {
    pub fn clear(&mut self) {
        self.keys.clear();
        self.long.clear();
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Ends the word that is being written, if it has any character.
    fn end(&mut self) -> Result<(), Lack> {
        if !self.open.is_empty() {
            self.keys.add(Key::new(&self.open, 0..self.open.len(), &mut self.long)?)?;
            self.open.clear();
        }
        Ok(())
    }
}

/// What each character is, and which words are removed.
pub struct Splitter {
    /// Of each byte.
    kinds: [u8; 256],
    /// Of the characters from 128 on, as far as they are known.
    others: Vec<u8>,
    other: u8,
    /// What letters are, and which bytes are the same.
    letters: Letters,
    removed: Vec<Vec<u8>>,
    longest_removed: usize,
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
        let letters = Letters::new(&ascii)?;
        let longest_removed = removed.iter().map(Vec::len).max().unwrap_or(0);
        Ok(Self { kinds, others: known, other, letters, removed, longest_removed, symbols })
    }

    #[inline]
    fn kind(&self, character: u32) -> u8 {
        let place = (character as usize).checked_sub(ASCII);
        place.and_then(|at| self.others.get(at)).copied().unwrap_or(self.other)
    }

    /// Adds the words of the text at that place to those that are there.
    pub fn split(
        &self,
        bytes: &[u8],
        text: Range<usize>,
        tokens: &mut Tokens,
        stop: &AtomicBool,
    ) -> Result<(), Fault> {
        if !self.symbols {
            return self.walk(bytes, text, tokens, stop);
        }
        let mut separator = std::mem::take(&mut tokens.separator);
        let separated = separator.separate(&bytes[text])?;
        self.walk(separated, 0..separated.len(), tokens, stop)?;
        tokens.separator = separator;
        Ok(())
    }

    fn walk(
        &self,
        bytes: &[u8],
        text: Range<usize>,
        tokens: &mut Tokens,
        stop: &AtomicBool,
    ) -> Result<(), Fault> {
        tokens.runs.find(&bytes[text.clone()], &self.letters)?;
        // Where the letters begin, in the word that is being written, that may be a word to be removed.
        let (mut run, mut at, mut next_look) = (0, text.start, text.start + STEP);
        while at < text.end {
            if at >= next_look {
                Fault::if_stopped(stop)?;
                next_look = at + STEP;
            }
            let start = at;
            let kind = self.kinds[usize::from(bytes[at])];
            let kind = if kind == LONGER {
                let (character, length) = decode(&bytes[at..text.end]);
                at += length;
                self.kind(character)
            } else if kind == self.letters.kind {
                if tokens.open.is_empty() {
                    at = self.whole_words(bytes, &text, at, next_look, tokens)?;
                    if at != start {
                        continue;
                    }
                }
                at = text.start + tokens.runs.end(start - text.start);
                kind
            } else {
                at += 1;
                kind
            };
            match kind & KIND {
                LEFT_OUT => {}
                PART if kind & IS_LETTER != 0 => tokens.open.add_all(&bytes[start..at])?,
                other => {
                    self.remove(tokens, run)?;
                    if other != PART {
                        tokens.end()?;
                    }
                    if other != BETWEEN {
                        tokens.open.add_all(&bytes[start..at])?;
                    }
                    if other == ALONE {
                        tokens.end()?;
                    }
                    run = tokens.open.len();
                }
            }
        }
        self.remove(tokens, run)?;
        Ok(tokens.end()?)
    }

    /// Adds words that are nothing but letters, each with one character behind it that is between words, as long as there
    /// are such before `until`; where the next thing begins. At `at` there is a letter.
    #[inline]
    fn whole_words(
        &self,
        bytes: &[u8],
        text: &Range<usize>,
        mut at: usize,
        until: usize,
        tokens: &mut Tokens,
    ) -> Result<usize, Lack> {
        let (until, may_be_removed) = (text.end.min(until), self.letters.kind & IS_LETTER != 0);
        loop {
            let end = text.start + tokens.runs.end(at - text.start);
            if end < text.end && !self.is_between(bytes[end]) {
                return Ok(at);
            }
            if !may_be_removed || !self.is_removed(&bytes[at..end]) {
                tokens.keys.add(Key::new(bytes, at..end, &mut tokens.long)?)?;
            }
            at = end + 1;
            if at >= until || !tokens.runs.is_letter(at - text.start) {
                return Ok(at);
            }
        }
    }

    #[inline]
    fn is_between(&self, byte: u8) -> bool {
        self.kinds[usize::from(byte)] & KIND == BETWEEN
    }

    #[inline]
    fn is_removed(&self, letters: &[u8]) -> bool {
        letters.len() <= self.longest_removed && self.removed.iter().any(|word| *word == letters)
    }

    /// Removes the letters from `run` on if they are a word that is not wanted; what was before them is a word.
    #[inline]
    fn remove(&self, tokens: &mut Tokens, run: usize) -> Result<(), Lack> {
        if self.is_removed(&tokens.open[run..]) {
            tokens.open.truncate(run);
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
