//! Compressed files, and what may happen to them.

use arbitrary::Arbitrary;
use std::io::Write;

#[derive(Debug, Arbitrary)]
pub enum Format {
    Gzip,
    Bzip2,
    Xz,
    Zstandard,
}

#[derive(Debug, Arbitrary)]
pub enum Damage {
    /// Some bits of a byte are turned.
    Turn(u16, u8),
    /// The end is missing.
    Cut(u16),
    /// There is more than there should be.
    Append(Vec<u8>),
}

impl Format {
    /// The bytes that such a file begins with.
    pub fn magic(&self) -> &'static [u8] {
        match self {
            Self::Gzip => &[0x1f, 0x8b],
            Self::Bzip2 => b"BZh",
            Self::Xz => &[0xfd, b'7', b'z', b'X', b'Z', 0],
            Self::Zstandard => &[0x28, 0xb5, 0x2f, 0xfd],
        }
    }

    /// Whether a file of any format begins so.
    pub fn is_one(file: &[u8]) -> bool {
        [Self::Gzip, Self::Bzip2, Self::Xz, Self::Zstandard].iter().any(|each| file.starts_with(each.magic()))
    }

    pub fn compress(&self, text: &[u8]) -> Vec<u8> {
        self.try_compress(text).expect("a text in memory can be compressed")
    }

    fn try_compress(&self, text: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(text)?;
                encoder.finish()
            }
            Self::Bzip2 => {
                let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                encoder.write_all(text)?;
                encoder.finish()
            }
            Self::Xz => {
                let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
                encoder.write_all(text)?;
                encoder.finish()
            }
            Self::Zstandard => {
                let mut encoder = zstd::Encoder::new(Vec::new(), 1)?;
                encoder.include_checksum(true)?;
                encoder.write_all(text)?;
                encoder.finish()
            }
        }
    }

    /// Damages a file behind its first bytes, so that it still looks like one of this format.
    pub fn damage(&self, file: &mut Vec<u8>, damage: &Damage) {
        // Text may begin with the first bytes of bzip2, but not with its level and a mark too.
        let start = if matches!(self, Self::Bzip2) { 10 } else { self.magic().len() };
        let place = |at: u16| start + usize::from(at) % (file.len() - start);
        match *damage {
            Damage::Turn(at, bits) => {
                let at = place(at);
                file[at] ^= bits;
            }
            Damage::Cut(at) => file.truncate(place(at)),
            Damage::Append(ref more) => file.extend_from_slice(more),
        }
    }
}
