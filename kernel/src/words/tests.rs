use super::*;
use crate::words::key::Key;
use crate::words::split::{ALONE, BETWEEN, IS_LETTER, LEFT_OUT, PART, decode};
use std::sync::atomic::Ordering;

fn kinds() -> [u8; 128] {
    let mut kinds = [PART; 128];
    for (character, kind) in kinds.iter_mut().enumerate() {
        let character = character as u8;
        *kind = match character {
            b'!' | b'.' | b'-' => LEFT_OUT,
            b' ' | b'\n' => BETWEEN,
            b'*' => ALONE,
            _ if character.is_ascii_alphanumeric() => PART | IS_LETTER,
            _ => PART,
        };
    }
    kinds
}

fn splitter(symbols: bool) -> Splitter {
    let others = [(0xE9, PART | IS_LETTER), (0x6771, ALONE), (0x3000, BETWEEN)];
    let removed = if symbols { vec![] } else { vec![b"a".to_vec(), b"the".to_vec()] };
    Splitter::new(kinds(), &others, PART, removed, symbols).unwrap()
}

fn split(text: &[u8], symbols: bool) -> Vec<String> {
    let mut tokens = Tokens::default();
    splitter(symbols).split(text, 0..text.len(), &mut tokens, &AtomicBool::new(false)).unwrap();
    let word = |key: &Key| String::from_utf8_lossy(&key.bytes(&tokens.long)).into_owned();
    tokens.keys.iter().map(word).collect()
}

fn words(groups: &[&[&str]]) -> Words {
    let mut texts = Texts::default();
    for group in groups {
        for text in *group {
            add_text(&mut texts, text.as_bytes()).unwrap();
        }
        texts.groups.push(texts.ends.len());
    }
    Words::new(&texts, &splitter(false), 2, &AtomicBool::new(false)).unwrap()
}

#[test]
fn characters_decide_where_words_end() {
    assert_eq!(split(b"x*y  z!", false), ["x", "*", "y", "z"]);
    assert_eq!(split("東x\u{3000}é".as_bytes(), false), ["東", "x", "é"]);
    assert_eq!(split(b"", false), [""; 0]);
    assert_eq!(split(b" \n!", false), [""; 0]);
}

#[test]
fn words_of_any_length_are_whole() {
    for length in [1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 128, 200] {
        for before in [0, 1, 47, 48, 63] {
            let word = "x".repeat(length);
            let text = format!("{}{word} y{word}.z {word}", " ".repeat(before));
            let expected = [word.clone(), format!("y{word}z"), word.clone()];
            assert_eq!(split(text.as_bytes(), false), expected, "{length} after {before}");
            let found = words(&[&[&text, &word]]);
            assert_eq!(found.lengths().collect::<Vec<_>>(), [3, 1]);
            assert_eq!(found.shared(1, false, 1, &AtomicBool::new(false)).unwrap(), [1]);
            assert_eq!(found.different, [2]);
        }
    }
}

#[test]
fn words_are_removed_between_what_is_no_letter() {
    assert_eq!(split(b"the cat a", false), ["cat"]);
    assert_eq!(split(b"th.e athe a-", false), ["athe"]);
    assert_eq!(split(b"x\x01the\x01y", false), ["x\x01", "\x01y"]);
    assert_eq!(split("aé éa a\u{1F600}".as_bytes(), false), ["aé", "éa", "\u{1F600}"]);
}

#[test]
fn bytes_out_of_place_are_characters() {
    assert_eq!(decode(&[0xFF]), (0xFF, 1));
    assert_eq!(decode(&[0xC3]), (0xC3, 1));
    assert_eq!(decode(&[0xE6, 0x9D, 0xB1]), (0x6771, 3));
    assert_eq!(decode(&[0xED, 0xA0, 0x80]), (0xD800, 3));
    assert_eq!(decode(&[0xF4, 0xBF, 0xBF, 0xBF]), (0xF4, 1));
    assert_eq!(split(&[b'x', 0xE6, b' ', 0x80], false).len(), 2);
}

#[test]
fn symbols_are_split_off_but_in_numbers() {
    assert_eq!(split(b"1,000 (yes)", true), ["1,000", "(", "yes", ")"]);
    assert_eq!(split(b"x, y/z", true), ["x", ",", "y", "/", "z"]);
}

#[test]
fn counts_of_what_texts_share() {
    let found = words(&[&["x y x", "z", "x x y x"], &["q"], &["", ""]]);
    let stop = AtomicBool::new(false);
    assert_eq!(found.lengths().collect::<Vec<_>>(), [3, 1, 4, 1, 0, 0]);
    assert_eq!(found.equal(&stop).unwrap(), [0, 0, 1]);
    assert_eq!(found.shared(2, false, 2, &stop).unwrap(), [3, 2, 0, 0, 0, 0]);
    assert_eq!(found.shared(2, true, 2, &stop).unwrap(), [3, 2, 0, 0, 0, 0]);
    assert_eq!(found.subsequences(100, 1, &stop).unwrap(), [3, 0, 0]);
    assert_eq!(found.subsequences(2, 1, &stop).unwrap(), [1, 0, 0]);
    assert_eq!(words(&[&["x y", "y z", "x y z"]]).shared(2, true, 1, &stop).unwrap(), [3, 2]);
}

#[test]
fn words_of_any_length_are_told_apart() {
    let lengths = [2, 3, 7, 8, 9, 14, 15, 16, 17, 40];
    let word = |length: usize, last: &str| format!("{}{last}", "x".repeat(length - 1));
    for length in lengths {
        let (one, other) = (word(length, "y"), word(length, "z"));
        let text = format!("{one} {other} {one} {}", lengths.map(|each| word(each, "y")).join(" "));
        let found = words(&[&[&one, &other, &text], &[&text, &text]]);
        let stop = AtomicBool::new(false);
        assert_eq!(found.shared(1, false, 1, &stop).unwrap(), [1, 1, 13]);
        assert_eq!(found.different, [11, 11]);
    }
    let zeros = words(&[&["ab\0", "ab"], &["abcdefgh\0", "abcdefgh"]]);
    assert_eq!(zeros.equal(&AtomicBool::new(false)).unwrap(), [0, 0]);
}

#[test]
fn long_subsequences_carry() {
    let one: Vec<String> = (0..300).map(|number| format!("w{}", number % 7)).collect();
    let other: Vec<String> = (0..200).map(|number| format!("w{}", number % 5)).collect();
    let (one, other) = (one.join(" "), other.join(" "));
    let stop = AtomicBool::new(false);
    let found = words(&[&[&one, &other], &[&other, &one], &[&one, &one]]).subsequences(1000, 1, &stop);
    let found = found.unwrap();
    assert_eq!((found[0], found[2]), (found[1], 300));
}

#[test]
fn characters_past_ascii_are_listed_once() {
    let stop = AtomicBool::new(false);
    assert_eq!(characters("aéé東".as_bytes(), &stop).unwrap(), [0xE9, 0x6771]);
    stop.store(true, Ordering::Relaxed);
    assert!(characters(b"x", &stop).is_err());
}
