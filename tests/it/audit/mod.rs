//! Who did what: the entries that writes leave, refused credentials, and reading the log.

mod commands;
mod entries;
mod operations;
mod reading;
mod refused;

use crate::support::*;
use serde_json::Value;

impl Rota {
    /// The audit entries of a query, newest first.
    #[track_caller]
    pub fn audit(&self, query: &str) -> Vec<Value> {
        self.caller().all(&format!("/v1/audit?{query}"))
    }

    /// The newest entry.
    #[track_caller]
    pub fn newest_entry(&self) -> Value {
        let page = self.caller().get("/v1/audit?pageSize=1").is(200).json();
        page["data"][0].clone()
    }

    /// How many entries a query finds.
    #[track_caller]
    pub fn audited(&self, query: &str) -> i64 {
        let path = format!("/v1/audit?pageSize=1&{query}");
        int(&self.caller().get(&path).is(200).json()["totalItems"])
    }
}
