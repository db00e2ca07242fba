use super::*;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use std::io::BufReader;

/// How the reading of a stream ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Whole,
    Truncated,
    Corrupt,
}

/// The text, up to a fault if there is one, with so many bytes to read at once.
fn inflated(stream: &[u8], at_once: usize) -> (Vec<u8>, End) {
    let mut inflate = Inflate::new(BufReader::with_capacity(at_once, stream));
    let mut text = Vec::new();
    loop {
        inflate.slide();
        let known = inflate.end();
        let done = inflate.inflate();
        text.extend_from_slice(inflate.text(known));
        match done {
            Ok(false) => {}
            Ok(true) => return (text, End::Whole),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return (text, End::Truncated),
            Err(_) => return (text, End::Corrupt),
        }
    }
}

/// The same by the library.
fn expected(stream: &[u8]) -> (Vec<u8>, End) {
    let mut library = Decompress::new(false);
    let mut text = Vec::new();
    loop {
        let before = (library.total_in(), library.total_out());
        text.reserve(1 << 16);
        let rest = &stream[library.total_in() as usize..];
        match library.decompress_vec(rest, &mut text, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return (text, End::Whole),
            Ok(_) if before == (library.total_in(), library.total_out()) => return (text, End::Truncated),
            Ok(_) => {}
            Err(_) => return (text, End::Corrupt),
        }
    }
}

fn deflated(text: &[u8], level: u32) -> Vec<u8> {
    let mut stream = Vec::with_capacity(2 * text.len() + 1000);
    let done =
        Compress::new(Compression::new(level), false).compress_vec(text, &mut stream, FlushCompress::Finish);
    assert_eq!(done.unwrap(), Status::StreamEnd);
    stream
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

fn texts() -> Vec<Vec<u8>> {
    let mut random = Random(1);
    let mut texts = vec![Vec::new(), b"a".to_vec(), vec![0; 300_000], random.bytes(100_000)];
    // A run, larger than the window.
    let rows = (0..20_000).map(|row| {
        let (document, score) = (random.below(8_841_823), random.below(30_000_000));
        format!("{} Q0 {document} {row} {}.{:06} tag\n", row / 1000, score / 1_000_000, score % 1_000_000)
    });
    texts.push(rows.collect::<String>().into_bytes());
    // Repetitions near and far, short and long.
    for distance in (1..40).chain([257, 258, 259, 32_767, 32_768]) {
        let pattern = Random(distance as u64).bytes(distance);
        let mut text = pattern.repeat(1 + 600 / distance);
        text.extend_from_slice(b"between");
        text.extend_from_slice(&pattern.repeat(2));
        texts.push(text);
    }
    texts
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn text_of_any_kind_comes_back() {
    for text in texts() {
        for level in [0, 1, 6, 9] {
            let stream = deflated(&text, level);
            for at_once in [1, 7, 64, 1 << 18] {
                let (found, end) = inflated(&stream, at_once);
                assert!(found == text, "{} bytes, level {level}, {at_once} at once", text.len());
                assert_eq!(end, End::Whole);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn streams_that_end_too_soon_give_the_text_before() {
    let text = &texts()[4][..3000];
    for level in [0, 1, 9] {
        let stream = deflated(text, level);
        for cut in (0..stream.len()).step_by(if level == 0 { 7 } else { 1 }) {
            let (found, end) = inflated(&stream[..cut], 1 << 10);
            assert_eq!((found, end), expected(&stream[..cut]), "level {level}, {cut} bytes");
        }
    }
}

/// Bits one after another.
#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    count: usize,
}

impl Written {
    fn add(&mut self, bits: usize, count: usize) {
        for at in 0..count {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().unwrap() |= ((bits >> at & 1) as u8) << (self.count % 8);
            self.count += 1;
        }
    }
}

/// Lengths of codes for some of the symbols that make a code, with long ones among them.
fn complete(random: &mut Random, symbols: usize, codes: usize) -> Vec<u8> {
    let mut leaves = vec![0u8];
    while leaves.len() < codes {
        // Late leaves are deep.
        let few = 1 + random.below(9);
        let at = leaves.len() - 1 - random.below(leaves.len().min(few));
        if leaves[at] < 15 {
            leaves[at] += 1;
            leaves.insert(at, leaves[at]);
        } else {
            leaves.rotate_right(1);
        }
    }
    let mut lengths = vec![0; symbols];
    for leaf in leaves {
        let free: Vec<usize> = (0..symbols).filter(|&at| lengths[at] == 0).collect();
        lengths[free[random.below(free.len())]] = leaf;
    }
    lengths
}

/// A block with these codes, their lengths told one by one in four bits.
fn block(literals: &[u8], distances: &[u8], body: &[u8]) -> Vec<u8> {
    let mut written = Written::default();
    written.add(0b101, 3);
    written.add(literals.len() - 257, 5);
    written.add(distances.len() - 1, 5);
    written.add(19 - 4, 4);
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] {
        written.add(if symbol < 16 { 4 } else { 0 }, 3);
    }
    for &length in literals.iter().chain(distances) {
        written.add(usize::from(length.reverse_bits() >> 4), 4);
    }
    body.iter().for_each(|&byte| written.add(usize::from(byte), 8));
    written.bytes
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn streams_of_any_codes_are_read_as_the_library_reads_them() {
    let mut random = Random(2);
    let mut ends = [0; 3];
    for round in 0..1600 {
        let (symbols, places) = (257 + random.below(32), 1 + random.below(32));
        let count = 2 + random.below(symbols - 2);
        let mut literals = complete(&mut random, symbols.min(286), count.min(286));
        let count = 1 + random.below(places);
        let mut distances = complete(&mut random, places, count);
        // A length too many or too few, or a single code.
        match round % 8 {
            0 => literals[256] = random.below(16) as u8,
            1 => distances[0] = random.below(16) as u8,
            2 => distances.fill(0),
            3 => {
                distances.fill(0);
                distances[0] = 1 + random.below(2) as u8;
            }
            _ => {}
        }
        literals.resize(symbols, 0);
        let size = random.below(3000);
        let stream = block(&literals, &distances, &random.bytes(size));
        let found = expected(&stream);
        assert_eq!(inflated(&stream, 1 << 18), found, "{round}");
        ends[match found.1 {
            End::Whole => 0,
            End::Truncated => 1,
            End::Corrupt => 2,
        }] += 1;
    }
    assert!(ends.iter().all(|&count| count > 50), "{ends:?}");
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn any_bytes_are_read_as_the_library_reads_them() {
    let mut random = Random(3);
    for round in 0..3000 {
        let size = 1 + random.below(300);
        let mut stream = random.bytes(size);
        // Blocks of each kind, most of them of codes that are known.
        stream[0] = stream[0] & !7 | [0b011, 0b010, 0b001, 0b100, 0b110][round % 5];
        assert_eq!(inflated(&stream, [1, 16, 1 << 18][round % 3]), expected(&stream), "{round}: {stream:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn codes_of_lengths_of_any_kind_are_read_as_the_library_reads_them() {
    let mut random = Random(4);
    for round in 0..3000 {
        let mut lengths = [0; 19];
        // None, one, a few, or a whole code.
        match round % 4 {
            0 => (0..random.below(2)).for_each(|_| lengths[random.below(19)] = 1 + random.below(7) as u8),
            1 => (0..2 + random.below(4)).for_each(|_| lengths[random.below(19)] = 1 + random.below(7) as u8),
            _ => {
                let codes = 2 + random.below(6);
                complete(&mut random, 19, codes)
                    .iter()
                    .zip(&mut lengths)
                    .for_each(|(from, to)| *to = *from & 7);
            }
        }
        let mut written = Written::default();
        written.add(0b101, 3);
        written.add(random.below(30), 5);
        written.add(random.below(30), 5);
        written.add(19 - 4, 4);
        lengths.iter().for_each(|&length| written.add(usize::from(length), 3));
        // The same bit again and again is a single code again and again.
        let byte = [0, 255][round % 2];
        let body = if round % 8 < 4 { vec![byte; 100] } else { random.bytes(100) };
        body.iter().for_each(|&byte| written.add(usize::from(byte), 8));
        assert_eq!(inflated(&written.bytes, 1 << 18), expected(&written.bytes), "{round}: {lengths:?}");
    }
}
