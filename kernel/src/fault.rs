//! Faults in the input, worded for the person who gave it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// The class of Python exception a fault becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The file cannot be opened, read or decompressed.
    File,
    /// A line, a field or a value is malformed.
    Format,
    /// A query lists a document twice.
    Duplicate,
    /// There is more than the limit of that name allows.
    Limit { name: &'static str, most: u64 },
    /// There is not enough memory.
    Memory,
    /// The work was stopped from outside.
    Interrupted,
}

/// One fault: its kind and a message that says what is wrong and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: Kind,
    pub message: String,
}

impl Fault {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub fn format(message: impl Into<String>) -> Self {
        Self::new(Kind::Format, message)
    }

    /// The fault of a document that a query lists twice.
    pub fn duplicate(query: &[u8], document: &[u8]) -> Self {
        Self::listed_twice(query, "document", document)
    }

    /// The fault of a chunk that a query lists twice.
    pub fn duplicate_chunk(query: &[u8], chunk: &[u8]) -> Self {
        Self::listed_twice(query, "chunk", chunk)
    }

    fn listed_twice(query: &[u8], what: &str, id: &[u8]) -> Self {
        let (query, id) = (show(query), show(id));
        Self::new(
            Kind::Duplicate,
            format!(
                "query {query} lists {what} {id} more than once; remove the duplicates, or keep one with \
                 duplicates=\"first\" or \"last\" (--policy duplicates=first or last)"
            ),
        )
    }

    /// The fault of work that is told to stop.
    pub fn if_stopped(stop: &AtomicBool) -> Result<(), Self> {
        if stop.load(Ordering::Relaxed) { Err(Self::new(Kind::Interrupted, "stopped")) } else { Ok(()) }
    }

    /// The same fault, with its place in front.
    pub fn at(self, place: &str) -> Self {
        Self { kind: self.kind, message: format!("{place}: {}", self.message) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// An id or a field in quotes, safe to print: control characters are escaped and long text is cut.
pub fn show(bytes: &[u8]) -> String {
    show_up_to(bytes, 60)
}

/// The name of a file in quotes, safe to print and whole. A backslash is one of the name, or escapes something already.
pub fn show_name(name: &str) -> String {
    let escaped = |each: char| match each {
        '\\' | '\'' | '"' => each.to_string(),
        _ => each.escape_debug().to_string(),
    };
    format!("'{}'", name.chars().map(escaped).collect::<String>())
}

fn show_up_to(bytes: &[u8], longest: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut shown: String = text.chars().take(longest).flat_map(char::escape_debug).collect();
    if text.chars().nth(longest).is_some() {
        shown.push('…');
    }
    format!("'{}'", shown.replace("\\'", "'").replace("\\\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_text_is_quoted_escaped_and_cut() {
        assert_eq!(show(b"d1"), "'d1'");
        assert_eq!(show(b"a\x1b[31m"), "'a\\u{1b}[31m'");
        assert_eq!(show(b"it's"), "'it's'");
        assert_eq!(show("é".repeat(70).as_bytes()).chars().count(), 63);
    }

    #[test]
    fn a_name_is_whole_and_escaped_once() {
        assert_eq!(show_name("it's.run"), "'it's.run'");
        assert_eq!(show_name("a\nb"), "'a\\nb'");
        assert_eq!(show_name("a\\nb"), "'a\\nb'");
        assert_eq!(show_name(&"x".repeat(200)).len(), 202);
    }

    #[test]
    fn the_place_comes_first() {
        assert_eq!(Fault::format("bad").at("run.txt, line 3").to_string(), "run.txt, line 3: bad");
    }
}
