//! What strangers send, most of it nearly right.

mod bodies;
mod headers;
mod instants;
mod targets;
mod values;
