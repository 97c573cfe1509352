//! What strangers send, to the real binary: bent requests byte by byte, and every operation of the document with bodies,
//! ids, queries and headers of all kinds. The same in every run; `PROPTEST_CASES` asks for more or fewer in proportion,
//! 256 being as many as without it, and `PROPTEST_RNG_SEED` for others.

mod bytes;
mod chance;
mod operations;
mod shapes;
mod world;
