//! Turns as invitations (RFC 5546, rules.md 19.15).

use super::ical::Writer;
use crate::domain::turn_invitation::{Method, TurnLetter};
use jiff::{SignedDuration, Timestamp};

/// An invitation as calendar programs read it.
pub struct Invitation<'a> {
    pub letter: &'a TurnLetter,
    /// The mail address that letters come from.
    pub organizer: &'a str,
    /// That of the person.
    pub attendee: &'a str,
    /// When the letter is written.
    pub at: Timestamp,
    /// The public address of the server.
    pub base_url: &'a str,
    /// How long before the turn the calendar program reminds.
    pub alarms: &'a [SignedDuration],
}

impl Invitation<'_> {
    /// Renders it.
    pub fn calendar(&self) -> String {
        let TurnLetter {
            method,
            turn,
            sequence,
        } = self.letter;
        let base = self.base_url.trim_end_matches('/');
        let mut out = Writer::default();
        out.line("BEGIN", "VCALENDAR");
        out.line("VERSION", "2.0");
        out.line("PRODID", "-//rota//duty//EN");
        out.line("CALSCALE", "GREGORIAN");
        out.line("METHOD", method.name());
        out.line("BEGIN", "VEVENT");
        out.text("UID", &turn.key.uid());
        out.line("SEQUENCE", &sequence.to_string());
        out.instant("DTSTAMP", self.at);
        out.instant("DTSTART", turn.key.start);
        out.instant("DTEND", turn.until);
        out.line("ORGANIZER", &mailto(self.organizer));
        out.line(
            "ATTENDEE;PARTSTAT=ACCEPTED;RSVP=FALSE",
            &mailto(self.attendee),
        );
        out.text("SUMMARY", &turn.summary);
        out.line("URL", &format!("{base}/rotations/{}", turn.rotation));
        out.line("TRANSP", "TRANSPARENT");
        match method {
            Method::Cancel => out.line("STATUS", "CANCELLED"),
            Method::Request => {
                for before in self.alarms {
                    out.line("BEGIN", "VALARM");
                    out.line("ACTION", "DISPLAY");
                    out.text("DESCRIPTION", &turn.summary);
                    out.line("TRIGGER", &trigger(*before));
                    out.line("END", "VALARM");
                }
            }
        }
        out.line("END", "VEVENT");
        out.line("END", "VCALENDAR");
        out.finish()
    }
}

/// An address as a URI (RFC 6068).
fn mailto(address: &str) -> String {
    let mut uri = String::from("mailto:");
    for byte in address.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => uri.push(byte.into()),
            b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'\'' | b'*' | b'+' | b'@' => {
                uri.push(byte.into());
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// A length before the beginning, in whole minutes where it is of some.
fn trigger(before: SignedDuration) -> String {
    match before.as_secs() {
        seconds if seconds % 60 == 0 => format!("-PT{}M", seconds / 60),
        seconds => format!("-PT{seconds}S"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::turn_invitation::{Turn, TurnKey};

    fn written(method: Method) -> String {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let letter = TurnLetter {
            method,
            turn: Turn {
                key: TurnKey {
                    user: "U1".into(),
                    cell: "cel_1".into(),
                    start: at("2026-11-23T08:00:00Z"),
                },
                rotation: "rot_1".into(),
                until: at("2026-11-24T08:00:00Z"),
                summary: "Duty: Ops; night".into(),
            },
            sequence: 3,
        };
        let alarms = [720 * 60, 301].map(SignedDuration::from_secs);
        let invitation = Invitation {
            letter: &letter,
            organizer: "rota@example.org",
            attendee: "ana&co@example.org",
            at: at("2026-11-20T12:00:00Z"),
            base_url: "https://rota.example.org/",
            alarms: &alarms,
        };
        invitation.calendar().replace("\r\n", "\n")
    }

    /// rules.md 19.15.
    #[test]
    fn a_turn_is_asked_for_and_called_off() {
        let alarm = |trigger: &str| {
            format!(
                "BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:Duty: Ops\\; night\nTRIGGER:{trigger}\nEND:VALARM\n"
            )
        };
        let alarms = alarm("-PT720M") + &alarm("-PT301S");
        for (method, expected) in [
            (Method::Request, alarms.as_str()),
            (Method::Cancel, "STATUS:CANCELLED\n"),
        ] {
            let name = method.name();
            let expected = format!(
                "BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//rota//duty//EN
CALSCALE:GREGORIAN
METHOD:{name}
BEGIN:VEVENT
UID:turn-cel_1-U1-1795420800000@rota
SEQUENCE:3
DTSTAMP:20261120T120000Z
DTSTART:20261123T080000Z
DTEND:20261124T080000Z
ORGANIZER:mailto:rota@example.org
ATTENDEE;PARTSTAT=ACCEPTED;RSVP=FALSE:mailto:ana%26co@example.org
SUMMARY:Duty: Ops\\; night
URL:https://rota.example.org/rotations/rot_1
TRANSP:TRANSPARENT
{expected}END:VEVENT
END:VCALENDAR
"
            );
            assert_eq!(written(method), expected);
        }
    }
}
