//! The parts that pages are built of. Each is a function to HTML; none reads the database, but for the names of people.

pub mod cadence;
pub mod confirm;
pub mod csv;
pub mod external;
pub mod fields;
pub mod icon;
pub mod load;
pub mod people;
pub mod refusals;
pub mod time;
pub mod timeline;
pub mod warned;
