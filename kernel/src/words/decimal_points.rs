//! Symbols split off as in mteval-v13a: all but full stops and commas between digits, hyphens that follow no digit, and
//! apostrophes.

use crate::memory::{Grow, Lack};
use memchr::{memchr, memchr2};

/// Two texts that are written in turn.
#[derive(Default)]
pub struct Separator {
    one: Vec<u8>,
    two: Vec<u8>,
}

fn is_symbol(byte: u8) -> bool {
    matches!(byte, b'{'..=b'~' | b'['..=b'`' | b' '..=b'&' | b'('..=b'+' | b':'..=b'@' | b'/')
}

fn is_point(byte: u8) -> bool {
    matches!(byte, b'.' | b',')
}

impl Separator {
    /// The text with spaces around symbols. Characters past ASCII are none, so their bytes can be taken one by one.
    pub fn separate(&mut self, text: &[u8]) -> Result<&[u8], Lack> {
        self.one.clear();
        self.one.add(b' ')?;
        for piece in text.chunk_by(|one, two| !is_symbol(*one) && !is_symbol(*two)) {
            match piece {
                [byte] if is_symbol(*byte) => self.one.add_all(&[b' ', *byte, b' '])?,
                _ => self.one.add_all(piece)?,
            }
        }
        self.one.add(b' ')?;
        let point = |rest: &[u8]| memchr2(b'.', b',', rest);
        rewrite(&self.one, &mut self.two, point, |one, two| {
            (!one.is_ascii_digit() && is_point(two)).then_some([one, b' ', two, b' '])
        })?;
        rewrite(&self.two, &mut self.one, point, |one, two| {
            (is_point(one) && !two.is_ascii_digit()).then_some([b' ', one, b' ', two])
        })?;
        rewrite(
            &self.one,
            &mut self.two,
            |rest| memchr(b'-', rest),
            |one, two| (one.is_ascii_digit() && two == b'-').then_some([one, b' ', two, b' ']),
        )?;
        Ok(&self.two)
    }
}

/// Replaces pairs of bytes from left to right; a byte is part of one pair at most. One byte of a pair is what `find` finds.
fn rewrite(
    text: &[u8],
    target: &mut Vec<u8>,
    find: impl Fn(&[u8]) -> Option<usize>,
    replace: impl Fn(u8, u8) -> Option<[u8; 4]>,
) -> Result<(), Lack> {
    target.clear();
    let mut at = 0;
    while let Some(found) = find(&text[at..]) {
        // The pair may begin with the byte before.
        let start = at + found.saturating_sub(1);
        target.add_all(&text[at..start])?;
        at = start;
        while at <= start + found.min(1) {
            match text.get(at + 1).and_then(|next| replace(text[at], *next)) {
                Some(pair) => {
                    target.add_all(&pair)?;
                    at += 2;
                }
                None => {
                    target.add(text[at])?;
                    at += 1;
                }
            }
        }
    }
    target.add_all(&text[at..])
}
