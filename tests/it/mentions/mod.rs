//! Asking for whoever is on call: what becomes of it, who is told, who may answer.

mod answering;
mod expiry;
mod handing;
mod opening;
mod seeing;
mod settings;
mod single;
