//! The parts that pages are built of. Each is a function to HTML; none reads the database, but for the names of people.

pub mod absence;
pub mod agenda;
pub mod bars;
pub mod cadence;
pub mod confirm;
pub mod csv;
pub mod days;
pub mod device;
pub mod external;
pub mod fields;
pub mod icon;
pub mod item;
pub mod legend;
pub mod load;
pub mod menu;
pub mod near;
pub mod people;
pub mod place;
pub mod problem;
pub mod refusals;
pub mod time;
pub mod timeline;
pub mod turns;
pub mod warned;
pub mod why;
