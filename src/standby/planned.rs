//! A standby that takes over as planned: the first server ends its writes, gives a last copy, and is told in which epoch this one
//! goes on.

use super::Source;
use super::copying::{Running, Stop, refusal};
use super::peers::ask;
use crate::actions::hand_over::WITHIN;
use crate::client::{Limits, Request, Secret};
use crate::domain::standby::ServerRole;
use crate::runtime::clock::monotonic;
use crate::store::{Promotion, Stage, load_promotion, save_promotion};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long the first server may take to answer: before that it waits for what it is doing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between two tries to take the last copy, because another standby is taking one.
const RETRY: Duration = Duration::from_millis(100);

/// What is left of the time of the first server once it has been told, at least.
const SPARE: Duration = Duration::from_secs(1);

impl Running {
    /// Has the first server hand over if that is asked for. What came of it is written where it was asked.
    pub(super) fn take_over_as_planned(&mut self) {
        let database = self.copying.database.clone();
        let asked = load_promotion(&database);
        let Ok(Some(promotion)) = asked else {
            return;
        };
        if promotion.stage != Stage::Planned {
            return;
        }
        let done = match self.hand_over(&promotion) {
            Ok(epoch) => Promotion {
                epoch,
                stage: Stage::Now,
                ..promotion
            },
            Err(why) => {
                log::error!("standby: the planned hand-over failed: {why}");
                Promotion {
                    stage: Stage::Failed(why),
                    ..promotion
                }
            }
        };
        if let Err(error) = save_promotion(&database, &done) {
            log::error!(
                "standby: {error}; run `rota promote` here if no server writes the database"
            );
        }
    }

    /// Returns the epoch that begins here.
    fn hand_over(&mut self, promotion: &Promotion) -> Result<u64, String> {
        let Source::Server { url, key } = self.copying.settings.source.clone() else {
            return Err("copies come as files, so no server can hand over".into());
        };
        let first = self.source(&url);
        let instance = self.copying.app.instance().to_owned();
        let deadline = monotonic() + WITHIN - SPARE;
        self.post(&first, &key, &json!({ "instance": instance }))
            .map_err(|why| format!("{why}; it stays as it was"))?;
        self.take_last(&first, &key, deadline).map_err(|why| {
            format!(
                "{why}; {first} goes on to write within {} s",
                WITHIN.as_secs()
            )
        })?;
        let epoch = promotion.epoch.max(self.epoch + 1);
        let told = self.post(
            &first,
            &key,
            &json!({ "instance": instance, "epoch": epoch }),
        );
        let Err(why) = told else {
            return Ok(epoch);
        };
        match ask(&self.copying.client, &first) {
            Ok(peer) if peer.role == ServerRole::Standby => Ok(epoch),
            Ok(_) => Err(format!("{why}; it stays as it was")),
            Err(_) => Err(format!(
                "{why}; whether it has yielded is not known. If it writes no more, no server does: run `rota promote --yes` here"
            )),
        }
    }

    /// Takes a copy of everything that the first server has written.
    fn take_last(&mut self, first: &str, key: &Secret, deadline: Instant) -> Result<(), String> {
        loop {
            let left = deadline.saturating_duration_since(monotonic());
            match self.take_from(first, key, left) {
                Ok((result, copied)) => {
                    self.copying.standby.note(result, Some(copied), None);
                    return Ok(());
                }
                Err(Stop::Failed(_)) if left > RETRY => std::thread::sleep(RETRY),
                Err(Stop::Failed(why) | Stop::Rejected(why)) => return Err(why),
            }
        }
    }

    fn post(&self, first: &str, key: &Secret, body: &Value) -> Result<(), String> {
        let path = format!("{first}/v1/replica/hand-over");
        let bearer = format!("Bearer {}", key.reveal());
        let request = Request::post(&path)
            .header("Authorization", &bearer)
            .json(body)
            .within(Limits {
                total: PATIENCE,
                body_bytes: 64 * 1024,
                ..Limits::default()
            });
        let response = self.copying.client.send(&request);
        let response = response.map_err(|error| format!("{first}: {error}"))?;
        match response.status {
            200 => Ok(()),
            status => Err(format!("{first}: {}", refusal(status, &response))),
        }
    }
}
