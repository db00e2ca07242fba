//! Which of the next 64 bytes end a word and which end a line, a bit each, found with the widest vectors that the processor
//! has. All ways give the same bits. Other work runs with the same vectors if it is a `Task`.

use crate::read::number::{LOOKED_AT, plain_number};

/// How many bytes are looked at together.
pub const WIDTH: usize = 64;

/// Bit `i` is about byte `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    /// Blanks and newlines.
    pub words: u64,
    /// Newlines.
    pub lines: u64,
}

/// A way to look.
pub trait Level: Copy {
    fn ends(self, bytes: &[u8; WIDTH]) -> Ends;

    /// How many bytes are the same before the first that differ.
    #[inline(always)]
    fn alike(self, one: &[u8; 16], other: &[u8; 16]) -> usize {
        let differences = u128::from_le_bytes(*one) ^ u128::from_le_bytes(*other);
        differences.trailing_zeros() as usize / 8
    }

    /// The number that the first `length` bytes are, if it is a decimal one with few digits. How few depends on the way.
    #[inline(always)]
    fn number(self, text: &[u8; LOOKED_AT], length: usize) -> Option<f64> {
        plain_number(text, length)
    }
}

/// What is done with the level that the processor has. `run` is compiled once for each, so it must be inlined: what else is
/// in it then uses the same vectors.
pub trait Task {
    type Output;
    fn run(self, level: impl Level) -> Self::Output;
}

/// The ways there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// Eight bytes in a register.
    Portable,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Lanes {
    #[cfg(target_arch = "x86_64")]
    pub const ALL: &[Self] = &[Self::Portable, Self::Sse2, Self::Avx2];
    #[cfg(target_arch = "aarch64")]
    pub const ALL: &[Self] = &[Self::Portable, Self::Neon];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub const ALL: &[Self] = &[Self::Portable];

    /// The fastest that this processor has.
    pub fn best() -> Self {
        let available = Self::ALL.iter().rev().find(|lanes| lanes.is_available());
        available.copied().unwrap_or(Self::Portable)
    }

    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
            }
            _ => true,
        }
    }

    /// Runs a task this way, or the portable way where the processor cannot.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => task.run(vectors::Sse2),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has what the function is compiled for.
            Self::Avx2 if self.is_available() => unsafe { vectors::run_avx2(task) },
            #[cfg(target_arch = "aarch64")]
            Self::Neon => task.run(vectors::Neon),
            _ => task.run(Portable),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Portable;

impl Level for Portable {
    #[inline(always)]
    fn ends(self, bytes: &[u8; WIDTH]) -> Ends {
        let mut ends = Ends { words: 0, lines: 0 };
        for (number, chunk) in bytes.as_chunks::<8>().0.iter().enumerate() {
            let (words, lines) = ends_of_eight(u64::from_le_bytes(*chunk));
            ends.words |= words << (8 * number);
            ends.lines |= lines << (8 * number);
        }
        ends
    }
}

/// Blanks are a space and the five characters from tab (9) to carriage return (13), of which 10 is the newline.
fn ends_of_eight(bytes: u64) -> (u64, u64) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    // The high bit of each byte that is at least `least`, if it is below 128.
    let at_least = |least: u64| (bytes & !HIGH) + (0x80 - least) * ONES;
    let is_among = |first: u64, last: u64| at_least(first) & !at_least(last + 1) & !bytes & HIGH;
    // The product has the high bit of byte i at bit 56 + i.
    let gathered = |high: u64| ((high >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56;
    (gathered(is_among(9, 13) | is_among(32, 32)), gathered(is_among(10, 10)))
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use super::{Ends, Level, Task, WIDTH};
    use crate::read::number::LOOKED_AT;
    use std::arch::x86_64::*;

    #[derive(Debug, Clone, Copy)]
    pub struct Sse2;

    impl Level for Sse2 {
        #[inline(always)]
        fn ends(self, bytes: &[u8; WIDTH]) -> Ends {
            let mut ends = Ends { words: 0, lines: 0 };
            for (number, chunk) in bytes.as_chunks::<16>().0.iter().enumerate() {
                // SAFETY: every processor of this architecture has SSE2; the 16 bytes that are loaded are there.
                let (words, lines) = unsafe { of_16(_mm_loadu_si128(chunk.as_ptr().cast())) };
                ends.words |= u64::from(words) << (16 * number);
                ends.lines |= u64::from(lines) << (16 * number);
            }
            ends
        }

        #[inline(always)]
        fn alike(self, one: &[u8; 16], other: &[u8; 16]) -> usize {
            alike_of_16(one, other)
        }
    }

    #[inline(always)]
    fn alike_of_16(one: &[u8; 16], other: &[u8; 16]) -> usize {
        // SAFETY: every processor of this architecture has SSE2; the 16 bytes that are loaded are there.
        let same = unsafe {
            let (one, other) = (_mm_loadu_si128(one.as_ptr().cast()), _mm_loadu_si128(other.as_ptr().cast()));
            _mm_movemask_epi8(_mm_cmpeq_epi8(one, other))
        };
        (!same).trailing_zeros() as usize
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn of_16(bytes: __m128i) -> (u16, u16) {
        let from_tab = _mm_sub_epi8(bytes, _mm_set1_epi8(9));
        let is_among_tabs = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8(4)), from_tab);
        let is_space = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(32));
        let is_newline = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(10));
        let bits = |lanes| _mm_movemask_epi8(lanes) as u16;
        (bits(_mm_or_si128(is_among_tabs, is_space)), bits(is_newline))
    }

    #[derive(Debug, Clone, Copy)]
    struct Avx2(());

    impl Level for Avx2 {
        #[inline(always)]
        fn ends(self, bytes: &[u8; WIDTH]) -> Ends {
            let (low, high) = (bytes.as_ptr(), bytes[32..].as_ptr());
            // SAFETY: only `run_avx2` makes an `Avx2`; the 32 bytes behind each pointer are there.
            unsafe {
                let (low_words, low_lines) = of_32(_mm256_loadu_si256(low.cast()));
                let (high_words, high_lines) = of_32(_mm256_loadu_si256(high.cast()));
                let joined = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
                Ends { words: joined(low_words, high_words), lines: joined(low_lines, high_lines) }
            }
        }

        #[inline(always)]
        fn alike(self, one: &[u8; 16], other: &[u8; 16]) -> usize {
            alike_of_16(one, other)
        }

        #[inline(always)]
        fn number(self, text: &[u8; LOOKED_AT], length: usize) -> Option<f64> {
            // A branch, which is mostly foreseen: the digits need not wait for the sign.
            match text[0] {
                b'-' => Some(-self.unsigned(text.get(1..)?.first_chunk()?, length.wrapping_sub(1))?),
                _ => self.unsigned(text.first_chunk()?, length),
            }
        }
    }

    impl Avx2 {
        #[inline(always)]
        fn unsigned(self, bytes: &[u8; 16], length: usize) -> Option<f64> {
            // SAFETY: only `run_avx2` makes an `Avx2`.
            unsafe { decimal_of_16(bytes, length) }
        }
    }

    /// The decimal number of the first `length` bytes, exactly rounded: it has at most fifteen digits, and they and the
    /// power of ten are floats.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn decimal_of_16(bytes: &[u8; 16], length: usize) -> Option<f64> {
        let points = PLACES.get(length.wrapping_sub(1))?;
        // SAFETY: the 16 bytes that are loaded are there.
        let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        let point = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'.' as i8))) as u32;
        let place = points.get((point | 1 << length).trailing_zeros() as usize)?;
        // SAFETY: the 16 bytes that are loaded are there.
        let places = unsafe { _mm_loadu_si128(place.digits.as_ptr().cast()) };
        let digits = _mm_shuffle_epi8(_mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8)), places);
        let are_digits = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
        // Neighbours are joined to numbers of two digits, of four and of eight.
        let pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));
        let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_0064));
        let eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x0001_2710));
        let both = _mm_cvtsi128_si64(eights) as u64;
        let value = (both & 0xffff_ffff) * 100_000_000 + (both >> 32);
        (_mm_movemask_epi8(are_digits) == 0xffff).then_some(value as i64 as f64 / place.divisor)
    }

    /// From which byte each of sixteen digits comes, and the power of ten that the point divides them by.
    #[derive(Clone, Copy)]
    struct Place {
        digits: [u8; 16],
        divisor: f64,
    }

    /// The place for a text of so many bytes, counted from one, whose point is at such a place. The last digit comes last; the
    /// point is left out; what is not there is zero. Sixteen bytes without a point are left out: those are too many digits.
    static PLACES: [[Place; 16]; 16] = places();

    const fn places() -> [[Place; 16]; 16] {
        let mut all = [[Place { digits: [0x80; 16], divisor: 1.0 }; 16]; 16];
        let mut length = 1;
        while length <= 16 {
            let mut point = 0;
            while point <= length && point < 16 {
                let here = &mut all[length - 1][point];
                let mut place = 0;
                let mut digit = if point < length { 17 - length } else { 16 - length };
                while place < length {
                    if place != point {
                        here.digits[digit] = place as u8;
                        digit += 1;
                    }
                    if place > point {
                        here.divisor *= 10.0;
                    }
                    place += 1;
                }
                point += 1;
            }
            length += 1;
        }
        // A point alone is no number: it is read as a digit, and is none.
        all[0][0].digits[15] = 0;
        all
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn of_32(bytes: __m256i) -> (u32, u32) {
        // A blank is the byte that stands where its lower half says; a byte from 128 on looks up a zero.
        let table = _mm_setr_epi8(32, -1, -1, -1, -1, -1, -1, -1, -1, 9, 10, 11, 12, 13, -1, -1);
        let blanks = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), bytes);
        let is_newline = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(10));
        let bits = |lanes| _mm256_movemask_epi8(lanes) as u32;
        (bits(_mm256_cmpeq_epi8(blanks, bytes)), bits(is_newline))
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub fn run_avx2<T: Task>(task: T) -> T::Output {
        task.run(Avx2(()))
    }
}

#[cfg(target_arch = "aarch64")]
mod vectors {
    use super::{Ends, Level, WIDTH};
    use std::arch::aarch64::*;

    #[derive(Debug, Clone, Copy)]
    pub struct Neon;

    impl Level for Neon {
        #[inline(always)]
        fn ends(self, bytes: &[u8; WIDTH]) -> Ends {
            // SAFETY: every processor of this architecture has NEON; the 64 bytes that are loaded are there.
            unsafe { of_64(vld1q_u8_x4(bytes.as_ptr())) }
        }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn of_64(bytes: uint8x16x4_t) -> Ends {
        let all = [bytes.0, bytes.1, bytes.2, bytes.3];
        let is_newline = all.map(|each| vceqq_u8(each, vdupq_n_u8(10)));
        let is_blank = all.map(|each| {
            let is_among_tabs = vcleq_u8(vsubq_u8(each, vdupq_n_u8(9)), vdupq_n_u8(4));
            vorrq_u8(is_among_tabs, vceqq_u8(each, vdupq_n_u8(32)))
        });
        Ends { words: bits(is_blank), lines: bits(is_newline) }
    }

    /// A bit for each byte, which is all ones or all zeros: eight neighbours are added up, each with a bit of its own.
    #[inline]
    #[target_feature(enable = "neon")]
    fn bits(lanes: [uint8x16_t; 4]) -> u64 {
        let own = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let [first, second, third, fourth] = lanes.map(|lane| vandq_u8(lane, own));
        let pairs = vpaddq_u8(vpaddq_u8(first, second), vpaddq_u8(third, fourth));
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)))
    }
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
