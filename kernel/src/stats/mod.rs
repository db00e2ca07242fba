//! Sums over random samples, and differences between lists of numbers.

pub mod balance;
pub mod differences;
pub mod quantiles;
pub mod reached;
pub mod sums;
