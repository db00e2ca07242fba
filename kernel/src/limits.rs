//! How much input is taken before it is refused. None of these changes a number; each keeps hostile input from taking
//! all memory, all time or the whole disk.

use crate::fault::{Fault, Kind};

/// Compressed data may grow to this many bytes, whatever its ratio.
pub const FREE: u64 = 1 << 30;

/// What the caller allows; see `core/limits.py`, which has the same defaults and explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "python", derive(pyo3::FromPyObject))]
pub struct Limits {
    /// Bytes of one line.
    pub line: usize,
    /// Rows of one query in a text file, which are held at a time.
    pub rows: usize,
    /// Bytes that come out of one compressed file.
    pub decompressed: u64,
    /// How many times as many as went in.
    pub ratio: u64,
    /// Bytes of a decompressed copy.
    pub temporary: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { line: 1 << 20, rows: 100_000_000, decompressed: 1 << 40, ratio: 500, temporary: 1 << 36 }
    }
}

/// A number of bytes, in the largest unit that writes it exactly.
pub fn size(count: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let exact = units.iter().find(|(shift, _)| count.is_multiple_of(1 << shift));
    exact.map_or_else(|| format!("{count} bytes"), |(shift, unit)| format!("{} {unit}", count >> shift))
}

/// The fault of input that is past the limit of that name.
#[cold]
pub fn refuse(what: &str, name: &str, twice: u64) -> Fault {
    let advice = format!("limits({name}={twice}) in Python, assay --limit {name}={twice} in the shell");
    Fault::new(Kind::Limit, format!("{what}; if that is right, raise the limit: {advice}"))
}
