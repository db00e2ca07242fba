//! Lines with too many fields: refused, with the likely cause; in a run they may be counted and the rest ignored.

use crate::fault::{Fault, show};
use crate::read::line::{Line, QRELS, RUN, is_blank};
use crate::read::number::is_number;

/// What to do with such lines, and how many were met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Surplus {
    /// What follows the sixth field is ignored, as in trec_eval.
    pub ignored: bool,
    pub lines: usize,
}

/// Characters that other programs take for the end of a line, and their names.
const OTHER_ENDS: [(&str, &str); 6] = [
    ("\u{1e}", "the character U+001E (record separator)"),
    ("\u{b}", "a vertical tab"),
    ("\u{c}", "a form feed"),
    ("\u{85}", "the character U+0085 (next line)"),
    ("\u{2028}", "the character U+2028 (line separator)"),
    ("\u{2029}", "the character U+2029 (paragraph separator)"),
];

const INNER_RETURN: &str = "carriage return inside the line; save the file with Unix or Windows line endings";

impl Surplus {
    pub fn ignored(ignored: bool) -> Self {
        Self { ignored, lines: 0 }
    }

    /// Takes one line that has too many fields.
    #[cold]
    pub fn meet(&mut self, line: &Line<'_>) -> Result<(), Fault> {
        if has_inner_return(line.bytes()) {
            return Err(Fault::format(INNER_RETURN));
        }
        if !self.ignored {
            let (found, cause) = (line.words().count(), cause(line));
            return Err(Fault::format(format!("expected 6 fields ({RUN}), found {found}; {cause}")));
        }
        self.lines += 1;
        Ok(())
    }
}

/// Whether there is a carriage return before the end of the last word.
fn has_inner_return(line: &[u8]) -> bool {
    let last = line.iter().rposition(|&byte| !is_blank(byte)).unwrap_or_default();
    memchr::memchr(b'\r', &line[..last]).is_some()
}

/// The fault of a line of judgments that has more than four fields.
#[cold]
pub fn surplus_judgment(line: &Line<'_>) -> Fault {
    if has_inner_return(line.bytes()) {
        return Fault::format(INNER_RETURN);
    }
    let words: Vec<&[u8]> = line.words().collect();
    let count = words.len();
    let cause = other_end(line).unwrap_or_else(|| match count {
        5 if is_number(words[4]) && !is_number(words[3]) => blank_in_id(line),
        7 | 8 if is_number(words[count - 1]) => joined(&words[3..count - 3]),
        _ => format!("{} is an extra field; is this a run rather than judgments?", show(words[4])),
    });
    Fault::format(format!("expected 4 fields ({QRELS}), found {count}; {cause}"))
}

/// What stands in the place of a newline.
fn other_end(line: &Line<'_>) -> Option<String> {
    let text = line.bytes().trim_ascii();
    let stands_in = |(end, _): &&(&str, &str)| memchr::memmem::find(text, end.as_bytes()).is_some();
    let (_, name) = OTHER_ENDS.iter().find(stands_in)?;
    Some(format!("{name} stands inside the line and does not end it; end every line with a newline"))
}

fn blank_in_id(line: &Line<'_>) -> String {
    format!("an id has a blank in it, which TREC files cannot hold: {}", show(line.bytes()))
}

fn joined(words: &[&[u8]]) -> String {
    let joint = show(&words.join(&b' '));
    format!("two lines are joined at {joint}: a newline is missing, perhaps where two files meet")
}

/// Why a line of a run probably has too many fields.
fn cause(line: &Line<'_>) -> String {
    if let Some(cause) = other_end(line) {
        return cause;
    }
    let words: Vec<&[u8]> = line.words().collect();
    let is_ranked =
        |rank: usize| matches!(words[rank..], [rank, score, ..] if is_number(rank) && is_number(score));
    let count = words.len();
    // The tag of one line and the query of the next are one word, or two if a blank is between them.
    if is_ranked(3) && (count == 11 || count == 12) && is_ranked(count - 3) {
        return joined(&words[5..count - 5]);
    }
    if is_ranked(count - 3) {
        return blank_in_id(line);
    }
    format!("{} follows the tag, which cannot have a blank in it", show(words[6]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::line::run_line;

    fn met(line: &str, surplus: &mut Surplus) -> Result<(), String> {
        let mut words = Line::first(line.as_bytes()).words();
        words.next();
        run_line(&mut words, surplus).map(|_| ()).map_err(|fault| fault.message)
    }

    #[test]
    fn the_likely_cause_is_named() {
        for (line, found, cause) in [
            ("q1 Q0 d1 1 2.5 tagq2 Q0 d2 1 2.5 tag", 11, "two lines are joined at 'tagq2'"),
            ("q1 Q0 d1 1 2.5 tag q2 Q0 d2 1 2.5 tag", 12, "two lines are joined at 'tag q2'"),
            ("q1 Q0 report 7 1 2.5 tag", 7, "an id has a blank in it"),
            ("q 1 Q0 d7 1 2.5 tag", 7, "an id has a blank in it"),
            ("q1 Q0 a long name 1 2.5 tag", 8, "an id has a blank in it"),
            ("q1 Q0 d7 1 2.5 my tag", 7, "'tag' follows the tag"),
            ("q1 Q0 d7 1 2.5 tag 3 4", 8, "'3' follows the tag"),
            ("q1 Q0 d1 1 2.5 t\u{b}q1 Q0 d2 2 1.5 t\u{b}", 12, "a vertical tab stands inside"),
            ("q1 Q0 d1 1 2.5 t\u{c}q1 Q0 d2 2 1.5 t", 12, "a form feed stands inside"),
            ("q1 Q0 d1 1 2.5 t\u{1e}q1 Q0 d2 2 1.5 t", 11, "the character U+001E (record separator)"),
            ("q1 Q0 d1 1 2.5 t\u{85}q1 Q0 d2 2 1.5 t", 11, "the character U+0085 (next line)"),
            ("q1 Q0 d1 1 2.5 t\u{2028}q1 Q0 d2 2 1.5 t", 11, "the character U+2028 (line separator)"),
            ("q1 Q0 d1 1 2.5 t\u{2029}q1 Q0 d2 2 1.5 t", 11, "the character U+2029 (paragraph separator)"),
        ] {
            let message = met(line, &mut Surplus::default()).unwrap_err();
            let start =
                format!("expected 6 fields (query Q0 document rank score tag), found {found}; {cause}");
            assert!(message.starts_with(&start), "{message}");
        }
    }

    #[test]
    fn the_likely_cause_is_named_for_judgments_too() {
        for (line, cause) in [
            ("q1 0 d1 1 2.5 tag", "found 6; '2.5' is an extra field; is this a run"),
            ("q1 0 a b 1", "found 5; an id has a blank in it"),
            ("q1 0 d1 1 2", "found 5; '2' is an extra field"),
            ("q1 0 d1 1q2 0 d1 1", "found 7; two lines are joined at '1q2'"),
            ("q1 0 d1 1 q2 0 d1 1", "found 8; two lines are joined at '1 q2'"),
            ("q1 0 d1 1\u{2028}q2 0 d1 1", "found 7; the character U+2028 (line separator) stands"),
            ("q1 0 d1 1\rq2 0 d1 1\r", "carriage return inside the line"),
        ] {
            let message = surplus_judgment(&Line::first(line.as_bytes())).message;
            assert!(message.contains(cause), "{message}");
        }
    }

    #[test]
    fn lines_with_more_are_counted_where_the_rest_is_ignored() {
        let mut surplus = Surplus::ignored(true);
        for line in ["q1 Q0 d1 1 2.5 tag", "q1 Q0 d1 1 2.5 tag more", "q1 Q0 d1 1 2.5 tag more\r\u{b}"] {
            met(line, &mut surplus).unwrap();
        }
        assert_eq!(surplus.lines, 2);
        for ignored in [false, true] {
            let mut surplus = Surplus::ignored(ignored);
            let joined = met("q1 Q0 d7 1 12.5 tag\rq1 Q0 d8 2 11 tag\r", &mut surplus);
            assert!(joined.unwrap_err().contains("carriage return"));
            met("q1 Q0 d1 1 2.5 tag \u{b}\u{c}\r", &mut surplus).unwrap();
        }
    }
}
