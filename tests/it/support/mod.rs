//! Starts the real `rota` and sends HTTP requests to it, so that a test reads as a table.
//!
//! `Rota` is a running server (killed on drop), `Caller` a credential on it, `Rot` a rotation on it.
//! Every response from `/v1` is checked against the OpenAPI document that the server publishes.

mod arrangement;
pub mod browser;
mod chat;
pub mod cli;
mod directory;
mod http;
pub mod matrix;
mod mention;
mod openapi;
mod outlet;
mod pager;
pub mod partners;
mod provider;
#[path = "../../../src/client/tests/receiver.rs"]
mod receiver;
mod request;
mod rotation;
mod server;
#[path = "../../../src/oidc/tests/signer.rs"]
mod signer;
#[allow(dead_code)] // Parts of the fake serve tests of one subject alone.
pub mod slack;
mod temp;
mod time;
mod webhook;
mod wire;

pub use arrangement::*;
pub use chat::*;
pub use directory::*;
pub use http::*;
pub use mention::*;
#[allow(unused_imports)]
pub use openapi::Document;
pub use outlet::*;
pub use pager::*;
pub use provider::*;
pub use request::*;
pub use rotation::*;
pub use server::*;
pub use signer::Signer;
#[allow(unused_imports)]
pub use temp::TempDir;
pub use time::*;
pub use webhook::*;
pub use wire::*;

/// The words of a list written as "U1 U2 U3".
pub fn words(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

/// A text member, or "-" if it is null or absent.
pub fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or("-")
}

/// An int32 member: a JSON integer or a string of digits.
pub fn int(value: &serde_json::Value) -> i64 {
    value
        .as_i64()
        .or_else(|| value.as_str()?.parse().ok())
        .unwrap_or_else(|| panic!("not an int32: {value}"))
}

/// Whether `ROTA_TESTS` is `all`: long walks go all their way, random worlds are as many as there are. `.ci/run` asks for it.
pub fn in_full() -> bool {
    std::env::var_os("ROTA_TESTS").is_some_and(|which| which == "all")
}
