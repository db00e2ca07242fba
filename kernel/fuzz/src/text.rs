//! Lines, words and numbers.

const BLANKS: &[u8] = b" \t\r\x0b\x0c";

/// A document of a run with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    pub query: &'a [u8],
    pub document: &'a [u8],
    pub score: f64,
}

/// All lines of a text; the end of the last one begins no other.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// The words of a line.
pub fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(|byte| BLANKS.contains(byte)).filter(|word| !word.is_empty()).collect()
}

/// Whether a line is blank or a comment.
pub fn says_nothing(line: &[u8]) -> bool {
    line.starts_with(b"#") || words(line).is_empty()
}

/// Whether a line is text, and no byte-order mark begins it.
pub fn is_text(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|text| !text.starts_with('\u{feff}')) && !line.contains(&0)
}

/// Whether the first bytes may be those of an encoding other than UTF-8.
pub fn is_encoded(text: &[u8]) -> bool {
    let head = &text[..text.len().min(4)];
    head.contains(&0) || head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff])
}

/// The text as UTF-16 with a byte-order mark, unless it is not UTF-8.
pub fn as_utf16(text: &[u8], is_little: bool) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    Some(units.flat_map(|unit| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect())
}

/// A finite number as Rust reads it.
pub fn number(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The row of a run that a line stands for, or `None` if the line is malformed. What follows the sixth field is ignored if
/// `surplus` says so and no carriage return stands inside the line.
pub fn row(line: &[u8], surplus: bool) -> Option<Row<'_>> {
    match words(line)[..] {
        [query, _, document, _, score, _, ref more @ ..]
            if more.is_empty() || surplus && !has_inner_return(line) =>
        {
            Some(Row { query, document, score: number(score)? })
        }
        _ => None,
    }
}

/// Whether a line has more than the six fields of a run.
pub fn has_surplus(line: &[u8]) -> bool {
    words(line).len() > 6
}

/// Whether a carriage return stands before the end of the last word.
pub fn has_inner_return(line: &[u8]) -> bool {
    let end = line.iter().rposition(|byte| !BLANKS.contains(byte)).map_or(0, |last| last + 1);
    line[..end].contains(&b'\r')
}
