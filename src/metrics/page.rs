//! How things stand, in the Prometheus text format 0.0.4. Rendered by hand: a workspace may hold ten thousand rotations, and
//! a registry would keep each of their places for good.

use crate::domain::census::{Listed, OpenPlace, Queue};
use jiff::Timestamp;
use std::fmt::{Display, Write};

/// How things stand at an instant.
pub struct Standing<'a> {
    pub now: Timestamp,
    pub queue: &'a Queue,
    /// The earliest instant at which anything falls due in a rotation; in the past where that is overdue.
    pub next_due: Option<Timestamp>,
    /// Places where nobody is on call that somebody should be.
    pub nobody: &'a [OpenPlace],
    /// Whether rotations may be identified.
    pub names: bool,
    pub enabled_rotations: u64,
    pub disabled_rotations: u64,
    pub database_bytes: u64,
    /// When the server began.
    pub started_at: Timestamp,
    /// When the timer last looked for what is due.
    pub last_tick: Timestamp,
    /// Label and value: what the program is made of.
    pub build: &'a [(&'static str, &'a str)],
}

impl Standing<'_> {
    pub(super) fn render(&self) -> String {
        let mut page = Page::default();
        page.gauge(
            "rota_timer_last_tick_timestamp_seconds",
            "When the timer last looked for what is due, in seconds since 1970.",
        );
        page.sample(&[], seconds(self.last_tick));
        page.gauge(
            "rota_timer_overdue_seconds",
            "How long something has been due in a rotation that has not moved on; 0 where nothing is.",
        );
        page.sample(&[], self.next_due.map_or(0.0, |due| self.since(due)));
        page.gauge(
            "rota_deliveries_pending",
            "Deliveries of an event to a webhook endpoint that have not finished.",
        );
        page.sample(&[], self.queue.pending);
        page.gauge(
            "rota_oldest_undelivered_event_age_seconds",
            "Age of the oldest event that an enabled webhook endpoint has not taken yet; 0 where there is none.",
        );
        let oldest = self.queue.oldest.as_ref();
        page.sample(
            &[],
            oldest.map_or(0.0, |event| self.since(event.created_at)),
        );
        page.gauge(
            "rota_chat_messages_pending",
            "Messages that wait to be posted in chat.",
        );
        page.sample(&[], self.queue.messages);
        page.gauge("rota_webhook_endpoints", "Webhook endpoints.");
        page.sample(&[("state", "enabled")], self.queue.enabled_endpoints);
        page.sample(&[("state", "disabled")], self.queue.disabled_endpoints);
        page.gauge("rota_rotations", "Rotations.");
        page.sample(&[("state", "enabled")], self.enabled_rotations);
        page.sample(&[("state", "disabled")], self.disabled_rotations);
        page.gauge(
            "rota_nobody_on_call_longest_seconds",
            "The longest that nobody has been on call in a slot of an enabled rotation whose window is open; 0 where every \
             slot is filled.",
        );
        let vacant = self.nobody.iter().map(|place| self.since(place.since));
        page.sample(&[], vacant.fold(0.0, f64::max));
        if self.names {
            page.gauge(
                "rota_nobody_on_call_seconds",
                "How long nobody has been on call in a slot of an enabled rotation whose window is open.",
            );
            for place in self.nobody {
                page.sample(&labels(place), self.since(place.since));
            }
        }
        page.gauge("rota_database_bytes", "Size of the database.");
        page.sample(&[], self.database_bytes);
        page.gauge(
            "rota_start_time_seconds",
            "When the server began, in seconds since 1970.",
        );
        page.sample(&[], seconds(self.started_at));
        page.gauge(
            "rota_build_info",
            "What the program is made of: its version, time zone data, SQLite and schema.",
        );
        page.sample(self.build, 1);
        page.text
    }

    /// An age in seconds.
    fn since(&self, at: Timestamp) -> f64 {
        self.now.duration_since(at).as_secs_f64().max(0.0)
    }
}

/// Who is on call, and what rotations are called: what is large and changes with commits alone.
pub fn on_call(rotations: &[Listed], places: &[OpenPlace]) -> String {
    let mut page = Page::default();
    page.gauge(
        "rota_rotation_info",
        "What a rotation is called; the code is empty where it has none.",
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
        "Who is on call, place by place; a disabled rotation stays as it was.",
    );
    for place in places {
        if let Some(user) = &place.user {
            let [rotation, lane, window] = labels(place);
            page.sample(&[rotation, lane, window, ("user", user.as_str())], 1);
        }
    }
    page.text
}

fn labels(place: &OpenPlace) -> [(&'static str, &str); 3] {
    [
        ("rotation", place.rotation.as_str()),
        ("lane", place.lane.as_str()),
        ("window", place.window.as_str()),
    ]
}

fn seconds(at: Timestamp) -> f64 {
    at.as_duration().as_secs_f64()
}

#[derive(Default)]
struct Page {
    text: String,
    /// The family that samples belong to.
    name: &'static str,
}

impl Page {
    fn gauge(&mut self, name: &'static str, help: &str) {
        self.name = name;
        // Writing to a string does not fail, here and below.
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} gauge\n");
    }

    fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(self.name);
        for (place, (name, value)) in labels.iter().enumerate() {
            self.text.push(if place == 0 { '{' } else { ',' });
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

/// A label's value may hold any character; these three are written with a backslash.
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
