//! A look at the schema in a file's footer, before the library reads it: it believes how many children a group claims, and
//! goes as deep as groups do.

use std::io::{Read, Seek, SeekFrom};

/// Bytes at the end of a file: the length of the footer, and a mark.
const TAIL: u64 = 8;
const MARK: &[u8] = b"PAR1";
/// The field of a footer that has the schema, and the field of a column that has the number of its children.
const SCHEMA: i16 = 2;
const CHILDREN: i16 = 5;
/// Groups in groups, and values in values, that are followed.
const DEEPEST: usize = 100;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const INTEGERS: std::ops::RangeInclusive<u8> = 4..=6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// Whether the groups of a schema have as many children as they say, and are not too deep.
pub fn is_sound(file: &mut (impl Read + Seek)) -> bool {
    read_footer(file)
        .and_then(|footer| schema_of(&mut Cursor(&footer)))
        .is_some_and(|columns| is_tree(&columns))
}

fn read_footer(file: &mut (impl Read + Seek)) -> Option<Vec<u8>> {
    let end = file.seek(SeekFrom::End(0)).ok()?.checked_sub(TAIL)?;
    file.seek(SeekFrom::Start(end)).ok()?;
    let mut tail = [0; TAIL as usize];
    file.read_exact(&mut tail).ok()?;
    let (length, mark) = tail.split_first_chunk::<4>()?;
    let length = u64::from(u32::from_le_bytes(*length));
    if mark != MARK || length > end {
        return None;
    }
    file.seek(SeekFrom::Start(end - length)).ok()?;
    let mut footer = Vec::new();
    footer.try_reserve_exact(length as usize).ok()?;
    file.take(length).read_to_end(&mut footer).ok()?;
    Some(footer)
}

/// Whether these numbers of children make one tree.
fn is_tree(children: &[u64]) -> bool {
    // The children that are still to come, of each group that is open.
    let mut open = vec![1_u64];
    for (place, &count) in children.iter().enumerate() {
        while open.last() == Some(&0) {
            open.pop();
        }
        let Some(left) = open.last_mut() else { return false };
        *left -= 1;
        if count > (children.len() - place - 1) as u64 || open.len() > DEEPEST {
            return false;
        }
        open.push(count);
    }
    open.iter().all(|&left| left == 0)
}

/// The number of children of each element of the schema.
fn schema_of(footer: &mut Cursor<'_>) -> Option<Vec<u64>> {
    let mut field = 0;
    while let Some(kind) = footer.field(&mut field)? {
        if field != SCHEMA || kind != LIST {
            footer.skip(kind, 0)?;
            continue;
        }
        let (count, kind) = footer.list()?;
        let mut columns = Vec::new();
        for _ in 0..count {
            if kind != STRUCT {
                return None;
            }
            columns.push(children_of(footer)?);
        }
        return Some(columns);
    }
    None
}

fn children_of(footer: &mut Cursor<'_>) -> Option<u64> {
    let (mut field, mut children) = (0, 0);
    while let Some(kind) = footer.field(&mut field)? {
        if field == CHILDREN && INTEGERS.contains(&kind) {
            children = u64::try_from(footer.integer()?).ok()?;
        } else {
            footer.skip(kind, 0)?;
        }
    }
    Some(children)
}

/// What is left to read, in the compact form of thrift; none where it ends too early.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn drop_bytes(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The type of the next field, whose number follows that of the one before; none inside if there are no more.
    #[expect(clippy::option_option, reason = "the end of a struct is not the end of the bytes")]
    fn field(&mut self, field: &mut i16) -> Option<Option<u8>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *field = match head >> 4 {
            0 => i16::try_from(self.integer()?).ok()?,
            more => field.checked_add(i16::from(more))?,
        };
        Some(Some(head & 0x0f))
    }

    /// How many values a list has, and of which type.
    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
        // Each value has a byte at least.
        (count <= self.0.len() as u64).then_some((count, head & 0x0f))
    }

    /// Skips a value of a struct.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            TRUE | FALSE => Some(()),
            BYTE => self.drop_bytes(1),
            _ if INTEGERS.contains(&kind) => self.number().map(drop),
            DOUBLE => self.drop_bytes(8),
            BINARY => {
                let length = self.number()?;
                self.drop_bytes(length)
            }
            LIST | SET => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.skip_in_list(kind, depth + 1))
            }
            MAP => {
                let count = self.number()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                (0..count).try_for_each(|_| {
                    self.skip_in_list(kinds >> 4, depth + 1)?;
                    self.skip_in_list(kinds & 0x0f, depth + 1)
                })
            }
            STRUCT => {
                let mut field = 0;
                while let Some(kind) = self.field(&mut field)? {
                    self.skip(kind, depth + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Skips a value of a list or a map, where a truth has a byte of its own.
    fn skip_in_list(&mut self, kind: u8, depth: usize) -> Option<()> {
        if matches!(kind, TRUE | FALSE) { self.drop_bytes(1) } else { self.skip(kind, depth) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_have_as_many_children_as_they_say() {
        assert!(is_tree(&[2, 0, 0]));
        assert!(is_tree(&[2, 1, 0, 0]));
        assert!(is_tree(&[0]));
        for wrong in [&[][..], &[3, 0, 0], &[1, 0, 0], &[i32::MAX as u64, 0], &[2, 0]] {
            assert!(!is_tree(wrong), "{wrong:?}");
        }
        assert!(!is_tree(&[vec![1; 200], vec![0]].concat()));
    }

    #[test]
    fn a_footer_that_claims_too_much_is_not_sound() {
        let footer = |children: u8| {
            // Version 1; a schema of two elements with names, the first with so many children; no further fields.
            let root = [0x48, 4, b'r', b'o', b'o', b't', 0x15, 2 * children, 0];
            let leaf = [0x48, 1, b'q', 0];
            let body = [&[0x15, 2, 0x19, 0x2c][..], &root, &leaf, &[0]].concat();
            [b"PAR1", &body[..], &(body.len() as u32).to_le_bytes(), MARK].concat()
        };
        assert!(is_sound(&mut std::io::Cursor::new(footer(1))));
        assert!(!is_sound(&mut std::io::Cursor::new(footer(2))));
        for end in 0..footer(1).len() {
            assert!(!is_sound(&mut std::io::Cursor::new(&footer(1)[..end])));
        }
    }
}
