//! Ends the command soon after Ctrl-C, whatever it does then: a call into a library may not look for signals, and a signal
//! that arrives just before a read blocks is not seen by the interpreter.

use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

/// Files and folders to remove if the process is ended.
static LEFTOVERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Whether the interpreter has seen the signal and is on its way out.
static NOTICED: AtomicBool = AtomicBool::new(false);

fn leftovers() -> MutexGuard<'static, Vec<PathBuf>> {
    LEFTOVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Names a temporary file or folder, which is removed if the process is ended.
#[pyfunction]
pub fn add_leftover(path: PathBuf) {
    leftovers().push(path);
}

/// Removes a temporary file or folder, if it is there.
#[pyfunction]
pub fn remove_leftover(path: PathBuf) -> io::Result<()> {
    let removed = remove(&path);
    leftovers().retain(|other| *other != path);
    removed
}

/// Removes a file, or a folder with all that is in it; one that is gone is no error.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Says that the interpreter has seen the signal.
#[pyfunction]
pub fn notice_interrupt() {
    NOTICED.store(true, Ordering::Relaxed);
}

/// Watches the descriptor that the interpreter writes the number of each signal to; false if that cannot be done.
#[pyfunction]
pub fn guard_interrupts(descriptor: i32) -> bool {
    #[cfg(unix)]
    return unix::watch(descriptor);
    #[cfg(not(unix))]
    {
        let _ = descriptor;
        false
    }
}

#[cfg(unix)]
mod unix {
    use super::{NOTICED, Ordering, leftovers, remove};
    use crate::memory::{THREAD, has_memory};
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::FromRawFd;
    use std::thread::{Builder, sleep};
    use std::time::Duration;

    const INTERRUPT: u8 = 2;
    /// The status of a process that Ctrl-C ended, as shells give it.
    const INTERRUPTED: i32 = 130;
    /// What the interpreter gets to see the signal, and then to clean up.
    const TO_NOTICE: Duration = Duration::from_millis(300);
    const TO_LEAVE: Duration = Duration::from_millis(1000);

    unsafe extern "C" {
        fn _exit(status: i32) -> !;
    }

    pub fn watch(descriptor: i32) -> bool {
        // SAFETY: the caller hands the descriptor over; nobody else reads from it or closes it.
        let mut signals = unsafe { File::from_raw_fd(descriptor) };
        let watch = move || {
            let mut number = [0];
            while number[0] != INTERRUPT {
                if signals.read_exact(&mut number).is_err() {
                    return;
                }
            }
            sleep(TO_NOTICE);
            if NOTICED.load(Ordering::Relaxed) {
                sleep(TO_LEAVE);
            }
            for path in leftovers().iter() {
                // One that cannot be removed does not keep the others.
                remove(path).ok();
            }
            // SAFETY: it ends the process at once, which is what is wanted. Nothing runs afterwards.
            unsafe { _exit(INTERRUPTED) }
        };
        has_memory(THREAD) && Builder::new().name("assay-guard".into()).spawn(watch).is_ok()
    }
}
