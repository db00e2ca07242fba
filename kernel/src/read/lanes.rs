//! Which of the next 64 bytes end a word and which end a line, a bit each, found with the widest vectors that the processor
//! has. All ways give the same bits. Other work runs with the same vectors if it is a `Task`.

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
