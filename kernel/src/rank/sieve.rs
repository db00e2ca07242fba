//! A first look at the documents of a ranking: a bit for each hash tells which of them may be judged or stand there twice.
//! Few do, and only those are looked at one by one. Without it a TREC file on one thread takes 1.23 times as long.

use crate::memory::{Grow, Lack};

/// Longer rankings would take more memory than a processor has close by.
const LONGEST: usize = 1 << 14;
/// Bits for each document: one in that many is taken for another one.
const BITS: usize = 128;
/// How many documents may be looked at one by one: this many, and one in `BITS`.
const FEW: usize = 64;

/// One bit for each of the hashes seen so far.
#[derive(Debug, Default)]
pub struct Sieve {
    words: Vec<u64>,
    suspects: Vec<usize>,
}

impl Sieve {
    /// The positions, from first to last, of the documents that may be judged or be the same as an earlier one; none if
    /// there are too many. `judged` are the tags of the judged documents, `codes` the hashes of all documents.
    #[inline]
    pub fn suspects(&mut self, judged: &[u32], codes: &[u64]) -> Result<Option<&[usize]>, Lack> {
        let most = FEW + codes.len() / BITS;
        if codes.len() > LONGEST || judged.len() > LONGEST {
            return Ok(None);
        }
        self.suspects.clear();
        self.suspects.room(most)?;
        self.words.clear();
        self.words.fill((codes.len() * BITS / 64).next_power_of_two(), 0)?;
        let words = self.words.as_mut_slice();
        for &tag in judged {
            let (word, bit) = place(tag, words.len());
            words[word] |= bit;
        }
        for (position, &code) in codes.iter().enumerate() {
            let (word, bit) = place(tag(code), words.len());
            let seen = words[word];
            words[word] = seen | bit;
            if seen & bit != 0 {
                if self.suspects.len() == most {
                    return Ok(None);
                }
                self.suspects.push(position);
            }
        }
        Ok(Some(&self.suspects))
    }
}

/// What is known of a hash: its upper half.
#[inline]
pub fn tag(code: u64) -> u32 {
    (code >> 32) as u32
}

/// The word and the bit of a tag among so many words, a power of two.
#[inline]
fn place(tag: u32, words: usize) -> (usize, u64) {
    (tag as usize & (words - 1), 1 << (tag >> 26))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(count: usize) -> Vec<u64> {
        (1..=count as u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect()
    }

    #[test]
    fn judged_documents_and_repeats_are_always_suspects() {
        let mut sieve = Sieve::default();
        for count in [1, 2, 63, 64, 65, 1000, 5000, LONGEST] {
            let mut codes = codes(count);
            let judged = [tag(codes[count / 2]), tag(codes[0])];
            codes[count - 1] = codes[count / 3];
            let suspects = sieve.suspects(&judged, &codes).unwrap().unwrap();
            assert!(suspects.is_sorted());
            for expected in [0, count / 2, count - 1] {
                let is_repeated = codes[..expected].contains(&codes[expected]);
                let is_judged = judged.contains(&tag(codes[expected]));
                assert_eq!(suspects.contains(&expected), is_repeated || is_judged, "{count}");
            }
            assert!(suspects.len() <= FEW + count / BITS);
        }
    }
}
