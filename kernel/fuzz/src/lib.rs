//! What the kernel should find, computed in the plainest way there is, and the file it reads.

pub mod cells;
pub mod compressed;
pub mod ranking;
pub mod text;

use assay_kernel::read::source::Source;
use std::path::PathBuf;

/// A file that the kernel reads, in memory where the system can; it goes when this does.
pub struct File(PathBuf);

impl File {
    pub fn new(bytes: &[u8]) -> Self {
        let memory = PathBuf::from("/dev/shm");
        let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let path = folder.join(format!("assay-fuzz-{}", std::process::id()));
        std::fs::write(&path, bytes).expect("the file for the kernel cannot be written");
        Self(path)
    }

    pub fn source(&self, name: &str) -> Source {
        Source::new(&self.0, name)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}
