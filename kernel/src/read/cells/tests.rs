use super::lines::JsonLines;
use super::separated::Separated;
use super::*;

const NEEDS: [Need; 4] = [Need::Text(0), Need::Nothing, Need::Text(1), Need::Number(2)];

fn json_lines() -> JsonLines {
    let names = ["q", "note", "d", "s"];
    JsonLines { keys: names.iter().map(|name| name.as_bytes().to_vec()).zip(NEEDS).collect(), longest: 100 }
}

/// The rows of a block as text.
fn rows(form: &impl Form, block: &str, threads: usize) -> Option<Vec<String>> {
    let parts = decode(form, block.as_bytes(), threads).unwrap()?;
    let mut rows = Vec::new();
    for part in parts {
        for row in 0..part.count {
            let cells: Vec<String> = part.columns.iter().map(|column| cell(column, row)).collect();
            rows.push(cells.join("|"));
        }
    }
    Some(rows)
}

fn cell(column: &Column, row: usize) -> String {
    match column {
        Column::Numbers(numbers) => numbers[row].to_string(),
        Column::Texts(texts) => {
            let bytes = texts.views[row].to_le_bytes();
            let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
            let start = u32::from_le_bytes(bytes[12..].try_into().unwrap()) as usize;
            let text =
                if length <= SHORT { &bytes[4..4 + length] } else { &texts.text[start..start + length] };
            String::from_utf8(text.to_vec()).unwrap()
        }
    }
}

#[test]
fn objects_become_rows() {
    let read = |line: &str| rows(&json_lines(), line, 1);
    let row = |text: &str| Some(vec![text.to_owned()]);
    assert_eq!(read(r#"{"q": "a", "note": null, "d": "b", "s": 1.5}"#), row("a|b|1.5"));
    assert_eq!(
        read("{\"s\": -2, \"d\": \"a long document id\", \"q\": 7}\r\n"),
        row("7|a long document id|-2")
    );
    assert_eq!(read(r#"{"q": "\u00e9", "d": -0, "s": 1e3, "note": [{"q": 1}]}"#), row("é|0|1000"));
    for left in [
        r#"{"q": "a", "d": "b"}"#,
        r#"{"q": "a", "d": "b", "s": 1, "s": 1}"#,
        r#"{"q": "a", "d": "b", "s": 1, "other": 1}"#,
        r#"{"q": "a", "d": "b", "s": "1"}"#,
        r#"{"q": "a", "d": 1.0, "s": 1}"#,
        r#"{"q": true, "d": "b", "s": 1}"#,
        r#"{"q": "a", "d": "b", "s": 1e999}"#,
        r#"{"q": "a", "d": "b", "s": NaN}"#,
        r#"{"q": "a", "d": "b", "s": 1} 1"#,
        r#"{"q": "a", "d": "b", "s": 1, "note": {"x": 1, "x": 2}}"#,
        "{\"q\": \"a\",\n\"d\": \"b\", \"s\": 1}",
        "\n",
        "[]",
        &format!("{}{:>90}", r#"{"q": "a", "d": "b", "s": 1}"#, ""),
    ] {
        assert_eq!(read(left), None, "{left}");
    }
}

#[test]
fn cells_become_rows() {
    let form = Separated { separator: b',', needs: NEEDS.to_vec() };
    let read = |text: &str| rows(&form, text, 1);
    let row = |text: &str| Some(vec![text.to_owned()]);
    assert_eq!(read("a,,b,1.5"), row("a|b|1.5"));
    assert_eq!(read("\"a,\"\"1\"\"\n\",\"x\ny\",b,-2e1\r\n"), row("a,\"1\"\n|b|-20"));
    assert_eq!(read("a,x,\"b\",\"-0\"\r\n"), row("a|b|-0"));
    for left in [
        "a,x,b",
        "a,x,b,1,",
        "a,x,b,",
        ",x,b,1",
        "a,x,\"\",1",
        "a,x,b,one",
        "a,x,b,1 ",
        "a,x,b,+1",
        "a,x,b,.5",
        "a,x,b,1.",
        "a,x,b,1e",
        "a,x,b,1e999",
        "a,x,b\r,1",
        "a,x\"y,b,1",
        "a,\"x\"y,b,1",
        "a,\"x,b,1",
        "\n",
        "a,x,b,1\r",
    ] {
        assert_eq!(read(left), None, "{left:?}");
    }
}

#[test]
fn threads_change_nothing() {
    let cell = "\"x, \n\"\"y\"\"\"";
    let table: String =
        (0..20_000).map(|row| format!("query {},{cell},document {row},{row}\n", row / 100)).collect();
    let lines: String = (0..20_000)
        .map(|row| format!("{{\"q\": \"query {}\", \"d\": \"document {row}\", \"s\": {row}.5}}\n", row / 100))
        .collect();
    let separated = Separated { separator: b',', needs: NEEDS.to_vec() };
    let (one, other) = (rows(&separated, &table, 1).unwrap(), rows(&json_lines(), &lines, 1).unwrap());
    assert_eq!((one.len(), other.len()), (20_000, 20_000));
    for threads in [2, 3, 7] {
        assert_eq!(rows(&separated, &table, threads).as_ref(), Some(&one));
        assert_eq!(rows(&json_lines(), &lines, threads).as_ref(), Some(&other));
    }
}

#[test]
fn a_block_is_cut_behind_its_last_row() {
    let separated = Separated { separator: b',', needs: NEEDS.to_vec() };
    let size = |block: &str, is_last| read_block(&separated, block.as_bytes(), is_last, 1).unwrap().size;
    assert_eq!(size("a,x,b,1\na,\"x\n\",b,2\na,\"x\n", false), 19);
    assert_eq!(size("a,\"x\n", false), 0);
    assert_eq!(size("a,\"x\n", true), 5);
    assert_eq!(read_block(&json_lines(), b"{}\n{", false, 1).unwrap().size, 3);
    for (block, count) in
        [("a,x,b,1\r\n\r\n\n\n", Some(1)), ("a,x,b,1\n\r\r\n", None), ("a,x,b,1\n \n", None)]
    {
        let read = read_block(&separated, block.as_bytes(), true, 1).unwrap().parts;
        assert_eq!(read.map(|parts| parts[0].count), count, "{block:?}");
    }
}

#[test]
fn bytes_that_are_not_text_are_left() {
    assert!(decode(&json_lines(), b"{\"q\": \"\xff\", \"d\": \"b\", \"s\": 1}", 1).unwrap().is_none());
    assert!(decode(&json_lines(), b"", 2).unwrap().is_some_and(|parts| parts.is_empty()));
}
