//! The state of the server in the Prometheus text format 0.0.4. It is rendered directly: with 10,000 rotations a registry
//! would hold a series for every slot permanently.

use crate::domain::external::Link;
use crate::domain::ids::RotationId;
use crate::domain::relay::Way;
use crate::domain::snapshot::{Listed, OpenSlot, Queue};
use crate::domain::warning_kinds::{Severity, WarningKind};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::time::Duration;

/// The state of the server at an instant.
pub struct Snapshot<'a> {
    pub now: Timestamp,
    pub queue: &'a Queue,
    /// The earliest due instant of all rotations; in the past if work is overdue.
    pub next_due: Option<Timestamp>,
    /// Slots without anybody on call whose window is open.
    pub nobody: &'a [OpenSlot],
    /// When each linked schedule of a partner was last read.
    pub readings: &'a [(Link, Option<Timestamp>)],
    /// How many warnings of each kind a rotation has.
    pub warnings: &'a BTreeMap<RotationId, BTreeMap<WarningKind, u64>>,
    /// Whether to include metrics that identify rotations.
    pub names: bool,
    pub enabled_rotations: u64,
    pub disabled_rotations: u64,
    pub database_bytes: u64,
    /// By how much the system clock was set back and has not caught up.
    pub clock_behind: Duration,
    /// How reads and writes of the database go.
    pub storage: &'a [StorageHealth],
    /// When the directory of the chat platform was last read; `None` where it is not read.
    pub directory_read_at: Option<Timestamp>,
    /// When the database was last copied; `None` where it never was.
    pub backed_up_at: Option<Timestamp>,
    /// When the server started.
    pub started_at: Timestamp,
    /// When the timer last checked for due work; `None` on a standby, which has none.
    pub last_tick: Option<Timestamp>,
    /// How the copies of a standby go.
    pub standby: Option<CopyHealth>,
    /// The chat platform; `None` where it is the local one.
    pub chat: Option<ChatHealth>,
    /// Labels of `rota_build_info`.
    pub build: &'a [(&'static str, &'a str)],
}

/// How the copies of a standby go.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyHealth {
    /// The age of the last one.
    pub age: Duration,
    /// What came of asking for one, and how often.
    pub results: Vec<(&'static str, u64)>,
}

/// Whether a chat platform works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatHealth {
    /// Whether it answers and takes the token.
    pub up: bool,
    /// Whether what people do there arrives over a socket now; `None` if it does not come over one.
    pub socket_connected: Option<bool>,
}

/// How one kind of access to the database goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageHealth {
    /// `read` or `write`.
    pub operation: &'static str,
    /// Whether the last one worked.
    pub works: bool,
    pub last_success: Timestamp,
    /// How many have failed because of the storage.
    pub failures: u64,
}

impl Snapshot<'_> {
    pub(super) fn render(&self) -> String {
        let mut page = Page::default();
        if let Some(last_tick) = self.last_tick {
            page.gauge(
                "rota_timer_last_tick_timestamp_seconds",
                "When the timer last checked for due work, in Unix seconds.",
            );
            page.sample(&[], seconds(last_tick));
            page.gauge(
                "rota_timer_overdue_seconds",
                "How long the oldest due work of any rotation has been waiting; 0 if there is none.",
            );
            page.sample(&[], self.next_due.map_or(0.0, |due| self.since(due)));
        }
        if let Some(standby) = &self.standby {
            page.gauge(
                "rota_standby_age_seconds",
                "On a standby, the age of the copy that it answers from.",
            );
            page.sample(&[], standby.age.as_secs_f64());
            page.counter(
                "rota_standby_copies_total",
                "On a standby, what came of asking for a copy.",
            );
            for (result, count) in &standby.results {
                page.sample(&[("result", *result)], count);
            }
        }
        page.gauge(
            "rota_deliveries_pending",
            "Webhook deliveries that have not finished.",
        );
        page.sample(&[], self.queue.pending);
        page.gauge(
            "rota_oldest_undelivered_event_age_seconds",
            "Age of the oldest event with an unfinished delivery to an enabled webhook endpoint; 0 if there is none.",
        );
        let oldest = self.queue.oldest.as_ref();
        page.sample(
            &[],
            oldest.map_or(0.0, |event| self.since(event.created_at)),
        );
        page.gauge(
            "rota_chat_messages_pending",
            "Chat messages that have not been posted.",
        );
        page.sample(&[], self.queue.messages);
        if let Some(chat) = self.chat {
            page.gauge(
                "rota_chat_up",
                "Whether the chat platform answers and takes the token.",
            );
            page.sample(&[], u8::from(chat.up));
            if let Some(connected) = chat.socket_connected {
                page.gauge(
                    "rota_chat_socket_connected",
                    "Whether what people do in chat arrives over a socket.",
                );
                page.sample(&[], u8::from(connected));
            }
        }
        if let Some(at) = self.directory_read_at {
            page.gauge(
                "rota_chat_last_sync_timestamp_seconds",
                "When people, user groups and channels of the chat platform were last read in full, in Unix seconds; 0 before.",
            );
            page.sample(&[], seconds(at));
        }
        if let Some(at) = self.backed_up_at {
            page.gauge(
                "rota_backup_last_timestamp_seconds",
                "When `rota backup --into` last made a copy, in Unix seconds; left out before the first.",
            );
            page.sample(&[], seconds(at));
        }
        page.gauge(
            "rota_message_relays_pending",
            "Messages that wait to be sent on by mail, by push or to an incoming webhook.",
        );
        for (way, count) in Way::ALL.into_iter().zip(self.queue.relays) {
            page.sample(&[("way", way.name())], count);
        }
        page.gauge("rota_webhook_endpoints", "Webhook endpoints.");
        page.sample(&[("state", "enabled")], self.queue.enabled_endpoints);
        page.sample(&[("state", "disabled")], self.queue.disabled_endpoints);
        page.gauge("rota_rotations", "Rotations.");
        page.sample(&[("state", "enabled")], self.enabled_rotations);
        page.sample(&[("state", "disabled")], self.disabled_rotations);
        page.gauge(
            "rota_nobody_on_call_longest_seconds",
            "The longest time that a slot in an open window of an enabled rotation has been empty; 0 if all are filled.",
        );
        let vacant = self.nobody.iter().map(|slot| self.since(slot.since));
        page.sample(&[], vacant.fold(0.0, f64::max));
        if self.names {
            page.gauge(
                "rota_nobody_on_call_seconds",
                "How long a slot in an open window of an enabled rotation has been empty.",
            );
            for slot in self.nobody {
                page.sample(&labels(slot), self.since(slot.since));
            }
            page.gauge(
                "rota_warnings",
                "Serious warnings about the plan of a rotation in the next 90 days, by kind; kinds without any are left out.",
            );
            for (rotation, kinds) in self.warnings {
                let serious = kinds
                    .iter()
                    .filter(|(kind, _)| kind.severity() == Severity::High);
                for (kind, count) in serious {
                    let labels = [("rotation", rotation.as_str()), ("kind", kind.name())];
                    page.sample(&labels, count);
                }
            }
        }
        if !self.readings.is_empty() {
            page.gauge(
                "rota_partner_last_success_timestamp_seconds",
                "When a linked schedule of a partner was last read, in Unix seconds; 0 if never.",
            );
            for (link, read_at) in self.readings {
                let labels = [
                    ("partner", link.partner.name()),
                    ("schedule", &*link.schedule),
                ];
                page.sample(&labels, read_at.map_or(0.0, seconds));
            }
        }
        page.gauge("rota_database_bytes", "Size of the database.");
        page.sample(&[], self.database_bytes);
        self.render_storage(&mut page);
        page.gauge(
            "rota_clock_behind_seconds",
            "By how much the system clock was set back and has not caught up; 0 if it was not.",
        );
        page.sample(&[], self.clock_behind.as_secs_f64());
        page.gauge(
            "rota_start_time_seconds",
            "When the server started, in Unix seconds.",
        );
        page.sample(&[], seconds(self.started_at));
        page.gauge(
            "rota_build_info",
            "Versions of the program, time zone data, SQLite and schema.",
        );
        page.sample(self.build, 1);
        page.text
    }

    fn render_storage(&self, page: &mut Page) {
        page.gauge(
            "rota_storage_up",
            "Whether the last read or write of the database worked; 0 from damage until the next start.",
        );
        for access in self.storage {
            let works = u8::from(access.works);
            page.sample(&[("operation", access.operation)], works);
        }
        page.gauge(
            "rota_storage_last_success_timestamp_seconds",
            "When something was last read or written, in Unix seconds. Where nobody writes, the server does once a minute.",
        );
        for access in self.storage {
            let at = seconds(access.last_success);
            page.sample(&[("operation", access.operation)], at);
        }
        page.counter(
            "rota_storage_failures_total",
            "Reads and writes that failed because of the storage.",
        );
        for access in self.storage {
            page.sample(&[("operation", access.operation)], access.failures);
        }
    }

    /// An age in seconds; 0 for instants in the future.
    fn since(&self, at: Timestamp) -> f64 {
        self.now.duration_since(at).as_secs_f64().max(0.0)
    }
}

/// The large metrics that change only with commits: rotations, and who is on call in them.
pub fn on_call(rotations: &[Listed], slots: &[OpenSlot]) -> String {
    let mut page = Page::default();
    page.gauge(
        "rota_rotation_info",
        "Name and code of each rotation; the code is empty if unset.",
    );
    for rotation in rotations {
        page.sample(
            &[
                ("rotation", rotation.id.as_str()),
                ("code", rotation.code.as_deref().unwrap_or_default()),
                ("name", &rotation.name),
            ],
            1,
        );
    }
    page.gauge(
        "rota_on_call",
        "Who is on call in each slot; a disabled rotation stays as it was.",
    );
    for slot in slots {
        if let Some(user) = &slot.user {
            let [rotation, lane, window] = labels(slot);
            page.sample(&[rotation, lane, window, ("user", user.as_str())], 1);
        }
    }
    page.text
}

fn labels(slot: &OpenSlot) -> [(&'static str, &str); 3] {
    [
        ("rotation", slot.rotation.as_str()),
        ("lane", slot.lane.as_str()),
        ("window", slot.window.as_str()),
    ]
}

fn seconds(at: Timestamp) -> f64 {
    at.as_duration().as_secs_f64()
}

#[derive(Default)]
struct Page {
    text: String,
    /// The name of the current metric family.
    name: &'static str,
}

impl Page {
    fn gauge(&mut self, name: &'static str, help: &str) {
        self.family(name, "gauge", help);
    }

    fn counter(&mut self, name: &'static str, help: &str) {
        self.family(name, "counter", help);
    }

    fn family(&mut self, name: &'static str, kind: &str, help: &str) {
        self.name = name;
        // Writing to a string never fails.
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(self.name);
        for (index, (name, value)) in labels.iter().enumerate() {
            self.text.push(if index == 0 { '{' } else { ',' });
            self.text.push_str(name);
            self.text.push_str("=\"");
            escape(&mut self.text, value);
            self.text.push('"');
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }
}

/// Escapes a label value: backslash, double quote and line feed.
fn escape(text: &mut String, value: &str) {
    for part in value.split_inclusive(['\\', '"', '\n']) {
        let (plain, odd) = match part.char_indices().next_back() {
            Some((at, odd @ ('\\' | '"' | '\n'))) => (&part[..at], Some(odd)),
            _ => (part, None),
        };
        text.push_str(plain);
        match odd {
            Some('\n') => text.push_str("\\n"),
            Some(odd) => text.extend(['\\', odd]),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        for (value, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("a\"b\nc\\", "a\\\"b\\nc\\\\"),
            ("\\n", "\\\\n"),
            ("caf\u{e9}", "caf\u{e9}"),
            ("\"\"", "\\\"\\\""),
        ] {
            let mut text = String::new();
            escape(&mut text, value);
            assert_eq!(text, expected, "{value:?}");
        }
    }
}
