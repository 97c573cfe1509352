//! Mentions: their course, their notices, and who may answer.

mod answering;
mod expiry;
mod handing;
mod listing;
mod opening;
mod seeing;
mod settings;
mod single;
