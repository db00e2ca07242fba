//! Where data is: a file that can be opened again, or several that are read as one.

use crate::failure;
use crate::fault::{Fault, Kind, show_name};
use crate::limits::{Limits, refuse, size};
use crate::memory::{Lack, filled};
use crate::read::encoding::EncodingError;
use crate::read::expand::{Opened, open};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// One file of a source, with the name that messages give it.
#[derive(Debug, Clone)]
pub struct Part {
    pub path: PathBuf,
    pub name: String,
}

/// A file that can be opened again, or several that are read as one, with the name that messages give it.
#[derive(Debug, Clone)]
pub struct Source {
    pub parts: Vec<Part>,
    pub name: String,
    /// Bytes of the files read so far.
    pub progress: Arc<AtomicU64>,
    pub limits: Limits,
    /// Set from outside to give up: the next read fails.
    pub stop: Arc<AtomicBool>,
}

impl Source {
    pub fn new(path: impl Into<PathBuf>, name: impl Into<String>) -> Self {
        let name = name.into();
        Self::of_parts(vec![(path.into(), name.clone())], name)
    }

    pub fn of_parts(parts: Vec<(PathBuf, String)>, name: impl Into<String>) -> Self {
        let parts = parts.into_iter().map(|(path, name)| Part { path, name }).collect();
        Self {
            parts,
            name: name.into(),
            progress: Arc::default(),
            limits: Limits::default(),
            stop: Arc::default(),
        }
    }

    /// The same, within these limits instead of the usual ones.
    pub fn within(self, limits: Option<Limits>) -> Self {
        Self { limits: limits.unwrap_or(self.limits), ..self }
    }

    /// Opens the first file from its beginning.
    pub fn open(&self) -> Result<Box<dyn Read + Send>, Fault> {
        Ok(self.open_part(0)?.reader)
    }

    /// Opens one of the files from its beginning.
    pub fn open_part(&self, part: usize) -> Result<Opened, Fault> {
        if part == 0 {
            self.progress.store(0, Ordering::Relaxed);
        }
        let Some(file) = self.parts.get(part) else {
            return Ok(Opened { reader: Box::new(io::empty()), is_packed: false });
        };
        let (progress, stop) = (Arc::clone(&self.progress), Arc::clone(&self.stop));
        open(&file.path, progress, stop, self.limits).map_err(|error| file.fault(&error))
    }

    /// Writes what the first file holds, decompressed, to another file.
    pub fn copy_to(&self, target: &Path) -> Result<u64, Fault> {
        let mut reader = self.open()?;
        let mut buffer = filled(COPIED, 0u8)?;
        let mut copy = File::create(target).map_err(|error| self.fault(&error))?;
        let mut written = 0;
        loop {
            let count = reader.read(&mut buffer).map_err(|error| self.fault(&error))?;
            if count == 0 {
                return Ok(written);
            }
            written += count as u64;
            if written > self.limits.temporary {
                let most = self.limits.temporary;
                let what = format!("{}: more than {} in a temporary file", self.name, size(most));
                return Err(refuse(what, "temporary", most));
            }
            let full = || Err(io::ErrorKind::StorageFull.into());
            let done = if failure::fails() { full() } else { copy.write_all(&buffer[..count]) };
            done.map_err(|error| self.fault(&error))?;
        }
    }

    /// What an error means that came up while the first file was read.
    pub fn fault(&self, error: &io::Error) -> Fault {
        self.part_fault(0, error)
    }

    /// A fault in one of the files, with its name in front.
    pub fn at_part(&self, part: usize, fault: Fault) -> Fault {
        fault.at(self.parts.get(part).map_or(self.name.as_str(), |file| file.name.as_str()))
    }

    pub fn part_fault(&self, part: usize, error: &io::Error) -> Fault {
        self.parts
            .get(part)
            .map_or_else(|| Fault::new(Kind::File, error.to_string()), |file| file.fault(error))
    }

    /// A line of one of the files, counted from zero, as messages name it.
    pub fn place(&self, part: usize, line: usize) -> String {
        let name = self.parts.get(part).map_or(self.name.as_str(), |file| file.name.as_str());
        format!("{name}, line {}", line + 1)
    }
}

impl Part {
    /// What an error of the operating system or of a decompressor means.
    fn fault(&self, error: &io::Error) -> Fault {
        if let Some(wrong) = error.get_ref().and_then(|inner| inner.downcast_ref::<EncodingError>()) {
            return Fault::format(&wrong.0).at(&self.name);
        }
        if let Some(fault) = error.get_ref().and_then(|inner| inner.downcast_ref::<Fault>()) {
            return fault.clone().at(&self.name);
        }
        if lacks_memory(error) {
            return Fault::from(Lack::Memory).at(&self.name);
        }
        let name = show_name(&self.name);
        let message = match error.kind() {
            io::ErrorKind::NotFound => format!("file {name} not found"),
            io::ErrorKind::PermissionDenied => format!("cannot read file {name}: permission denied"),
            io::ErrorKind::IsADirectory => format!("{name} is a directory, not a file"),
            io::ErrorKind::UnexpectedEof => {
                format!("compressed file {name} is truncated; create or download it again")
            }
            // Reading takes no space; the decompressed copy does.
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                format!(
                    "cannot decompress file {name}: no copy can be made in the temporary folder: {}; \
                 free space there, or set TMPDIR",
                    reason(error)
                )
            }
            // The operating system refused, so nothing is known about the content.
            _ if error.raw_os_error().is_some() => format!("cannot read file {name}: {}", reason(error)),
            _ => format!("cannot read file {name}; it may be corrupt: {error}"),
        };
        Fault::new(Kind::File, message)
    }
}

/// How many bytes are copied at a time.
const COPIED: usize = 1 << 16;

/// Whether a reader or a decoder could not get its memory; each says so in its own words.
fn lacks_memory(error: &io::Error) -> bool {
    let said = || error.to_string();
    error.kind() == io::ErrorKind::OutOfMemory
        || (error.raw_os_error().is_none()
            && ["not enough memory", "cannot allocate memory"].iter().any(|words| said().contains(words)))
}

/// What the operating system says, without its number.
fn reason(error: &io::Error) -> String {
    let said = error.to_string();
    said.split(" (os error").next().unwrap_or_default().to_owned()
}
