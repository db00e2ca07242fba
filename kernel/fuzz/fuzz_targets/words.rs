//! Any texts, compared with the last one of their group: the same words, equal texts, shared n-grams and subsequences as
//! the obvious way finds, on one thread and on several.

#![no_main]

use assay_kernel::words::split::{ALONE, BETWEEN, IS_LETTER, LEFT_OUT, PART, Splitter};
use assay_kernel::words::{Texts, Words, add_text, characters};
use libfuzzer_sys::fuzz_target;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::AtomicBool;

const ORDER: usize = 4;
/// Words of a text that are compared.
const LONGEST: usize = 20;
/// What ends a text; no UTF-8 has it.
const END: u8 = 0xFF;
static RUNNING: AtomicBool = AtomicBool::new(false);

type Text = Vec<Vec<u8>>;

fuzz_target!(|bytes: &[u8]| {
    let texts: Vec<&[u8]> = bytes.split(|byte| *byte == END).collect();
    check_characters(bytes);
    for symbols in [false, true] {
        let removed = vec![b"a".to_vec(), b"the".to_vec()];
        let one = counts(&texts, &splitter(removed.clone(), symbols), 1);
        assert_eq!(one, counts(&texts, &splitter(removed, symbols), 3));
    }
    if texts.iter().all(|text| std::str::from_utf8(text).is_ok()) {
        check(&texts);
    }
});

fn kind(character: char) -> u8 {
    match character {
        '!' | '.' | '\u{301}' => LEFT_OUT,
        ' ' | '\n' | '\u{3000}' => BETWEEN,
        '*' | '東' => ALONE,
        _ if character.is_ascii_alphanumeric() => PART | IS_LETTER,
        _ => PART,
    }
}

fn splitter(removed: Vec<Vec<u8>>, symbols: bool) -> Splitter {
    let ascii = std::array::from_fn(|at| kind(char::from(at as u8)));
    let others = ['\u{301}', '\u{3000}', '東'].map(|each| (u32::from(each), kind(each)));
    Splitter::new(ascii, &others, PART, removed, symbols).unwrap()
}

/// All that is counted of texts, the first half of them in a group of their own.
type Counts = [Vec<i64>; 5];

fn counts(texts: &[&[u8]], splitter: &Splitter, threads: usize) -> Counts {
    let mut all = Texts::default();
    for (number, text) in texts.iter().enumerate() {
        add_text(&mut all, text).unwrap();
        if number + 1 == texts.len() / 2 || number + 1 == texts.len() {
            all.groups.push(all.ends.len());
        }
    }
    let words = Words::new(&all, splitter, threads, &RUNNING).unwrap();
    [
        words.lengths().collect(),
        words.equal(&RUNNING).unwrap(),
        words.shared(ORDER, false, threads, &RUNNING).unwrap(),
        words.shared(ORDER, true, threads, &RUNNING).unwrap(),
        words.subsequences(LONGEST, threads, &RUNNING).unwrap(),
    ]
}

/// Texts that are UTF-8, of which no word is removed, against the obvious way.
fn check(texts: &[&[u8]]) {
    let [lengths, equal, each, together, subsequences] = counts(texts, &splitter(vec![], false), 2);
    let split: Vec<Text> = texts.iter().map(|text| words(str::from_utf8(text).unwrap())).collect();
    assert_eq!(lengths, split.iter().map(|text| text.len() as i64).collect::<Vec<_>>());
    let (first, second) = split.split_at(split.len() / 2);
    let mut expected: [Vec<i64>; 4] = Default::default();
    for group in [first, second].into_iter().filter(|group| !group.is_empty()) {
        let (last, others) = group.split_last().unwrap();
        for other in others {
            expected[0].push(i64::from(other == last));
            expected[1].extend((1..=ORDER).map(|length| shared(last, &[other], length)));
            expected[3].push(subsequence(cut(other), cut(last)));
        }
        let all: Vec<&Text> = others.iter().collect();
        expected[2].extend((1..=ORDER).map(|length| shared(last, &all, length)));
    }
    assert_eq!([equal, each, together, subsequences], expected);
}

fn words(text: &str) -> Text {
    let (mut found, mut word) = (Text::new(), Vec::new());
    for character in text.chars() {
        let kind = kind(character) & 3;
        if kind == BETWEEN || kind == ALONE {
            found.push(std::mem::take(&mut word));
        }
        if kind == PART || kind == ALONE {
            word.extend(character.to_string().bytes());
        }
        if kind == ALONE {
            found.push(std::mem::take(&mut word));
        }
    }
    found.push(word);
    found.retain(|word| !word.is_empty());
    found
}

/// The n-grams of the last text that are in others, each as often as it has it and one of the others.
fn shared(last: &Text, others: &[&Text], length: usize) -> i64 {
    let others: Vec<_> = others.iter().map(|other| tally(other, length)).collect();
    let found = |gram| others.iter().filter_map(|other| other.get(gram)).max().copied().unwrap_or(0);
    tally(last, length).iter().map(|(gram, count)| *count.min(&found(gram))).sum()
}

fn tally(text: &Text, length: usize) -> HashMap<&[Vec<u8>], i64> {
    let mut counts = HashMap::new();
    for gram in text.windows(length) {
        *counts.entry(gram).or_insert(0) += 1;
    }
    counts
}

fn cut(text: &Text) -> &[Vec<u8>] {
    &text[..text.len().min(LONGEST)]
}

fn subsequence(one: &[Vec<u8>], other: &[Vec<u8>]) -> i64 {
    let mut row = vec![0; other.len() + 1];
    for word in one {
        let mut next = vec![0];
        for (at, against) in other.iter().enumerate() {
            next.push(if word == against { row[at] + 1 } else { row[at + 1].max(next[at]) });
        }
        row = next;
    }
    row[other.len()]
}

fn check_characters(bytes: &[u8]) {
    let found = characters(bytes, &RUNNING).unwrap();
    assert!(found.is_sorted_by(|one, other| one < other));
    if let Ok(text) = std::str::from_utf8(bytes) {
        let expected: BTreeSet<u32> = text.chars().map(u32::from).filter(|each| *each >= 0x80).collect();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
    }
}
