use super::*;
use crate::read::line::is_blank;

/// The bits of all ways that are there.
struct Look([u8; WIDTH]);

impl Task for Look {
    type Output = Ends;
    #[inline(always)]
    fn run(self, level: impl Level) -> Ends {
        level.ends(&self.0)
    }
}

fn check(bytes: [u8; WIDTH]) {
    let bits = |is: fn(u8) -> bool| (0..WIDTH).map(|at| u64::from(is(bytes[at])) << at).sum();
    let expected =
        Ends { words: bits(|byte| byte == b'\n' || is_blank(byte)), lines: bits(|byte| byte == b'\n') };
    for lanes in Lanes::ALL {
        assert_eq!(lanes.run(Look(bytes)), expected, "{lanes:?} {bytes:?}");
    }
}

#[test]
fn every_byte_is_known_at_every_place() {
    for byte in 0..=255 {
        for other in [b'x', b' ', b'\n', 0, 0xff] {
            for place in [0, 1, 7, 8, 15, 16, 31, 32, 47, 48, 63] {
                let mut bytes = [other; WIDTH];
                bytes[place] = byte;
                check(bytes);
            }
        }
    }
}

#[test]
fn all_ways_find_the_same_in_random_bytes() {
    let mut state = 1u64;
    for round in 0..20_000 {
        let random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let byte = (state >> 33) as u8;
            // Every other text is mostly made of the bytes that matter and their neighbours.
            if round % 2 == 0 {
                byte
            } else {
                [8, 9, 10, 13, 14, 31, 32, 33, 138, 160][usize::from(byte) % 10]
            }
        };
        check(std::array::from_fn({
            let mut random = random;
            move |_| random()
        }));
    }
}

/// How many bytes are alike, and the number that the first bytes of a text are, all ways that are there.
struct Compare([u8; 16], [u8; 16]);

impl Task for Compare {
    type Output = usize;
    #[inline(always)]
    fn run(self, level: impl Level) -> usize {
        level.alike(&self.0, &self.1)
    }
}

struct Number([u8; LOOKED_AT], usize);

impl Task for Number {
    type Output = Option<f64>;
    #[inline(always)]
    fn run(self, level: impl Level) -> Option<f64> {
        level.number(&self.0, self.1)
    }
}

#[test]
fn all_ways_see_where_texts_part() {
    for place in 0..=16 {
        let (one, mut other) = ([b'q'; 16], [b'q'; 16]);
        other.iter_mut().skip(place).step_by(3).for_each(|byte| *byte = b'r');
        for lanes in Lanes::ALL {
            assert_eq!(lanes.run(Compare(one, other)), place, "{lanes:?}");
        }
    }
}

#[test]
fn no_way_reads_a_number_as_another_one() {
    let mut state = 3u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for round in 0..if cfg!(miri) { 300 } else { 200_000 } {
        let alphabet: &[u8] = if round % 4 == 0 { b"0123456789.-+e /:\xff" } else { b"0123456789" };
        let mut text: [u8; LOOKED_AT] = std::array::from_fn(|_| alphabet[random(alphabet.len())]);
        text[random(LOOKED_AT)] = b'.';
        text[0] = if random(3) == 0 { b'-' } else { text[0] };
        let length = random(LOOKED_AT + 1);
        let word = std::str::from_utf8(&text[..length]).unwrap_or_default();
        let expected = word.parse::<f64>().ok().map(f64::to_bits);
        for lanes in Lanes::ALL {
            let found = lanes.run(Number(text, length)).map(f64::to_bits);
            assert!(found.is_none() || found == expected, "{lanes:?} {word:?} {found:?}");
            let digits = word.bytes().filter(u8::is_ascii_digit).count();
            let is_plain = word.bytes().skip(usize::from(text[0] == b'-')).all(|byte| byte != b'-')
                && word.bytes().all(|byte| byte.is_ascii_digit() || b"-.".contains(&byte));
            assert!(found.is_some() || expected.is_none() || !is_plain || digits > 7, "{lanes:?} {word:?}");
        }
    }
}

#[test]
fn the_best_way_is_one_that_is_there() {
    assert!(Lanes::best().is_available() && Lanes::ALL.contains(&Lanes::best()));
}
