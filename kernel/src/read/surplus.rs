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
