//! Memory that grows with the input. Where it cannot be had, that is an error, not the end of the process.

use crate::failure;
use crate::fault::{Fault, Kind};
use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    Memory,
    /// Queries, documents and rows are numbered in 32 bits.
    Numbers,
}

impl From<Lack> for Fault {
    #[cold]
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Memory => {
                *reserve() = Vec::new();
                Self::new(
                    Kind::Memory,
                    "not enough memory; free some, or give the data in smaller parts, some queries at a time",
                )
            }
            Lack::Numbers => {
                Self::format(format!("more than {MOST} queries, documents or rows; split the data"))
            }
        }
    }
}

/// How many queries, documents of a query and rows of judgments there may be.
pub const MOST: usize = u32::MAX as usize - 1;

/// The next number of something of which there are `count` already.
#[inline]
pub fn number(count: usize) -> Result<u32, Lack> {
    if count < MOST { Ok(count as u32) } else { Err(Lack::Numbers) }
}

/// A vector that grows only as far as there is memory.
pub trait Grow<T> {
    fn room(&mut self, more: usize) -> Result<(), Lack>;
    fn add(&mut self, value: T) -> Result<(), Lack>;
    fn add_each(&mut self, values: impl Iterator<Item = T>) -> Result<(), Lack>;
    fn add_all(&mut self, values: &[T]) -> Result<(), Lack>
    where
        T: Copy;
    /// Makes it `size` long; what is new is `value`.
    fn fill(&mut self, size: usize, value: T) -> Result<(), Lack>
    where
        T: Copy;
}

impl<T> Grow<T> for Vec<T> {
    #[inline]
    fn room(&mut self, more: usize) -> Result<(), Lack> {
        if self.capacity() - self.len() < more { grow(self, more) } else { Ok(()) }
    }

    #[inline]
    fn add(&mut self, value: T) -> Result<(), Lack> {
        self.room(1)?;
        self.push(value);
        Ok(())
    }

    #[inline]
    fn add_each(&mut self, values: impl Iterator<Item = T>) -> Result<(), Lack> {
        self.room(values.size_hint().0)?;
        for value in values {
            self.add(value)?;
        }
        Ok(())
    }

    #[inline]
    fn add_all(&mut self, values: &[T]) -> Result<(), Lack>
    where
        T: Copy,
    {
        self.room(values.len())?;
        self.extend_from_slice(values);
        Ok(())
    }

    #[inline]
    fn fill(&mut self, size: usize, value: T) -> Result<(), Lack>
    where
        T: Copy,
    {
        self.room(size.saturating_sub(self.len()))?;
        self.resize(size, value);
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn grow<T>(vector: &mut Vec<T>, more: usize) -> Result<(), Lack> {
    if failure::fails() {
        return Err(Lack::Memory);
    }
    vector.try_reserve(more).map_err(|_| Lack::Memory)?;
    if vector.capacity() * size_of::<T>() > SMALL { spare() } else { Ok(()) }
}

/// What is large leaves some memory for the many small things around it, and so does whoever called: they cannot ask whether
/// there is any, and Rust ends the process if there is none. To say that it ran out takes some too, which is held for that.
pub fn spare() -> Result<(), Lack> {
    let held = reserve().try_reserve_exact(SPARE);
    if held.is_ok() && has_memory(SPARE) { Ok(()) } else { Err(Lack::Memory) }
}

fn reserve() -> MutexGuard<'static, Vec<u8>> {
    static RESERVE: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    RESERVE.lock().unwrap_or_else(PoisonError::into_inner)
}

const SPARE: usize = 1 << 20;
/// The largest of the small things: a reader's buffer.
const SMALL: usize = 1 << 17;

/// What a thread needs, generously: the C library ends the process if a thread that has its stack lacks the rest. So much
/// comes from the system itself, not from what was freed.
pub const THREAD: usize = 40 << 20;

/// Whether so many bytes can be had, for what cannot ask itself.
pub fn has_memory(bytes: usize) -> bool {
    let mut room = Vec::<u8>::new();
    let is_there = room.try_reserve_exact(bytes).is_ok();
    // The compiler may leave out what is allocated and not used.
    black_box(&mut room);
    is_there
}

/// A vector of `size` times the same.
pub fn filled<T: Copy>(size: usize, value: T) -> Result<Vec<T>, Lack> {
    let mut vector = Vec::new();
    vector.fill(size, value)?;
    Ok(vector)
}

/// The same once more.
pub fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>, Lack> {
    let mut vector = Vec::new();
    vector.add_all(values)?;
    Ok(vector)
}

/// What an iterator gives.
pub fn collected<T>(values: impl Iterator<Item = T>) -> Result<Vec<T>, Lack> {
    let mut vector = Vec::new();
    vector.add_each(values)?;
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        let mut numbers: Vec<u64> = vec![1];
        assert_eq!(numbers.room(usize::MAX / 16), Err(Lack::Memory));
        assert_eq!(numbers.fill(usize::MAX / 8, 0), Err(Lack::Memory));
        assert_eq!(filled(usize::MAX / 8, 0u64), Err(Lack::Memory));
        numbers.add(2).unwrap();
        assert_eq!(numbers, [1, 2]);
    }

    #[test]
    fn numbers_end_before_32_bits_do() {
        assert_eq!(number(MOST - 1), Ok(u32::MAX - 2));
        assert_eq!(number(MOST), Err(Lack::Numbers));
    }
}
