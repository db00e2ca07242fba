//! Files that look compressed. A valid one is read back. A damaged one is a fault or loses nothing; a cut one is a
//! fault. Any bytes after the first ones of a format are read or refused.

#![no_main]

use arbitrary::Arbitrary;
use assay_kernel::fault::{Fault, Kind};
use assay_kernel::text::source::Source;
use libfuzzer_sys::fuzz_target;
use std::io::{Read, Write};

/// The most that is read: a small file may stand for a huge text.
const MOST: u64 = 16 << 20;

#[derive(Debug, Arbitrary)]
enum Format {
    Gzip,
    Bzip2,
    Xz,
    Zstandard,
}

#[derive(Debug, Arbitrary)]
enum Damage {
    None,
    /// Some bits of a byte are turned.
    Turn(u16, u8),
    /// The end is missing.
    Cut(u16),
    /// There is more than there should be.
    Append(Vec<u8>),
}

#[derive(Debug, Arbitrary)]
enum Case {
    /// The first bytes of a format, and others.
    Bytes(Format, Vec<u8>),
    /// What a compressor wrote, with some damage.
    Compressed(Format, Vec<u8>, Damage),
}

fuzz_target!(|case: Case| match case {
    Case::Bytes(format, bytes) => {
        let file = [format.magic(), &bytes].concat();
        if let Err(fault) = read(&file) {
            assert_eq!(fault.kind, Kind::File);
        }
    }
    Case::Compressed(format, text, damage) => {
        let mut file = format.compress(&text);
        match damage {
            Damage::None => assert_eq!(read(&file).unwrap(), text),
            Damage::Turn(at, bits) => {
                let magic = format.magic().len();
                let at = magic + usize::from(at) % (file.len() - magic);
                file[at] ^= bits;
                if let Ok(read) = read(&file) {
                    assert_eq!(read, text, "byte {at} was changed by {bits:#x}");
                }
            }
            Damage::Cut(length) => {
                let magic = format.magic().len();
                file.truncate(magic + usize::from(length) % (file.len() - magic));
                let fault = read(&file).expect_err("the end is missing");
                assert_eq!(fault.kind, Kind::File);
            }
            Damage::Append(more) => {
                file.extend_from_slice(&more);
                if let Ok(read) = read(&file) {
                    assert!(read.starts_with(&text));
                }
            }
        }
    }
});

fn read(file: &[u8]) -> Result<Vec<u8>, Fault> {
    let source = Source::new(naive::file(file), "file");
    let mut bytes = Vec::new();
    let mut reader = source.open()?.take(MOST);
    reader.read_to_end(&mut bytes).map_err(|error| source.fault(&error))?;
    Ok(bytes)
}

impl Format {
    fn magic(&self) -> &'static [u8] {
        match self {
            Self::Gzip => &[0x1f, 0x8b],
            Self::Bzip2 => b"BZh",
            Self::Xz => &[0xfd, b'7', b'z', b'X', b'Z', 0],
            Self::Zstandard => &[0x28, 0xb5, 0x2f, 0xfd],
        }
    }

    fn compress(&self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            Self::Bzip2 => {
                let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            Self::Xz => {
                let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            Self::Zstandard => {
                let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
                encoder.include_checksum(true).unwrap();
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
        }
    }
}
