//! Parquet files: their columns, and their rows, a batch at a time.

use super::batch::{Batch, is_id, is_number};
use super::pages::{Anywhere, Group};
use super::{Part, Stop, footer, panics};
use crate::memory::Grow;
use arrow_schema::{DataType, Field, FieldRef, Fields};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::ConvertedType;
use parquet::file::metadata::ParquetMetaData;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a batch: few enough for the processor's cache, many enough for what a batch costs.
pub const ROWS: usize = 1 << 14;

/// A row group of one of the files.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    pub file: usize,
    pub group: usize,
    /// How many rows are before it, in all files.
    pub first: u64,
    pub rows: u64,
}

/// A file whose columns can be read. It is opened for each of its groups: there may be many files.
pub struct Known {
    path: PathBuf,
    metadata: Arc<ParquetMetaData>,
    levels: FieldLevels,
    /// Where the queries, documents and scores are among the columns that are read.
    places: [usize; 3],
}

/// The names of a file's columns; none if they cannot be told.
pub fn column_names(path: &Path) -> Option<Vec<String>> {
    let names = panics::caught(|| {
        let metadata = read_metadata(path)?;
        Ok(metadata.schema().fields().iter().map(|field| field.name().clone()).collect())
    });
    names.ok()
}

fn open(path: &Path) -> Result<Anywhere, Stop> {
    File::open(path).and_then(Anywhere::new).map_err(|_| Stop::Unfit)
}

fn read_metadata(path: &Path) -> Result<ArrowReaderMetadata, Stop> {
    if !File::open(path).is_ok_and(|mut file| footer::is_sound(&mut file)) {
        return Err(Stop::Unfit);
    }
    Ok(ArrowReaderMetadata::load(&open(path)?, ArrowReaderOptions::new())?)
}

/// The files, and their row groups in order.
pub fn open_all(parts: &[Part]) -> Result<(Vec<Known>, Vec<Task>), Stop> {
    let (mut files, mut tasks, mut first) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        let known = Known::new(part)?;
        for (group, own) in known.metadata.row_groups().iter().enumerate() {
            let rows = u64::try_from(own.num_rows()).map_err(|_| Stop::Unfit)?;
            tasks.add(Task { file: files.len(), group, first, rows })?;
            first = first.checked_add(rows).ok_or(Stop::Unfit)?;
        }
        files.add(known)?;
    }
    // What a run without rows is called is not decided here.
    if first == 0 { Err(Stop::Unfit) } else { Ok((files, tasks)) }
}

impl Known {
    fn new(part: &Part) -> Result<Self, Stop> {
        let metadata = read_metadata(&part.path)?;
        let fields = metadata.schema().fields();
        let place = |name: &String| fields.iter().position(|field| field.name() == name).ok_or(Stop::Unfit);
        let [query, document, score] = &part.columns;
        let roots = [place(query)?, place(document)?, place(score)?];
        let schema = metadata.parquet_schema();
        let is_text = |root: usize| {
            let mut leaves =
                (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == root);
            leaves.all(|leaf| schema.column(leaf).converted_type() == ConvertedType::UTF8)
        };
        let is_known = |root: usize| is_id(fields[root].data_type(), is_text(root));
        if !is_known(roots[0]) || !is_known(roots[1]) || !is_number(fields[roots[2]].data_type()) {
            return Err(Stop::Unfit);
        }
        let hint: Fields = fields
            .iter()
            .enumerate()
            .map(|(root, field)| read_as(field, roots[..2].contains(&root)))
            .collect();
        let mask = ProjectionMask::roots(schema, roots);
        let levels = parquet_to_arrow_field_levels(schema, mask, Some(&hint))?;
        // The columns that are read keep the order of the file.
        let places = roots.map(|root| (0..root).filter(|other| roots.contains(other)).count());
        Ok(Self { path: part.path.clone(), metadata: Arc::clone(metadata.metadata()), levels, places })
    }

    /// Calls `take` with the rows of one group, a batch at a time, and the number of the first row of each.
    pub fn read(
        &self,
        task: Task,
        mut take: impl FnMut(&Batch, u64) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let group = Group {
            file: Arc::new(open(&self.path)?),
            metadata: Arc::clone(&self.metadata),
            number: task.group,
        };
        let batches = ParquetRecordBatchReader::try_new_with_row_groups(&self.levels, &group, ROWS, None)?;
        let mut first = task.first;
        for batch in batches {
            let batch = Batch::new(&batch?, self.places)?;
            take(&batch, first)?;
            first += batch.len() as u64;
        }
        if first == task.first + task.rows { Ok(()) } else { Err(Stop::Unfit) }
    }

    /// The bytes of a group's columns, all of them.
    pub fn bytes(&self, group: usize) -> u64 {
        self.metadata.row_group(group).compressed_size().unsigned_abs()
    }
}

/// Ids as views of the pages they are in: most are neither copied nor looked at.
fn read_as(field: &FieldRef, is_id: bool) -> FieldRef {
    match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Dictionary(_, _) if is_id => {
            Arc::new(Field::clone(field).with_data_type(DataType::Utf8View))
        }
        _ => Arc::clone(field),
    }
}
