//! Failures on purpose, for tests: with the feature `faults`, an allocation, a reading or a writing that is chosen by its
//! number fails. Without the feature nothing of this is compiled in.

#[cfg(not(feature = "faults"))]
#[inline(always)]
pub(crate) fn fails() -> bool {
    false
}

#[cfg(feature = "faults")]
pub use chosen::{count, fail_at, fails};

#[cfg(feature = "faults")]
mod chosen {
    use std::sync::atomic::{AtomicU64, Ordering};

    static PASSED: AtomicU64 = AtomicU64::new(0);
    static FAILS: AtomicU64 = AtomicU64::new(u64::MAX);

    /// Whether this passage is the one that fails. Called at every point that can.
    pub fn fails() -> bool {
        PASSED.fetch_add(1, Ordering::Relaxed) == FAILS.load(Ordering::Relaxed)
    }

    /// Counts from zero again; the passage of that number fails, or none.
    pub fn fail_at(passage: Option<u64>) {
        FAILS.store(passage.unwrap_or(u64::MAX), Ordering::Relaxed);
        PASSED.store(0, Ordering::Relaxed);
    }

    /// The passages since.
    pub fn count() -> u64 {
        PASSED.load(Ordering::Relaxed)
    }
}
