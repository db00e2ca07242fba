//! Codes of symbols in bits, as deflate has them (RFC 1951, 3.2.2), in tables that tell the symbol from the next bits.

/// The most bits of a code.
const LONGEST: usize = 15;
/// The low bits of an entry: how many bits the code takes, and the further bits of a length or a distance with it.
pub const TAKEN: u32 = 0x1f;
/// How many literals an entry stands for.
pub const LITERALS: u32 = 0x60;
pub const LITERALS_AT: u32 = 5;
/// An entry that is neither literals nor a length nor a distance.
pub const SPECIAL: u32 = 0x80;
/// Where the value of an entry begins: the first literal; how many bits of a length's or a distance's are its code.
pub const VALUE_AT: u32 = 8;
/// Where the least length or distance, or the place of a further table begins.
pub const BASE_AT: u32 = 16;
/// The code that ends a block, and one that stands for nothing.
pub const END: u32 = SPECIAL;
pub const INVALID: u32 = SPECIAL | 1 << BASE_AT;

/// The lengths of the codes do not make a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// What stands for a symbol, but for the length of its code.
pub type Symbols = fn(usize) -> u32;

/// A length or a distance: how many bits follow its code, and the least that it can be.
const fn range(further: u32, base: u32) -> u32 {
    base << BASE_AT | further
}

/// Literals, the end of a block, and lengths.
pub fn literal(symbol: usize) -> u32 {
    const BASES: [u16; 29] = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
        195, 227, 258,
    ];
    match symbol {
        0..256 => (symbol as u32) << VALUE_AT | 1 << LITERALS_AT,
        256 => END,
        // The last one, 258, has no further bits.
        _ => BASES.get(symbol - 257).map_or(INVALID, |&base| {
            let further = if symbol < 265 || symbol == 285 { 0 } else { (symbol as u32 - 261) / 4 };
            range(further, u32::from(base))
        }),
    }
}

pub fn distance(symbol: usize) -> u32 {
    match symbol as u32 {
        few @ 0..4 => range(0, few + 1),
        some @ 4..30 => {
            let further = some / 2 - 1;
            range(further, ((2 + some % 2) << further) + 1)
        }
        _ => INVALID,
    }
}

/// The lengths of other codes.
pub fn length(symbol: usize) -> u32 {
    range(0, symbol as u32)
}

/// The entry of a symbol whose code has `bits` bits behind those that led to its table.
fn entry(symbol: u32, bits: usize) -> u32 {
    let bits = bits as u32;
    if symbol & (LITERALS | SPECIAL) != 0 { symbol | bits } else { (symbol + bits) | bits << VALUE_AT }
}

/// Whether an entry leads to a further table. Where that begins, and how many bits tell its entries apart.
#[inline(always)]
pub fn further(entry: u32) -> Option<(usize, u32)> {
    let bits = entry >> VALUE_AT & 0xf;
    (bits != 0).then_some(((entry >> BASE_AT) as usize, bits))
}

/// A table for the next `ROOT` bits, and behind it further ones for codes that are longer.
#[derive(Debug, Clone)]
pub struct Table<const ROOT: usize, const SIZE: usize> {
    pub entries: [u32; SIZE],
}

impl<const ROOT: usize, const SIZE: usize> Default for Table<ROOT, SIZE> {
    fn default() -> Self {
        Self { entries: [INVALID | 1; SIZE] }
    }
}

impl<const ROOT: usize, const SIZE: usize> Table<ROOT, SIZE> {
    /// Makes the table of codes of these lengths, in order of the symbols; with length 0 a symbol has no code.
    pub fn make(&mut self, lengths: &[u8], symbols: Symbols) -> Result<(), Malformed> {
        let mut counts = [0usize; LONGEST + 1];
        lengths.iter().for_each(|&length| counts[usize::from(length) & LONGEST] += 1);
        counts[0] = 0;
        let used: usize = counts.iter().enumerate().map(|(length, count)| count << (LONGEST - length)).sum();
        if used != 1 << LONGEST {
            return self.make_incomplete(lengths, &counts, symbols);
        }
        let mut starts = [0usize; LONGEST + 2];
        for length in 1..=LONGEST {
            starts[length + 1] = starts[length] + counts[length];
        }
        let mut sorted = [0u16; 288];
        for (symbol, &length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            let at = &mut starts[usize::from(length) & LONGEST];
            *sorted.get_mut(*at).ok_or(Malformed)? = symbol as u16;
            *at += 1;
        }
        self.fill(&sorted, &counts, symbols)
    }

    /// No code, or a single one of one bit, is allowed; what is not a code stands for nothing.
    fn make_incomplete(
        &mut self,
        lengths: &[u8],
        counts: &[usize; LONGEST + 1],
        symbols: Symbols,
    ) -> Result<(), Malformed> {
        let codes: usize = counts.iter().sum();
        if codes > 1 || counts[1] != codes {
            return Err(Malformed);
        }
        self.entries[..1 << ROOT].fill(INVALID | 1);
        if let Some(symbol) = lengths.iter().position(|&length| length == 1) {
            let entry = entry(symbols(symbol), 1);
            self.entries[..1 << ROOT].iter_mut().step_by(2).for_each(|each| *each = entry);
        }
        Ok(())
    }

    /// Fills the table with a complete code, given its symbols from short codes to long ones.
    fn fill(
        &mut self,
        sorted: &[u16; 288],
        counts: &[usize; LONGEST + 1],
        symbols: Symbols,
    ) -> Result<(), Malformed> {
        let mut code = Code { next: 0, length: 0 };
        let mut sorted = sorted.iter().copied();
        // Entries repeat where bits behind a code differ: what is known for fewer bits is copied for more.
        for (length, &count) in counts.iter().enumerate().take(ROOT + 1).skip(1) {
            self.entries.copy_within(..1 << (length - 1), 1 << (length - 1));
            for symbol in sorted.by_ref().take(count) {
                self.entries[code.of(length)] = entry(symbols(usize::from(symbol)), length);
            }
        }
        self.fill_further(sorted, counts, code, symbols)
    }

    /// Adds the codes that are longer than `ROOT` bits, a table for each beginning of that length.
    fn fill_further(
        &mut self,
        mut sorted: impl Iterator<Item = u16>,
        counts: &[usize; LONGEST + 1],
        mut code: Code,
        symbols: Symbols,
    ) -> Result<(), Malformed> {
        let (mut prefix, mut start, mut end) = (usize::MAX, 0, 1 << ROOT);
        for (length, &count) in counts.iter().enumerate().skip(ROOT + 1) {
            for (done, symbol) in sorted.by_ref().take(count).enumerate() {
                let code = code.of(length);
                if code % (1 << ROOT) != prefix {
                    let bits = further_bits::<ROOT>(counts, length, count - done);
                    (prefix, start, end) = (code % (1 << ROOT), end, end + (1 << bits));
                    let place = (start as u32) << BASE_AT | (bits as u32) << VALUE_AT;
                    self.entries[prefix] = SPECIAL | place | ROOT as u32;
                }
                let table = self.entries.get_mut(start..end).ok_or(Malformed)?;
                let entry = entry(symbols(usize::from(symbol)), length - ROOT);
                let same = table.iter_mut().skip(code >> ROOT).step_by(1 << (length - ROOT));
                same.for_each(|each| *each = entry);
            }
        }
        Ok(())
    }
}

/// How many bits tell the codes of a further table apart, of which the first has this length: as many more of that length
/// and of longer ones belong to it as fill it.
fn further_bits<const ROOT: usize>(counts: &[usize; LONGEST + 1], length: usize, left: usize) -> usize {
    let (mut bits, mut room) = (length - ROOT, left);
    while room < 1 << bits && ROOT + bits < LONGEST {
        bits += 1;
        room = 2 * room + counts[ROOT + bits];
    }
    bits
}

/// The next code in order, from its last bit to its first: that is how they are read.
struct Code {
    next: usize,
    length: usize,
}

impl Code {
    fn of(&mut self, length: usize) -> usize {
        self.next <<= length - self.length;
        self.length = length;
        let code = self.next;
        self.next += 1;
        (code as u16).reverse_bits() as usize >> (16 - length)
    }
}

/// Joins literals that follow each other in the next `ROOT` bits, up to three of them in an entry.
pub fn join<const ROOT: usize, const SIZE: usize, const JOINED: usize>(
    table: &Table<ROOT, SIZE>,
    joined: &mut [u32; JOINED],
) {
    for (bits, (to, &first)) in joined.iter_mut().zip(&table.entries).enumerate() {
        let mut all = first;
        if first & LITERALS != 0 {
            for at in [VALUE_AT + 8, VALUE_AT + 16] {
                let taken = all & TAKEN;
                let next = table.entries[(bits >> taken) % SIZE];
                if next & LITERALS == 0 || (taken + (next & TAKEN)) as usize > ROOT {
                    break;
                }
                all += (next & TAKEN) + (1 << LITERALS_AT) + ((next >> VALUE_AT) << at);
            }
        }
        *to = all;
    }
}
