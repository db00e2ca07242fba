//! The pages of a row group, each read from the file when it is wanted and checked before it is decoded.

use bytes::Bytes;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};
use std::fs::File;
use std::io::{BufReader, Read};
use std::sync::Arc;

/// A file that several threads read, each wherever it likes.
#[derive(Debug, Clone)]
pub struct Anywhere {
    file: Arc<File>,
    length: u64,
}

impl Anywhere {
    pub fn new(file: File) -> std::io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), length })
    }
}

impl Length for Anywhere {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Anywhere {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::with_capacity(1 << 10, From { file: Arc::clone(&self.file), start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("a page goes on after the end of the file".into()));
        }
        let mut content = Vec::new();
        content.try_reserve_exact(length).map_err(|_| ParquetError::General("no memory".into()))?;
        From { file: Arc::clone(&self.file), start }.take(length as u64).read_to_end(&mut content)?;
        if content.len() < length {
            return Err(ParquetError::EOF("the file ends in a page".into()));
        }
        Ok(content.into())
    }
}

/// A file from some place on.
pub struct From {
    file: Arc<File>,
    start: u64,
}

impl Read for From {
    fn read(&mut self, target: &mut [u8]) -> std::io::Result<usize> {
        #[cfg(unix)]
        let count = std::os::unix::fs::FileExt::read_at(&*self.file, target, self.start)?;
        #[cfg(windows)]
        let count = std::os::windows::fs::FileExt::seek_read(&*self.file, target, self.start)?;
        self.start += count as u64;
        Ok(count)
    }
}

/// One row group of a file.
pub struct Group {
    pub file: Arc<Anywhere>,
    pub metadata: Arc<ParquetMetaData>,
    pub number: usize,
}

impl Group {
    fn own(&self) -> &RowGroupMetaData {
        self.metadata.row_group(self.number)
    }
}

impl RowGroups for Group {
    fn num_rows(&self) -> usize {
        self.own().num_rows() as usize
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let own = self.own().column(column);
        let pages = SerializedPageReader::new(Arc::clone(&self.file), own, self.num_rows(), None)?;
        Ok(Box::new(Chunk(Some(Box::new(Checked { pages, rows: self.num_rows() })))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.own()))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The only column chunk.
struct Chunk(Option<Box<dyn PageReader>>);

impl Iterator for Chunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for Chunk {}

/// Pages that have no more values than they can have: room is made for as many as they claim. Texts that share beginnings
/// with the one before, or whose lengths are packed, claim more inside of the page: they are not for this reader.
struct Checked {
    pages: SerializedPageReader<Anywhere>,
    rows: usize,
}

impl Checked {
    fn check(&self, page: Page) -> Result<Page> {
        // Each entry of a dictionary has four bytes at least: those of a number, or those that say how long a text is.
        let most = if page.is_dictionary_page() { page.buffer().len() / 4 } else { self.rows };
        let is_packed =
            matches!(page.encoding(), Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY);
        match page.num_values() as usize <= most && !is_packed {
            true => Ok(page),
            false => Err(ParquetError::General("a page claims more values than it can have".into())),
        }
    }
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.pages.get_next_page()?.map(|page| self.check(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
