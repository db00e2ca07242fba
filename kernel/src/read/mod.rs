//! Reads: sources, plain or compressed; TREC-style text in blocks of whole queries; tables, JSON and Parquet.

pub mod block;
pub mod cells;
pub mod encoding;
pub mod expand;
pub mod feed;
pub mod gather;
pub mod gzip;
pub mod json;
#[allow(unsafe_code, reason = "vectors are loaded, and code for what the processor has is called")]
pub mod lanes;
pub mod line;
pub mod number;
#[cfg(feature = "parquet")]
pub mod parquet;
mod pieces;
pub mod run;
pub mod scan;
pub mod source;
pub mod surplus;
pub mod whole;
mod worker;
