//! Reads a whole file of judgments or of rankings into rows.

use crate::fault::Fault;
use crate::rows::{Rows, RowsBuilder};
use crate::text::block::{BLOCK, Blocks, each_line};
use crate::text::line::{Line, qrels_line, run_line};
use crate::text::source::Source;
use crate::text::surplus::Surplus;

/// Reads TREC judgments.
pub fn read_qrels(source: &Source) -> Result<Rows, Fault> {
    let mut builder = RowsBuilder::default();
    read_lines(source, |line| {
        let mut words = line.words();
        let query = words.next().unwrap_or_default();
        let judgment = qrels_line(&mut words)?;
        builder.query(query);
        builder.row(judgment.document, judgment.grade);
        builder.group(judgment.group);
        Ok(())
    })?;
    builder.drop_single_group();
    Ok(builder.finish())
}

/// Reads a TREC run.
pub fn read_run(source: &Source) -> Result<Rows, Fault> {
    let mut builder = RowsBuilder::default();
    let mut surplus = Surplus::default();
    read_lines(source, |line| {
        let mut words = line.words();
        let query = words.next().unwrap_or_default();
        let retrieved = run_line(&mut words, &mut surplus)?;
        builder.query(query);
        retrieved.check_order(builder.order())?;
        if retrieved.is_ordered() {
            builder.set_ordered();
            builder.row(retrieved.document, retrieved.given_score()?);
        } else {
            builder.row(retrieved.document, retrieved.score);
        }
        builder.tag(retrieved.tag);
        Ok(())
    })?;
    Ok(builder.finish())
}

/// Calls `visit` with each line of the file that says something.
pub fn read_lines(
    source: &Source,
    mut visit: impl FnMut(Line<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut blocks = Blocks::open(source, BLOCK)?;
    let mut block = Vec::new();
    let (mut part, mut lines) = (0, 0);
    while let Some(number) = blocks.next(&mut block)? {
        let (this, _) = blocks.part(number);
        if this != part {
            (part, lines) = (this, 0);
        }
        match each_line(&block, &mut visit) {
            Ok(count) => lines += count,
            Err((line, fault)) => return Err(fault.at(&source.place(part, lines + line))),
        }
    }
    Ok(())
}
