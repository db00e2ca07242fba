//! Hands the blocks of a file to the threads that work on them.
//!
//! Reading is one thread's at a time. Where a file is compressed it takes longer than the work on what was read, so whoever
//! reads goes on with it while others work, until enough blocks wait: nobody has to wake up for the reading to go on. A
//! block of a plain file is worked on by the thread that read it, in whose cache it is.

use crate::fault::Fault;
use crate::read::block::{Block, Blocks};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The blocks of a file, for several threads.
pub struct Feed<'a> {
    blocks: Mutex<Blocks<'a>>,
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// How many blocks may wait; with none, each is for the thread that read it.
    most: usize,
}

/// Blocks that were read, in order.
#[derive(Debug, Default)]
struct Waiting {
    blocks: VecDeque<(usize, Block)>,
    /// Blocks to read to.
    spare: Vec<Block>,
    is_read: bool,
    /// Nothing follows but this fault, if there is one.
    end: Option<Result<(), Fault>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Feed<'a> {
    pub fn new(blocks: Blocks<'a>, threads: usize) -> Self {
        let most = if threads > 1 && blocks.is_packed() { threads } else { 0 };
        Self { blocks: Mutex::new(blocks), waiting: Mutex::default(), changed: Condvar::new(), most }
    }

    /// Reads the first block before any other call, and gives its text; it is still the first that `next` gives.
    pub fn first(&mut self) -> Result<&[u8], Fault> {
        let mut block = Block::default();
        let blocks = self.blocks.get_mut().unwrap_or_else(PoisonError::into_inner);
        let waiting = self.waiting.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = blocks.next(&mut block)? {
            waiting.blocks.push_back((number, block));
        }
        Ok(waiting.blocks.front().map_or(&[], |(_, block)| block.text()))
    }

    /// Makes the blocks that are yet to be read so many times as large.
    pub fn enlarge(&mut self, times: usize) {
        self.blocks.get_mut().unwrap_or_else(PoisonError::into_inner).enlarge(times);
    }

    pub fn into_blocks(self) -> Blocks<'a> {
        self.blocks.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fills `block` with the next lines and gives the block's number, or `None` at the end. A fault comes after all blocks
    /// before it, to one thread.
    pub fn next(&self, block: &mut Block) -> Result<Option<usize>, Fault> {
        let mut waiting = lock(&self.waiting);
        if self.most == 0 && waiting.blocks.is_empty() {
            drop(waiting);
            return lock(&self.blocks).next(block);
        }
        loop {
            if !waiting.is_read && waiting.end.is_none() && waiting.blocks.len() < self.most {
                waiting = self.read(waiting);
            } else if let Some((number, next)) = waiting.blocks.pop_front() {
                let done = std::mem::replace(block, next);
                waiting.spare.push(done);
                return Ok(Some(number));
            } else if let Some(end) = &mut waiting.end {
                return std::mem::replace(end, Ok(())).map(|()| None);
            } else {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Reads one block while others may take those that wait.
    fn read<'b>(&'b self, mut waiting: MutexGuard<'b, Waiting>) -> MutexGuard<'b, Waiting> {
        let mut block = waiting.spare.pop().unwrap_or_default();
        waiting.is_read = true;
        drop(waiting);
        let reading = Reading(self);
        let next = lock(&self.blocks).next(&mut block);
        std::mem::forget(reading);
        let mut waiting = lock(&self.waiting);
        waiting.is_read = false;
        match next {
            Ok(Some(number)) => {
                waiting.blocks.push_back((number, block));
                self.changed.notify_one();
            }
            end => {
                waiting.end = Some(end.map(|_| ()));
                self.changed.notify_all();
            }
        }
        waiting
    }
}

/// Ends the file for all threads if it is dropped: reading has panicked, and nobody shall wait for it.
struct Reading<'a, 'b>(&'a Feed<'b>);

impl Drop for Reading<'_, '_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.0.waiting);
        waiting.is_read = false;
        waiting.end.get_or_insert(Ok(()));
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Kind;
    use crate::read::source::Source;
    use std::io::Write;
    use std::thread::scope;

    const ROWS: usize = 3000;

    /// Rows of many queries, compressed, and cut behind some of them.
    fn source(name: &str, is_cut: bool) -> Source {
        let text: String = (0..ROWS).map(|row| format!("q{} Q0 d{row} 1 1 t\n", row / 3)).collect();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        let mut file = encoder.finish().unwrap();
        file.truncate(if is_cut { file.len() / 2 } else { file.len() });
        let path = std::env::temp_dir().join(format!("assay-feed-{}-{name}", std::process::id()));
        std::fs::write(&path, file).unwrap();
        Source::new(path, name)
    }

    /// What each of some threads is given: numbers and texts of blocks, and faults.
    fn given(source: &Source, threads: usize) -> (Vec<(usize, String)>, Vec<Fault>) {
        let feed = Feed::new(Blocks::open(source, 256).unwrap(), threads);
        let (all, faults) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut block = Block::default();
                    loop {
                        match feed.next(&mut block) {
                            Ok(None) => return,
                            Ok(Some(number)) => {
                                let text = String::from_utf8(block.text().to_vec()).unwrap();
                                lock(&all).push((number, text));
                            }
                            Err(fault) => return lock(&faults).push(fault),
                        }
                    }
                });
            }
        });
        let mut all = all.into_inner().unwrap();
        all.sort();
        (all, faults.into_inner().unwrap())
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes Miri minutes")]
    fn threads_together_get_each_block_once() {
        let source = source("whole", false);
        let (expected, _) = given(&source, 1);
        assert!(expected.len() > 50);
        for threads in 2..5 {
            assert_eq!(given(&source, threads), (expected.clone(), vec![]), "{threads} threads");
        }
        std::fs::remove_file(&source.parts[0].path).unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes Miri minutes")]
    fn a_fault_comes_once_and_after_all_blocks_before_it() {
        let source = source("cut", true);
        let (expected, _) = given(&source, 1);
        assert!(expected.len() > 20);
        for threads in 1..5 {
            let (all, faults) = given(&source, threads);
            assert_eq!(all, expected, "{threads} threads");
            assert_eq!(faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [Kind::File]);
        }
        std::fs::remove_file(&source.parts[0].path).unwrap();
    }

    #[test]
    fn nobody_waits_for_a_reader_that_panicked() {
        let source = source("panic", false);
        let feed = Feed::new(Blocks::open(&source, 256).unwrap(), 2);
        lock(&feed.waiting).is_read = true;
        scope(|scope| {
            let waits = scope.spawn(|| feed.next(&mut Block::default()));
            drop(Reading(&feed));
            assert_eq!(waits.join().unwrap(), Ok(None));
        });
        std::fs::remove_file(&source.parts[0].path).unwrap();
    }
}
