//! Reads gzip, one member after another; zeros behind the last one fill a tape's block and are no content, as for gzip.

use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// The content of all members.
pub struct Gzip<R> {
    /// None at the end.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    pub fn new(inner: R) -> Self {
        Self { member: Some(GzDecoder::new(inner)) }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(mut inner) = self.member.take().map(GzDecoder::into_inner) else { break };
            self.member = if goes_on(&mut inner)? { Some(GzDecoder::new(inner)) } else { None };
        }
        Ok(0)
    }
}

/// Whether another member follows, behind any zeros.
fn goes_on(inner: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let rest = inner.fill_buf()?;
        let (length, zeros) = (rest.len(), rest.iter().take_while(|byte| **byte == 0).count());
        inner.consume(zeros);
        if zeros < length || length == 0 {
            return Ok(length > 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, GzBuilder};
    use std::io::Write;

    fn member(builder: GzBuilder, text: &str) -> Vec<u8> {
        let mut encoder = builder.write(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn read(file: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        // So little at a time that zeros and members go on behind it.
        Gzip::new(io::BufReader::with_capacity(7, file)).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn all_members_are_read_and_zeros_behind_them_ignored() {
        let named = GzBuilder::new().filename("a").comment("b c").extra(*b"extra").mtime(7);
        let (one, other) = (member(named, "one "), member(GzBuilder::new(), "other"));
        let none = member(GzBuilder::new(), "");
        for zeros in [0, 1, 6, 7, 8, 100] {
            let zeros = vec![0; zeros];
            let file = [&one[..], &none, &zeros, &other, &none, &zeros].concat();
            assert_eq!(read(&file).unwrap(), "one other");
        }
        for rest in [&b"\0more"[..], b"\x1f", b"\0\x1f\x8b"] {
            assert!(read(&[&one, rest].concat()).is_err());
        }
    }
}
