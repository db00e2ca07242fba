//! Reads a whole file of judgments or of rankings into rows.

use crate::fault::Fault;
use crate::rank::rows::{Rows, RowsBuilder};
use crate::read::block::{BLOCK, Block, Blocks, check_rows, each_line};
use crate::read::line::{Line, qrels_line, run_line};
use crate::read::source::Source;
use crate::read::surplus::Surplus;

/// Reads TREC judgments.
pub fn read_qrels(source: &Source) -> Result<Rows, Fault> {
    let mut builder = RowsBuilder::default();
    read_lines(source, |line| {
        let mut words = line.words();
        let query = words.next().unwrap_or_default();
        let judgment = qrels_line(&mut words)?;
        builder.query(query)?;
        builder.row(judgment.document, judgment.grade)?;
        Ok(builder.group(judgment.group)?)
    })?;
    builder.drop_single_group();
    finish(builder, source)
}

/// Reads a TREC run.
pub fn read_run(source: &Source) -> Result<Rows, Fault> {
    let mut builder = RowsBuilder::default();
    let mut surplus = Surplus::default();
    read_lines(source, |line| {
        let mut words = line.words();
        let query = words.next().unwrap_or_default();
        let retrieved = run_line(&mut words, &mut surplus)?;
        builder.query(query)?;
        retrieved.check_order(builder.order()?)?;
        if retrieved.is_ordered() {
            builder.set_ordered();
            builder.row(retrieved.document, retrieved.given_score()?)?;
        } else {
            builder.row(retrieved.document, retrieved.score)?;
        }
        Ok(builder.tag(retrieved.tag)?)
    })?;
    finish(builder, source)
}

/// The rows, not too many of any query.
fn finish(builder: RowsBuilder, source: &Source) -> Result<Rows, Fault> {
    let rows = builder.finish()?;
    for (query, name) in rows.queries.iter().enumerate() {
        check_rows(rows.range(query).len(), Some(name), source.limits)
            .map_err(|fault| fault.at(&source.name))?;
    }
    Ok(rows)
}

/// Calls `visit` with each line of the file that says something.
pub fn read_lines(
    source: &Source,
    mut visit: impl FnMut(Line<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut blocks = Blocks::open(source, BLOCK)?;
    let mut block = Block::default();
    let (mut part, mut lines) = (0, 0);
    while let Some(number) = blocks.next(&mut block)? {
        let (this, _) = blocks.part(number);
        if this != part {
            (part, lines) = (this, 0);
        }
        match each_line(block.text(), source.limits.line, &mut visit) {
            Ok(count) => lines += count,
            Err((line, fault)) => return Err(fault.at(&source.place(part, lines + line))),
        }
    }
    Ok(())
}
