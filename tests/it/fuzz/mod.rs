//! Random input to the real binary: corrupted requests byte by byte, and every operation of the document with random bodies,
//! ids, queries and headers. The same in every run; `PROPTEST_CASES` scales the number of cases (256 is the default), and
//! `PROPTEST_RNG_SEED` selects other cases.

mod bytes;
mod chance;
mod operations;
mod shapes;
mod world;

pub use chance::Chance;
