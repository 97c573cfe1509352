//! Property tests with generated input, most of it nearly valid.

mod bodies;
mod headers;
mod instants;
mod targets;
mod values;
