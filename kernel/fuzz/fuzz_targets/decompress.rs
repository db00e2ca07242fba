//! Files that look compressed. A valid one is read back, a damaged one is a fault or loses nothing, one whose end is
//! missing is a fault; any bytes behind the first ones of a format are read or refused.

#![no_main]

use arbitrary::Arbitrary;
use assay_kernel::fault::{Fault, Kind};
use libfuzzer_sys::fuzz_target;
use naive::File;
use naive::compressed::{Damage, Format};
use naive::text::is_encoded;
use std::io::Read;

/// The most that is read: a small file may stand for a huge text.
const MOST: u64 = 16 << 20;

#[derive(Debug, Arbitrary)]
struct Case {
    format: Format,
    bytes: Vec<u8>,
    content: Content,
}

/// What the bytes are.
#[derive(Debug, Arbitrary)]
enum Content {
    /// The file, behind the first bytes of the format.
    Raw,
    /// The text that is compressed.
    Text(Option<Damage>),
}

fuzz_target!(|case: Case| {
    let Case { format, bytes, content } = case;
    let file = match &content {
        Content::Raw => [format.magic(), &bytes].concat(),
        Content::Text(damage) => {
            let mut file = format.compress(&bytes);
            damage.iter().for_each(|damage| format.damage(&mut file, damage));
            file
        }
    };
    match (content, read(&file)) {
        // Text that is not UTF-8 is decoded or refused.
        (_, Err(fault)) if fault.kind == Kind::Format => assert!(fault.message.contains("UTF"), "{fault}"),
        (Content::Text(_), Ok(_)) if is_encoded(&bytes) => {}
        (Content::Raw, Ok(_)) => {}
        (Content::Text(Some(Damage::Cut(_))), Ok(_)) => panic!("nothing is said about the missing end"),
        (Content::Text(Some(Damage::Append(_))), Ok(text)) => assert!(text.starts_with(&bytes)),
        (Content::Text(_), Ok(text)) => assert_eq!(text, bytes),
        (Content::Text(None), Err(fault)) => panic!("{fault}"),
        (_, Err(fault)) => assert_eq!(fault.kind, Kind::File),
    }
});

fn read(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let file = File::new(bytes);
    let source = file.source("file");
    let mut text = Vec::new();
    source.open()?.take(MOST).read_to_end(&mut text).map_err(|error| source.fault(&error))?;
    Ok(text)
}
