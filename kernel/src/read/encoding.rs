//! Text that is not UTF-8: UTF-16 with a byte-order mark is read as UTF-8; other encodings that can be told are refused.

use std::fmt;
use std::io::{self, Chain, Cursor, Read, Take};

/// How many bytes tell the encoding.
const HEAD: usize = 4;
const CHUNK: usize = 1 << 16;

/// What is wrong with the encoding of a file.
#[derive(Debug)]
pub struct EncodingError(pub String);

impl fmt::Display for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EncodingError {}

fn refuse(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, EncodingError(message))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// UTF-8, or not text.
    Other,
    Utf16 {
        is_little: bool,
    },
    /// One that is not read, with the name that converters give it.
    Refused(&'static str, &'static str),
}

/// The encoding that the first bytes of a file tell.
fn encoding_of(head: &[u8]) -> Encoding {
    let is_text = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    match *head {
        [0xff, 0xfe, 0, 0] => Encoding::Refused("UTF-32", "UTF-32"),
        [0, 0, 0xfe, 0xff] => Encoding::Refused("UTF-32", "UTF-32"),
        [0xff, 0xfe, ..] => Encoding::Utf16 { is_little: true },
        [0xfe, 0xff, ..] => Encoding::Utf16 { is_little: false },
        [a, 0, 0, 0] if is_text(a) => Encoding::Refused("UTF-32 without a byte-order mark", "UTF-32LE"),
        [0, 0, 0, a] if is_text(a) => Encoding::Refused("UTF-32 without a byte-order mark", "UTF-32BE"),
        [a, 0, b, 0] if is_text(a) && is_text(b) => {
            Encoding::Refused("UTF-16 without a byte-order mark", "UTF-16LE")
        }
        [0, a, 0, b] if is_text(a) && is_text(b) => {
            Encoding::Refused("UTF-16 without a byte-order mark", "UTF-16BE")
        }
        _ => Encoding::Other,
    }
}

/// The text as UTF-8, if it is in an encoding that can be told; other content as it is.
pub fn decoded<R: Read + Send + 'static>(mut reader: R) -> io::Result<Box<dyn Read + Send>> {
    let mut head = [0u8; HEAD];
    let known = read_full(&mut reader, &mut head)?;
    let whole = Cursor::new(head).take(known as u64).chain(reader);
    match encoding_of(&head[..known]) {
        Encoding::Other => Ok(Box::new(whole)),
        Encoding::Utf16 { is_little } => Ok(Box::new(Utf16::new(whole, is_little))),
        Encoding::Refused(name, code) => Err(refuse(format!(
            "the text is {name}, which is not read; save it as UTF-8, for example with iconv -f {code} -t UTF-8"
        ))),
    }
}

/// Fills the buffer as far as the content goes.
pub fn read_full(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut known = 0;
    while known < buffer.len() {
        match reader.read(&mut buffer[known..]) {
            Ok(0) => break,
            Ok(count) => known += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(known)
}

/// Reads UTF-16 as UTF-8, without the byte-order mark.
struct Utf16<R> {
    inner: Chain<Take<Cursor<[u8; HEAD]>>, R>,
    is_little: bool,
    /// Bytes of characters that are not complete.
    rest: Vec<u8>,
    /// What is decoded and not yet given.
    text: String,
    given: usize,
    /// Bytes that were decoded, for messages.
    at: u64,
    begun: bool,
    done: bool,
}

impl<R: Read> Utf16<R> {
    fn new(inner: Chain<Take<Cursor<[u8; HEAD]>>, R>, is_little: bool) -> Self {
        Self {
            inner,
            is_little,
            rest: Vec::new(),
            text: String::new(),
            given: 0,
            at: 0,
            begun: false,
            done: false,
        }
    }

    /// Decodes the next bytes.
    fn fill(&mut self) -> io::Result<()> {
        (self.given, self.text) = (0, String::new());
        let mut bytes = std::mem::take(&mut self.rest);
        let kept = bytes.len();
        bytes.resize(kept + CHUNK, 0);
        let count = read_full(&mut self.inner, &mut bytes[kept..])?;
        bytes.truncate(kept + count);
        self.done = count < CHUNK;
        let units: Vec<u16> = bytes
            .chunks_exact(2)
            .map(|pair| [pair[0], pair[1]])
            .map(|pair| if self.is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
            .collect();
        // A character may go on in the next bytes.
        let is_cut = !self.done && units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
        let whole = units.len() - usize::from(is_cut);
        self.rest = bytes.split_off(2 * whole);
        self.text.reserve(whole + whole / 2);
        for character in char::decode_utf16(units.into_iter().take(whole)) {
            let Ok(character) = character else { return Err(self.broken("half of a surrogate pair")) };
            if self.begun || character != '\u{feff}' {
                self.text.push(character);
            }
            self.begun = true;
            self.at += 2 * character.len_utf16() as u64;
        }
        if self.done && !self.rest.is_empty() {
            return Err(self.broken("the end in the middle of a character"));
        }
        Ok(())
    }

    fn broken(&self, what: &str) -> io::Error {
        refuse(format!("{what} at byte {} is not valid UTF-16; save the text as UTF-8", self.at))
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() && !self.done {
            self.fill()?;
        }
        let left = &self.text.as_bytes()[self.given..];
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.given += count;
        Ok(count)
    }
}
