//! The kernel of assay: reads runs, ranks the judged documents, counts the words that texts share, sums over random
//! samples, compares and subtracts lists of numbers, and nothing else.
//!
//! For each query it finds the judged documents among the retrieved ones and counts, for each, how many
//! retrieved documents score higher and how many tie with it. Nothing about measures is here.

#![cfg_attr(not(feature = "python"), deny(unsafe_code))]

pub mod failure;
pub mod fault;
pub mod limits;
pub mod memory;
pub mod parallel;
pub mod rank;
pub mod read;
pub mod stats;
pub mod words;

#[cfg(feature = "python")]
mod python;
