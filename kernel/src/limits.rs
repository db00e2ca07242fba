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
    let (shift, unit) = exact.unwrap_or(&(0, "bytes"));
    format!("{} {unit}", thousands(count >> shift))
}

/// A number with a comma after each third digit.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let comma = |place: usize| if place > 0 && (digits.len() - place).is_multiple_of(3) { "," } else { "" };
    digits.chars().enumerate().map(|(place, digit)| format!("{}{digit}", comma(place))).collect()
}

/// The fault of input that is past the limit of that name; `core/limits.py` adds how to raise it.
#[cold]
pub fn refuse(what: impl Into<String>, name: &'static str, most: u64) -> Fault {
    Fault::new(Kind::Limit { name, most }, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_exact() {
        let shown = [(1 << 20, "1 MiB"), (64 << 30, "64 GiB"), (999, "999 bytes"), (1000, "1,000 bytes")];
        for (count, text) in shown {
            assert_eq!(size(count), text);
        }
        assert_eq!([0, 12_345, 1_234_567].map(thousands), ["0", "12,345", "1,234,567"]);
    }
}
