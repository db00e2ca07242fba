//! Which documents a query lists twice: a key of eight bytes for each row, its query and document hashed, in many small
//! piles that are sorted.

use crate::memory::{Grow, Lack};
use crate::parallel::on_threads;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

const PILES: usize = 1 << 8;
const LEAST: usize = 1 << 7;

/// The key of a row: its query, and the hash of its document. Different rows may have the same one: among
/// a billion, in one run of forty.
#[inline]
pub fn key_of(query: u32, code: u64) -> u64 {
    code ^ u64::from(query).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The keys that one thread has seen.
#[derive(Debug)]
pub struct Keys {
    piles: Vec<Vec<u64>>,
}

impl Keys {
    pub fn new() -> Self {
        Self { piles: vec![Vec::new(); PILES] }
    }

    #[inline]
    pub fn add(&mut self, key: u64) -> Result<(), Lack> {
        let pile = &mut self.piles[(key >> 56) as usize];
        if pile.len() == pile.capacity() {
            // Less at a time than a vector takes by itself: most of the memory is in these.
            let more = LEAST.max(pile.len() / 8);
            pile.try_reserve_exact(more).map_err(|_| Lack::Memory)?;
        }
        pile.push(key);
        Ok(())
    }
}

/// The keys that were seen more than once.
pub fn repeated(seen: &mut [Keys], threads: usize) -> Result<HashSet<u64>, Lack> {
    let mut piles = Vec::new();
    for number in 0..PILES {
        let own: Vec<Vec<u64>> =
            seen.iter_mut().map(|keys| std::mem::take(&mut keys.piles[number])).collect();
        piles.add(own)?;
    }
    let (piles, found) = (Mutex::new(piles), Mutex::new(Ok(HashSet::new())));
    on_threads(&mut vec![(); threads.max(1)], |()| {
        while let Some(pile) = { piles.lock().unwrap_or_else(PoisonError::into_inner).pop() } {
            let twice = twice_in(pile);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            match (twice, found.as_mut()) {
                (Ok(twice), Ok(found)) => found.extend(twice),
                (Err(lack), _) => *found = Err(lack),
                (Ok(_), Err(_)) => {}
            }
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The keys that a pile has more than once.
fn twice_in(mut parts: Vec<Vec<u64>>) -> Result<Vec<u64>, Lack> {
    let mut pile = parts.pop().unwrap_or_default();
    for part in parts {
        pile.add_all(&part)?;
    }
    pile.sort_unstable();
    let mut twice = Vec::new();
    for pair in pile.windows(2).filter(|pair| pair[0] == pair[1]) {
        twice.add(pair[0])?;
    }
    Ok(twice)
}
