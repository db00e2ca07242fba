//! The kernel of assay: reads runs, ranks the judged documents, counts the words that texts share, sums over random
//! samples, compares and subtracts lists of numbers, and nothing else.
//!
//! For each query it finds the judged documents among the retrieved ones and counts, for each, how many
//! retrieved documents score higher and how many tie with it. Nothing about measures is here.

#![cfg_attr(not(feature = "python"), deny(unsafe_code))]

pub mod balance;
pub mod cells;
mod count;
pub mod differences;
pub mod draws;
pub mod failure;
pub mod fault;
mod finder;
pub mod gather;
pub mod index;
pub mod json;
pub mod judged;
pub mod levels;
pub mod limits;
pub mod memory;
pub mod options;
pub mod parallel;
#[cfg(feature = "parquet")]
pub mod parquet;
mod pieces;
pub mod quantiles;
pub mod rank;
pub mod reached;
pub mod rows;
pub mod scan;
mod seen;
mod sieve;
pub mod sums;
pub mod text;
mod ties;
pub mod tops;
pub mod words;
mod worker;

#[cfg(feature = "python")]
mod python;
