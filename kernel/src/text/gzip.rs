//! Reads gzip, one member after another. The checksum is taken with the instructions that processors have for it.

use crate::text::deflate::{Inflate, bits::Bits};
use crc32fast::Hasher;
use std::io::{self, BufRead, Read};

/// Longer names and comments are refused.
const LONGEST: usize = 65_535;
const CHECKED: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

fn mismatch() -> io::Error {
    invalid("corrupt gzip stream does not have a matching checksum")
}

/// Which part of a member comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    Body,
    Sums,
}

/// The content of all members.
#[derive(Debug)]
pub struct Gzip<R> {
    body: Inflate<R>,
    /// Up to where content was given.
    given: usize,
    /// Checksum and length of a member's content so far.
    crc: Hasher,
    length: u32,
    part: Part,
    is_first: bool,
    /// What is wrong behind the content that is there.
    fault: Option<io::Error>,
}

impl<R: BufRead> Gzip<R> {
    pub fn new(inner: R) -> Self {
        let body = Inflate::new(inner);
        let (crc, part) = (Hasher::new(), Part::Header);
        Self { body, given: 0, crc, length: 0, part, is_first: true, fault: None }
    }

    /// Reads up to the content of the next member; false if there is none.
    fn begin(&mut self) -> io::Result<bool> {
        let bits = &mut self.body.input;
        if !self.is_first && bits.is_empty()? {
            return Ok(false);
        }
        Header { bits, crc: Hasher::new() }.read()?;
        self.body.reset();
        (self.crc, self.length, self.part, self.is_first) = (Hasher::new(), 0, Part::Body, false);
        Ok(true)
    }

    /// Inflates some content.
    fn inflate(&mut self) {
        self.body.slide();
        self.given = self.body.end();
        match self.body.inflate() {
            Ok(true) => self.part = Part::Sums,
            Ok(false) => {}
            Err(error) => self.fault = Some(error),
        }
        let content = self.body.text(self.given);
        self.crc.update(content);
        self.length = self.length.wrapping_add(content.len() as u32);
    }

    /// Checks what follows the content.
    fn check(&mut self) -> io::Result<()> {
        let mut sums = [0; 8];
        for byte in &mut sums {
            *byte = self.body.input.byte()?;
        }
        let crc = std::mem::take(&mut self.crc).finalize();
        self.part = Part::Header;
        let expected = u64::from(self.length) << 32 | u64::from(crc);
        if u64::from_le_bytes(sums) == expected { Ok(()) } else { Err(mismatch()) }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let content = self.body.text(self.given);
            if !content.is_empty() || buffer.is_empty() {
                let count = content.len().min(buffer.len());
                buffer[..count].copy_from_slice(&content[..count]);
                self.given += count;
                return Ok(count);
            }
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            match self.part {
                Part::Header => {
                    if !self.begin()? {
                        return Ok(0);
                    }
                }
                Part::Body => self.inflate(),
                Part::Sums => self.check()?,
            }
        }
    }
}

/// What stands before the content of a member.
struct Header<'a, R> {
    bits: &'a mut Bits<R>,
    crc: Hasher,
}

impl<R: BufRead> Header<'_, R> {
    fn read(mut self) -> io::Result<()> {
        let [first, second, method, flags, ..] = self.bytes::<10>()?;
        if [first, second, method] != [0x1f, 0x8b, 8] || flags & RESERVED != 0 {
            return Err(invalid("invalid gzip header"));
        }
        if flags & EXTRA != 0 {
            for _ in 0..u16::from_le_bytes(self.bytes()?) {
                self.bytes::<1>()?;
            }
        }
        for _ in 0..(flags & (NAME | COMMENT)).count_ones() {
            self.text()?;
        }
        if flags & CHECKED != 0 {
            let crc = self.crc.clone().finalize() as u16;
            if u16::from_le_bytes(self.bytes()?) != crc {
                return Err(mismatch());
            }
        }
        Ok(())
    }

    fn bytes<const COUNT: usize>(&mut self) -> io::Result<[u8; COUNT]> {
        let mut bytes = [0; COUNT];
        for byte in &mut bytes {
            *byte = self.bits.byte()?;
        }
        self.crc.update(&bytes);
        Ok(bytes)
    }

    /// Reads a text that a zero ends.
    fn text(&mut self) -> io::Result<()> {
        for _ in 0..=LONGEST {
            if self.bytes()? == [0] {
                return Ok(());
            }
        }
        Err(invalid("gzip header field too long"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::bufread::MultiGzDecoder;
    use flate2::{Compression, GzBuilder};
    use std::io::Write;

    fn read(mut reader: impl Read) -> Result<Vec<u8>, (io::ErrorKind, String)> {
        let mut all = Vec::new();
        let read = reader.read_to_end(&mut all);
        // Readers have their own words for an end that comes too soon.
        let said = |error: &io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => String::new(),
            _ => error.to_string(),
        };
        read.map(|_| all).map_err(|error| (error.kind(), said(&error)))
    }

    /// Files that any reader must take, with all that may stand before the content.
    fn files() -> Vec<Vec<u8>> {
        let plain = |builder: GzBuilder, text: &[u8]| {
            let mut encoder = builder.write(Vec::new(), Compression::fast());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        let text = (0..3000).map(|number: u64| number.pow(3).to_string()).collect::<String>();
        let one = plain(GzBuilder::new(), text.as_bytes());
        let named =
            plain(GzBuilder::new().filename("a").comment("b c").extra(*b"extra").mtime(7), b"q1 0 d1 1\n");
        let mut checked = one.clone();
        checked[3] |= CHECKED;
        let sum = crc32fast::hash(&checked[..10]) as u16;
        checked.splice(10..10, sum.to_le_bytes());
        vec![one.clone(), named.clone(), checked, plain(GzBuilder::new(), b""), [one, named].concat()]
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes Miri minutes")]
    fn files_are_read_as_the_library_reads_them_whole_cut_or_damaged() {
        for file in files() {
            assert!(read(Gzip::new(&file[..])).is_ok());
            for at in (0..file.len()).step_by(1 + file.len() / 400) {
                let mut damaged = file.clone();
                damaged[at] ^= 1 << (at % 8);
                for content in [&file[..at], &damaged, &[&file[..], b"more"].concat()] {
                    let expected = read(MultiGzDecoder::new(content));
                    assert_eq!(read(Gzip::new(content)), expected, "{at} of {}", file.len());
                }
            }
        }
    }

    #[test]
    fn a_long_name_is_refused() {
        for (length, is_read) in [(10, true), (LONGEST, true), (LONGEST + 1, false)] {
            let name = b"x".repeat(length);
            let file =
                GzBuilder::new().filename(name).write(Vec::new(), Compression::fast()).finish().unwrap();
            assert_eq!(read(Gzip::new(&file[..])).is_ok(), is_read);
            assert_eq!(read(MultiGzDecoder::new(&file[..])).is_ok(), is_read);
        }
    }
}
