//! TREC-style text: sources, blocks of whole queries, and lines.

pub mod block;
pub mod deflate;
pub mod encoding;
pub mod expand;
pub mod feed;
pub mod gzip;
#[allow(unsafe_code, reason = "vectors are loaded, and code for what the processor has is called")]
pub mod lanes;
pub mod line;
pub mod number;
pub mod read;
pub mod run;
pub mod source;
pub mod surplus;
