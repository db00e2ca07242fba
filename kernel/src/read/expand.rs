//! Reads a file as it is or decompressed, as its first bytes say, and stops where it grows past the limits.

use crate::failure;
use crate::limits::{FREE, Limits, refuse, size, thousands};
use crate::memory::has_memory;
use crate::read::encoding::decoded;
use crate::read::gzip::Gzip;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Compressed bytes that are taken at a time.
const BUFFER: usize = 1 << 18;
/// What a decoder needs to begin, generously: some of them do not survive it if that is not there.
const DECODER: usize = 1 << 23;

/// A file, decompressed if it has to be.
pub struct Opened {
    pub reader: Box<dyn Read + Send>,
    pub is_packed: bool,
}

pub fn open(
    path: &Path,
    progress: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    limits: Limits,
) -> io::Result<Opened> {
    if failure::fails() {
        return Err(io::Error::from_raw_os_error(TOO_MANY_FILES));
    }
    let mut file = File::open(path)?;
    let mut magic = [0u8; 10];
    let mut known = 0;
    while known < magic.len() {
        match file.read(&mut magic[known..])? {
            0 => break,
            count => known += count,
        }
    }
    let start = io::Cursor::new(magic).take(known as u64);
    let taken = Arc::new(AtomicU64::new(0));
    let whole =
        Counted { inner: Stoppable { inner: start.chain(file), stop }, progress, taken: Arc::clone(&taken) };
    let magic = &magic[..known];
    if magic.starts_with(&[0x1f, 0x8b]) {
        limited(Gzip::new(buffered(whole)?), taken, limits)
    } else if is_zstandard(magic) {
        check_memory()?;
        limited(Framed(zstd::stream::read::Decoder::new(whole)?), taken, limits)
    } else if is_bzip2(magic) {
        limited(Bzip2::new(buffered(whole)?), taken, limits)
    } else if magic.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
        check_memory()?;
        limited(liblzma::read::XzDecoder::new_multi_decoder(whole), taken, limits)
    } else {
        Ok(Opened { reader: decoded(whole)?, is_packed: false })
    }
}

/// Whether these first bytes begin a frame of Zstandard, or one to be skipped, as pzstd writes them before the others.
fn is_zstandard(start: &[u8]) -> bool {
    start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) || matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Whether bzip2 wrote these first bytes. Text may begin with "BZh" too, so the size of the blocks and the mark of the
/// first one, or of an end without blocks, are looked at as well, as far as the file has them.
fn is_bzip2(start: &[u8]) -> bool {
    let is_level = start.get(3).is_none_or(|level| (b'1'..=b'9').contains(level));
    let mark = start.get(4..).unwrap_or_default();
    let is_mark = b"1AY&SY".starts_with(mark) || [0x17, 0x72, 0x45, 0x38, 0x50, 0x90].starts_with(mark);
    start.starts_with(b"BZh") && is_level && is_mark
}

const TOO_MANY_FILES: i32 = 24;
const INPUT_ERROR: i32 = 5;

/// Raises if there is not enough memory for a decoder.
fn check_memory() -> io::Result<()> {
    if failure::fails() || !has_memory(DECODER) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    Ok(())
}

fn buffered<R: Read>(reader: R) -> io::Result<BufReader<R>> {
    check_memory()?;
    Ok(BufReader::with_capacity(BUFFER, reader))
}

/// Fails once it is told to stop.
pub struct Stoppable<R> {
    pub inner: R,
    pub stop: Arc<AtomicBool>,
}

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            Err(io::Error::other("stopped"))
        } else {
            self.inner.read(buffer)
        }
    }
}

/// Counts the bytes that are read from the file itself.
struct Counted<R> {
    inner: R,
    /// Over all files of a source, for whoever watches.
    progress: Arc<AtomicU64>,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if failure::fails() {
            return Err(io::Error::from_raw_os_error(INPUT_ERROR));
        }
        let count = self.inner.read(buffer)?;
        self.progress.fetch_add(count as u64, Ordering::Relaxed);
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Counts the bytes that come out of a decoder, against those that went in.
struct Limited<R> {
    inner: R,
    given: u64,
    taken: Arc<AtomicU64>,
    limits: Limits,
}

fn limited<R: Read + Send + 'static>(inner: R, taken: Arc<AtomicU64>, limits: Limits) -> io::Result<Opened> {
    Ok(Opened { reader: decoded(Limited { inner, given: 0, taken, limits })?, is_packed: true })
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if failure::fails() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let count = self.inner.read(buffer)?;
        self.given += count as u64;
        let Limits { decompressed, ratio, .. } = self.limits;
        if self.given > decompressed {
            let what = format!("more than {} when decompressed", size(decompressed));
            return Err(io::Error::other(refuse(what, "decompressed", decompressed)));
        }
        if self.given > FREE && self.given / ratio.max(1) > self.taken.load(Ordering::Relaxed) {
            let what = format!("more than {} times as large when decompressed", thousands(ratio));
            return Err(io::Error::other(refuse(what, "ratio", ratio)));
        }
        Ok(count)
    }
}

/// Gives zstd's "incomplete frame" the kind that the other decoders give a truncated file.
struct Framed<R>(R);

impl<R: Read> Read for Framed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| {
            let truncated = error.to_string().contains("incomplete frame");
            if truncated { io::Error::new(io::ErrorKind::UnexpectedEof, error) } else { error }
        })
    }
}

/// One stream of bzip2 after another. The crate's own reader never ends where a stream cannot have its memory.
struct Bzip2<R> {
    inner: R,
    stream: Option<bzip2::Decompress>,
}

impl<R: BufRead> Bzip2<R> {
    fn new(inner: R) -> Self {
        Self { inner, stream: None }
    }
}

impl<R: BufRead> Read for Bzip2<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.inner.fill_buf()?;
            let stream = match (&mut self.stream, input.is_empty()) {
                (Some(stream), _) => stream,
                (None, true) => return Ok(0),
                (none, false) => {
                    check_memory()?;
                    none.insert(bzip2::Decompress::new(false))
                }
            };
            let (taken, given) = (stream.total_in(), stream.total_out());
            let status = stream.decompress(input, buffer);
            let (taken, given) = (stream.total_in() - taken, (stream.total_out() - given) as usize);
            let is_stuck = input.is_empty() && given == 0;
            self.inner.consume(taken as usize);
            match status.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))? {
                bzip2::Status::StreamEnd => self.stream = None,
                bzip2::Status::MemNeeded => return Err(io::ErrorKind::OutOfMemory.into()),
                _ if is_stuck => return Err(io::ErrorKind::UnexpectedEof.into()),
                _ => {}
            }
            if given > 0 || buffer.is_empty() {
                return Ok(given);
            }
        }
    }
}
