//! What the kernel should find, computed in the plainest way there is, and the file it reads.

pub mod compressed;
pub mod ranking;
pub mod text;

use std::path::PathBuf;

/// Writes the file that this process gives the kernel, in memory where the system can.
pub fn file(bytes: &[u8]) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let path = folder.join(format!("assay-fuzz-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("the file for the kernel cannot be written");
    path
}
