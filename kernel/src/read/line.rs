//! One line of a TREC run or of TREC judgments.

use crate::fault::{Fault, show};
use crate::rank::rows::Order;
use crate::read::number::number;
use crate::read::surplus::{Surplus, surplus_judgment};

/// A line of a run: `query iteration document rank score tag`.
#[derive(Debug, Clone, PartialEq)]
pub struct RunLine<'a> {
    pub iteration: &'a [u8],
    pub document: &'a [u8],
    pub score: f64,
    pub tag: &'a [u8],
}

/// What the iteration of a run's line begins with where the ranking was given as an order: `assay-order`, or
/// `assay-order=0.5` with the score that the document had. Its score field then only repeats the order.
const ORDER: &[u8] = b"assay-order";

impl RunLine<'_> {
    /// Whether the ranking was given as an order, whatever the scores.
    #[inline]
    pub fn is_ordered(&self) -> bool {
        match self.iteration.strip_prefix(ORDER) {
            None => false,
            Some(rest) => matches!(rest.first(), None | Some(b'=')),
        }
    }

    /// Whether the line may follow others of its query; `last` is what `Order` knows of them.
    #[inline]
    pub fn check_order(&self, last: &mut Order) -> Result<(), Fault> {
        let given = if self.is_ordered() { Some(self.score) } else { None };
        // Nearly every line.
        if given.is_none() && *last == Order::ByScore {
            return Ok(());
        }
        match (last.goes_on(given), given) {
            (true, None) => Ok(()),
            (true, Some(_)) => self.given_score().map(|_| ()),
            (false, _) => Err(Self::out_of_order()),
        }
    }

    #[cold]
    fn out_of_order() -> Fault {
        let message = "a ranking in a given order has assay-order on every line, and scores that fall from line to \
                       line; restore the order of the lines, or write Q0 on each of them to rank by score";
        Fault::format(message)
    }

    /// The score of a document in such an order; 0 if it had none.
    pub fn given_score(&self) -> Result<f64, Fault> {
        match self.iteration.get(ORDER.len() + 1..) {
            None => Ok(0.0),
            Some(score) => number(score, "score", RUN),
        }
    }
}

/// A line of judgments: `query group document grade`.
#[derive(Debug, PartialEq)]
pub struct QrelsLine<'a> {
    pub group: &'a [u8],
    pub document: &'a [u8],
    pub grade: f64,
}

/// A line, and the text that follows it, which may be looked at but is not part of it.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    text: &'a [u8],
    length: usize,
}

impl<'a> Line<'a> {
    /// The first line of `text`, without its end.
    #[inline]
    pub fn first(text: &'a [u8]) -> Self {
        Self { text, length: memchr::memchr(b'\n', text).unwrap_or(text.len()) }
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.text.get(..self.length).unwrap_or_default()
    }

    pub fn words(&self) -> Words<'a> {
        Words { line: *self, at: 0 }
    }
}

/// The words of a line, from left to right.
#[derive(Debug, Clone)]
pub struct Words<'a> {
    line: Line<'a>,
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.line.text;
        while is_blank(*text.get(self.at)?) {
            self.at += 1;
        }
        let start = self.at;
        self.at = word_end(text, start);
        text.get(start..self.at).filter(|word| !word.is_empty())
    }
}

#[inline]
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

#[inline]
fn ends_word(byte: u8) -> bool {
    byte == b'\n' || is_blank(byte)
}

/// The end of the word that starts at `at`, looked for eight bytes at a time.
#[inline]
fn word_end(text: &[u8], mut at: usize) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    while let Some(chunk) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let bytes = u64::from_le_bytes(*chunk);
        // The high bit of each byte that is at most a blank.
        let blanks = bytes.wrapping_sub(LOW * 0x21) & !bytes & HIGH;
        if blanks == 0 {
            at += 8;
            continue;
        }
        at += blanks.trailing_zeros() as usize / 8;
        if ends_word(text[at]) {
            return at;
        }
        at += 1;
    }
    while text.get(at).is_some_and(|&byte| !ends_word(byte)) {
        at += 1;
    }
    at
}

/// A line that says nothing: blank, or a comment.
#[inline]
pub fn is_empty(line: &[u8]) -> bool {
    match line.first() {
        None | Some(b'#') => true,
        Some(&byte) if is_blank(byte) => line.iter().all(|&byte| is_blank(byte)),
        Some(_) => false,
    }
}

/// The fields of a run's line, and of a line of judgments.
pub const RUN: &str = "query Q0 document rank score tag";
pub const QRELS: &str = "query 0 document grade";

/// Reads what follows the query of a run's line. Lines with more fields are for `surplus` to decide about.
#[inline]
pub fn run_line<'a>(words: &mut Words<'a>, surplus: &mut Surplus) -> Result<RunLine<'a>, Fault> {
    let fields = (words.next(), words.next(), words.next(), words.next(), words.next());
    let (Some(iteration), Some(document), Some(_), Some(score), Some(tag)) = fields else {
        return Err(too_few(&words.line, 6, RUN));
    };
    if words.next().is_some() {
        surplus.meet(&words.line)?;
    }
    Ok(RunLine { iteration, document, score: number(score, "score", RUN)?, tag })
}

/// Reads what follows the query of a line of judgments.
pub fn qrels_line<'a>(words: &mut Words<'a>) -> Result<QrelsLine<'a>, Fault> {
    let fields = (words.next(), words.next(), words.next());
    let (Some(group), Some(document), Some(grade)) = fields else {
        return Err(too_few(&words.line, 4, QRELS));
    };
    if words.next().is_some() {
        return Err(surplus_judgment(&words.line));
    }
    Ok(QrelsLine { group, document, grade: number(grade, "grade", QRELS)? })
}

#[cold]
fn too_few(line: &Line<'_>, expected: usize, form: &str) -> Fault {
    let found = line.words().count();
    Fault::format(format!("expected {expected} fields ({form}), found {found}: {}", show(line.bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<&[u8]> {
        Line::first(line.as_bytes()).words().collect()
    }

    #[test]
    fn words_are_split_at_any_run_of_blanks() {
        assert_eq!(words("a  b\tlonger-than-eight\r"), [&b"a"[..], b"b", b"longer-than-eight"]);
        assert_eq!(words("  \t "), Vec::<&[u8]>::new());
        assert_eq!(words("1234567 12345678 123456789"), [&b"1234567"[..], b"12345678", b"123456789"]);
    }

    #[test]
    fn control_characters_and_high_bytes_belong_to_words() {
        assert_eq!(words("a\u{1}b c\u{a0}dé"), ["a\u{1}b".as_bytes(), "c\u{a0}dé".as_bytes()]);
        assert_eq!(words("abcdefg\u{1}hijklmn o"), ["abcdefg\u{1}hijklmn".as_bytes(), b"o"]);
    }

    #[test]
    fn a_line_ends_where_it_ends() {
        let line = Line::first(b"a bc\nd e f g h i");
        assert_eq!(line.words().collect::<Vec<_>>(), [&b"a"[..], b"bc"]);
        assert_eq!(line.bytes(), b"a bc");
        assert_eq!(Line::first(b"\nd").words().next(), None);
        assert_eq!(Line::first(b"a \nd").words().count(), 1);
    }
}
