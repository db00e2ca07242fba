//! Ranks the judged documents of a ranking by counting, without sorting it.

pub mod chunks;
mod count;
pub mod finder;
pub mod index;
pub mod judged;
pub mod levels;
pub mod options;
pub mod ranker;
pub mod rows;
mod seen;
mod sieve;
mod ties;
pub mod tops;
