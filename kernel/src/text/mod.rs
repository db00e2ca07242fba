//! TREC-style text: sources, blocks of whole queries, and lines.

pub mod block;
pub mod encoding;
pub mod expand;
pub mod line;
pub mod read;
pub mod source;
pub mod surplus;
