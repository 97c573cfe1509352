//! People, user groups and channels that are written one by one.

mod contacts;
mod records;
mod sources;

use crate::support::*;
use serde_json::{Value, json};

impl Rota {
    /// Adds a person by the API.
    #[track_caller]
    fn add(&self, body: Value) -> Value {
        self.caller().post("/v1/users", body).is(201).json()
    }

    /// Changes a record with its current ETag.
    #[track_caller]
    fn change(&self, path: &str, body: Value) -> Answer {
        let tag = self.get(path).is(200).etag();
        self.caller().patch_if(path, &tag, body)
    }
}

/// The directory with an admin, U1.
fn with_admin(people: usize) -> Rota {
    let rota = Rota::at(MONDAY);
    let mut all = directory(people);
    all["users"][0]["isAdmin"] = json!(true);
    rota.import(&all);
    rota
}
