use super::*;
use crate::read::block::each_line;
use crate::read::lanes::{Lanes, Task};

type Found = Result<(usize, usize, Vec<String>), (usize, String)>;

fn shown(query: &[u8], retrieved: &RunLine<'_>) -> String {
    format!("{} {retrieved:?}", query.escape_ascii())
}

/// The rows as cut at one look where that can be.
struct Read<'a>(&'a [u8], usize);

impl Task for Read<'_> {
    type Output = Found;

    #[inline(always)]
    fn run(self, level: impl Level) -> Found {
        let (mut rows, mut query, mut surplus) = (Vec::new(), &b""[..], Surplus::ignored(true));
        let read = each_row(level, self.0, self.1, &mut surplus, |row| {
            assert!(!row.goes_on || row.query == query);
            query = row.query;
            rows.push(shown(row.query, &row.retrieved));
            Ok(())
        });
        match read {
            Ok(lines) => Ok((lines, surplus.lines, rows)),
            Err((line, Fault { message, .. })) => Err((line, message)),
        }
    }
}

/// The rows as read word by word.
fn expected(text: &[u8], longest: usize) -> Found {
    let (mut rows, mut surplus) = (Vec::new(), Surplus::ignored(true));
    let read = each_line(text, longest, |line| {
        let mut words = line.words();
        let query = words.next().unwrap_or_default();
        rows.push(shown(query, &run_line(&mut words, &mut surplus)?));
        Ok(())
    });
    match read {
        Ok(lines) => Ok((lines, surplus.lines, rows)),
        Err((line, fault)) => Err((line, fault.message)),
    }
}

fn check(text: &[u8]) {
    for longest in [1 << 20, 64, 63, 20] {
        let expected = expected(text, longest);
        for lanes in Lanes::ALL {
            assert_eq!(lanes.run(Read(text, longest)), expected, "{lanes:?} {}", text.escape_ascii());
        }
    }
}

/// A text long enough that its first lines are cut at one look.
fn followed(line: &str) -> Vec<u8> {
    [line, "q Q0 d 1 1 t\n", &"# no row\n".repeat(12)].concat().into_bytes()
}

#[test]
fn lines_are_cut_as_they_are_read_word_by_word() {
    for line in [
        "q1 Q0 d7 1 12.5 tag\n",
        "q1 Q0 d7 1 12.5 tag\r\n",
        "q1 Q0 d7 1 12.5 tag \n",
        "q1 Q0 d7 1 12.5 tag  \n",
        "q1\tQ0\td7\t1\t-12.5\ttag\n",
        " q1 Q0 d7 1 12.5 tag\n",
        "q1  Q0 d7 1 12.5 tag\n",
        "q1 Q0 d7 1 12.5\n",
        "q1 Q0 d7 1 12.5 \n",
        "q1 Q0 d7 1 12.5 tag more\n",
        "q1 Q0 d7 1 12.5 tag\rq2 Q0\n",
        "q1 Q0 d7 1 1e3 tag\n",
        "q1 Q0 d7 1 x tag\n",
        "q1 Q0 d7 1 nan tag\n",
        "q1 Q0 d7 1 3.141592653589793 tag\n",
        "#1 Q0 d7 1 1 tag\n",
        "\n",
        "\r\n",
        "\u{feff}q1 Q0 d7 1 1 tag\n",
        "\u{ef80}q1 Q0 d7 1 1 tag\n",
        "q\u{1}1 Q0 d\u{1f}7 1 1 tag\u{85}\n",
        "q1 assay-order=0.5 d7 1 1 tag\n",
        "q1 Q0 d7 1 1 tag",
        "q Q0 d 1 1 t\nq\tQ0 d 2 1 t\nqq Q0 d 3 1 t\nq Q0 d 4 1 t\n",
    ] {
        check(&followed(line));
        check(line.as_bytes());
    }
}

#[test]
fn a_line_may_be_of_any_length_and_end_anywhere() {
    for length in 1..120 {
        let id = "x".repeat(length);
        for line in
            [format!("{id} Q0 d 1 2.5 t\n"), format!("q Q0 {id} 1 2.5 t\n"), format!("q Q0 d 1 2.5 {id}\n")]
        {
            check(&followed(&line.repeat(3)));
            check(line.as_bytes());
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn random_lines_are_read_alike() {
    let mut state = 3u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..3_000 {
        let mut text = Vec::new();
        for _ in 0..random(12) {
            for word in ["q", "Q0", "d", "1", "2.5", "tag"] {
                text.extend_from_slice(word.as_bytes());
                (0..random(9)).for_each(|_| text.push(b"0123456789"[random(10)]));
                text.push(b' ');
            }
            text.pop();
            if random(6) == 0 && !text.is_empty() {
                let at = random(text.len());
                text[at] = b" \t\r\x0b\x0c\n#.-x\xef\x00"[random(12)];
            }
            text.push(b'\n');
        }
        check(&text);
    }
}
