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
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Whether the groups of a schema have as many children as they say, and are not too deep.
pub fn is_sound(file: &mut (impl Read + Seek)) -> bool {
    read_footer(file).is_some_and(|footer| Cursor(&footer).schema().is_some())
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

/// What is left to read, in the compact form of thrift; none where it ends too early, or a schema has no such value.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    /// Reads up to the end of the schema, whose elements have to be one tree.
    fn schema(&mut self) -> Option<()> {
        let mut field = 0;
        while let Some(kind) = self.field(&mut field)? {
            if field == SCHEMA && kind == LIST {
                let head = self.byte()?;
                let mut left = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
                self.element(&mut left, 0).filter(|()| head & 0x0f == STRUCT)?;
                return (left == 0).then_some(());
            }
            self.skip(kind, 0)?;
        }
        None
    }

    /// Reads an element, and those inside of it, of so many that are left.
    fn element(&mut self, left: &mut u64, depth: usize) -> Option<()> {
        *left = left.checked_sub(1)?;
        let (mut field, mut children) = (0, 0);
        while let Some(kind) = self.field(&mut field)? {
            if field == CHILDREN && INTEGERS.contains(&kind) {
                children = u64::try_from(self.integer()?).ok()?;
            } else {
                self.skip(kind, 0)?;
            }
        }
        let fits = children <= *left && depth < DEEPEST;
        if fits { (0..children).try_for_each(|_| self.element(left, depth + 1)) } else { None }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
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

    /// Skips a value of a struct.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            TRUE | FALSE => {}
            BYTE => drop(self.byte()?),
            _ if INTEGERS.contains(&kind) => drop(self.number()?),
            BINARY => {
                let length = usize::try_from(self.number()?).ok()?;
                self.0 = self.0.get(length..)?;
            }
            STRUCT if depth < DEEPEST => {
                let mut field = 0;
                while let Some(kind) = self.field(&mut field)? {
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}
