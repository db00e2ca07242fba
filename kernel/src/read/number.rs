//! Finite numbers: short decimal ones at once, eight digits at a time, all others by a library. Both round exactly.

use crate::fault::{Fault, show};

/// The number of digits so many of which are behind the point, if that and the power of ten are floats: then their quotient
/// is exactly rounded.
#[inline(always)]
fn decimal(is_negative: bool, digits: u64, decimals: usize) -> Option<f64> {
    let is_exact = digits <= 1 << f64::MANTISSA_DIGITS;
    let value = digits as i64 as f64 / TENS.get(decimals)?;
    is_exact.then_some(if is_negative { -value } else { value })
}

/// How many bytes must be there from the start of a number on, so that it can be read without looking where they end.
pub const LOOKED_AT: usize = 1 + 8 + 1 + 8;

/// Whether a word is a finite number.
pub fn is_number(word: &[u8]) -> bool {
    number(word, "", "").is_ok()
}

/// A finite number.
#[inline]
pub fn number(word: &[u8], name: &str, form: &str) -> Result<f64, Fault> {
    let mut padded = [0; LOOKED_AT];
    let mut plain = None;
    if let Some(place) = padded.get_mut(..word.len()) {
        place.copy_from_slice(word);
        plain = plain_number(&padded, word.len());
    }
    plain.map_or_else(|| any_number(word, name, form), Ok)
}

#[cold]
pub fn any_number(word: &[u8], name: &str, form: &str) -> Result<f64, Fault> {
    match fast_float2::parse::<f64, _>(word) {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(Fault::format(format!(
            "the {name} {} is not finite; every {name} must be finite",
            show(word)
        ))),
        Err(_) => {
            Err(Fault::format(format!("the {name} {} is not a number; expected \"{form}\"", show(word))))
        }
    }
}

/// The number that the first `length` bytes are, if it is a decimal one with few digits.
#[inline(always)]
pub fn plain_number(text: &[u8; LOOKED_AT], length: usize) -> Option<f64> {
    let is_negative = text[0] == b'-';
    let (start, length) = if is_negative { (1, length.checked_sub(1)?) } else { (0, length) };
    let (first, next) = (eight(text, start)?, eight(text, start + 1)?);
    let point = first_point(first).min(length);
    let decimals = length.saturating_sub(point + 1);
    // Without a point among the first eight bytes these must be all.
    if point == 8 && length > 8 {
        return None;
    }
    match point + decimals {
        0 => None,
        // The digits close up over the point.
        count @ 1..=8 => {
            let before = !u64::MAX.unbounded_shl(8 * point as u32);
            let digits = digits(first & before | next & !before, count);
            if are_digits(digits) { decimal(is_negative, value(digits), decimals) } else { None }
        }
        _ => {
            let digits = two_parts(text, start, point, decimals)?;
            decimal(is_negative, digits, decimals)
        }
    }
}

const TENS: [f64; 17] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16];

/// The digits before and behind the point, which are read each by themselves, as one number.
fn two_parts(text: &[u8; LOOKED_AT], start: usize, point: usize, decimals: usize) -> Option<u64> {
    if decimals > 8 {
        return None;
    }
    let whole = digits(eight(text, start)?, point);
    let fraction = digits(eight(text, start + point + 1)?, decimals);
    let all = value(whole) * 10u64.pow(decimals as u32) + value(fraction);
    (are_digits(whole) && are_digits(fraction)).then_some(all)
}

#[inline(always)]
fn eight(text: &[u8; LOOKED_AT], start: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(start..)?.first_chunk()?))
}

/// The place of the first point among eight bytes; eight if there is none.
#[inline(always)]
fn first_point(bytes: u64) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let others = bytes ^ (ONES * b'.' as u64);
    let zeros = others.wrapping_sub(ONES) & !others & (0x80 * ONES);
    zeros.trailing_zeros() as usize / 8
}

/// The digits that the first `count` bytes stand for, with zeros in front that make them eight.
#[inline(always)]
fn digits(bytes: u64, count: usize) -> u64 {
    (bytes ^ 0x3030_3030_3030_3030).unbounded_shl(64 - 8 * count as u32)
}

#[inline(always)]
fn are_digits(digits: u64) -> bool {
    (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 == 0
}

/// The number of eight digits: neighbours are joined to numbers of two digits, of four and of eight.
#[inline(always)]
fn value(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<f64> {
        number(text.as_bytes(), "score", "").ok()
    }

    /// What follows a number in a line is not part of it.
    fn plain(text: &str, follows: &[u8]) -> Option<f64> {
        let mut padded = [0; LOOKED_AT];
        let long = [text.as_bytes(), follows].concat();
        padded.iter_mut().zip(long).for_each(|(place, byte)| *place = byte);
        plain_number(&padded, text.len()).filter(|_| text.len() <= LOOKED_AT)
    }

    fn check(text: &str) {
        let expected = text.parse::<f64>().ok().filter(|value| value.is_finite()).map(f64::to_bits);
        assert_eq!(read(text).map(f64::to_bits), expected, "{text}");
        for follows in [&b" tag\n"[..], b".5 7 8 9 0 1 2 3 4 5", b"12345678901234567890", b"\xff\xff\xff"] {
            if let Some(value) = plain(text, follows) {
                assert_eq!(Some(value.to_bits()), expected, "{text}");
            }
        }
    }

    #[test]
    fn plain_numbers_are_the_common_ones() {
        for text in
            ["0", "1", "-1", "12.5", "-12.345678", ".5", "7.", "1234567.12345678", "12345678", "-0", "-.5"]
        {
            assert_eq!(plain(text, b" t"), text.parse().ok(), "{text}");
        }
        for text in
            ["", "-", ".", "-.", "+1", "1e3", "123456789", "12345678.5", "1.123456789", "1.2.3", "0x1", "1 2"]
        {
            assert_eq!(plain(text, b" t"), None, "{text}");
        }
        assert_eq!(plain("99999999.99999999", b""), None);
    }

    #[test]
    fn numbers_are_read_as_rust_reads_them() {
        let mut state = 7u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for round in 0..if cfg!(miri) { 300 } else { 200_000 } {
            let alphabet: &[u8] = if round % 4 == 0 { b"0123456789.-+eE" } else { b"0123456789" };
            let mut text: Vec<u8> = (0..random(19)).map(|_| alphabet[random(alphabet.len())]).collect();
            if random(3) > 0 {
                text.insert(random(text.len() + 1), b'.');
            }
            if random(3) == 0 {
                text.insert(0, b'-');
            }
            check(std::str::from_utf8(&text).unwrap());
        }
    }
}
