//! When sessions are over.

use crate::domain::directory::Person;
use crate::store::{SessionOrigin, SessionRecord};
use jiff::{SignedDuration, Timestamp};

/// How long sessions last, and which ways to begin one the settings still have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRules {
    /// Without a use.
    pub idle: SignedDuration,
    /// Whatever the use.
    pub lifetime: SignedDuration,
    /// Whether a name is enough to begin one.
    pub development: bool,
    /// Where people sign in by OpenID Connect.
    pub provider: Option<SessionProvider>,
}

/// An identity provider, as far as sessions depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionProvider {
    pub issuer: String,
    /// The addresses of people who are made workspace administrators for their session, in lower case.
    pub admins: Vec<String>,
}

impl Default for SessionRules {
    fn default() -> SessionRules {
        SessionRules {
            idle: SignedDuration::from_hours(14 * 24),
            lifetime: SignedDuration::from_hours(90 * 24),
            development: false,
            provider: None,
        }
    }
}

impl SessionRules {
    /// Whether a session of a person goes on: time has not ended it, and what it began with still stands.
    pub fn admit(&self, session: &SessionRecord, person: &Person, now: Timestamp) -> bool {
        self.lasts(session, now) && self.stands(&session.origin, person)
    }

    /// Whether time has not ended a session: its idle time, its lifetime, or the expiry of its token.
    pub(super) fn lasts(&self, session: &SessionRecord, now: Timestamp) -> bool {
        let until = match session.origin {
            SessionOrigin::Token { expires_at, .. } => expires_at,
            _ => None,
        };
        now.duration_since(session.used_at) < self.idle
            && now.duration_since(session.created_at) < self.lifetime
            && until.is_none_or(|until| now < until)
    }

    /// Whether the settings still have what a session began with. A token that is revoked and an identity that is linked to
    /// somebody else take their sessions along.
    fn stands(&self, origin: &SessionOrigin, person: &Person) -> bool {
        match origin {
            SessionOrigin::Link | SessionOrigin::Token { .. } => true,
            SessionOrigin::Development => self.development,
            SessionOrigin::Provider {
                issuer,
                email,
                is_admin,
            } => {
                let provider = self
                    .provider
                    .as_ref()
                    .filter(|known| known.issuer == *issuer);
                let addresses = [email.as_deref(), person.email.as_deref()];
                provider.is_some_and(|provider| {
                    let names = |address: &str| provider.admins.contains(&address.to_lowercase());
                    !person.is_external && (!is_admin || addresses.into_iter().flatten().any(names))
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{SessionId, TokenId, UserId};

    fn at(hour: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour)
    }

    fn session(origin: SessionOrigin) -> SessionRecord {
        SessionRecord {
            id: SessionId::from("ses_1"),
            secret_hash: [0; 32],
            user: UserId::from("U1"),
            origin,
            created_at: at(0),
            used_at: at(0),
            agent: None,
        }
    }

    fn person(email: &str, is_external: bool) -> Person {
        Person {
            id: UserId::from("U1"),
            team_id: "T1".into(),
            display_name: None,
            real_name: None,
            email: Some(email.into()),
            is_guest: false,
            is_external,
            is_deleted: false,
            is_admin: false,
            avatar_url: None,
            time_zone: None,
            handle: None,
            source: crate::domain::directory::Source::File,
            zone_is_own: false,
        }
    }

    #[test]
    fn sessions_end_with_time() {
        let rules = SessionRules {
            idle: SignedDuration::from_hours(10),
            lifetime: SignedDuration::from_hours(20),
            ..SessionRules::default()
        };
        let token = |expires_at| SessionOrigin::Token {
            id: TokenId::from("tok_1"),
            expires_at,
        };
        for (origin, used, now, expected) in [
            (SessionOrigin::Link, 0, 9, true),
            (SessionOrigin::Link, 0, 10, false),
            (SessionOrigin::Link, 15, 19, true),
            (SessionOrigin::Link, 15, 20, false),
            (token(None), 0, 9, true),
            (token(Some(at(5))), 4, 4, true),
            (token(Some(at(5))), 4, 5, false),
        ] {
            let session = SessionRecord {
                used_at: at(used),
                ..session(origin)
            };
            let admitted = rules.admit(&session, &person("a@example.org", false), at(now));
            assert_eq!(admitted, expected, "{session:?} at {now}");
        }
    }

    /// rules.md 12.5.
    #[test]
    fn sessions_end_with_what_they_began_with() {
        let provider = |issuer: &str, admins: &[&str]| SessionRules {
            provider: Some(SessionProvider {
                issuer: issuer.into(),
                admins: admins.iter().map(|admin| admin.to_string()).collect(),
            }),
            ..SessionRules::default()
        };
        let none = SessionRules::default();
        let development = SessionRules {
            development: true,
            ..SessionRules::default()
        };
        let by = |email: Option<&str>, is_admin| SessionOrigin::Provider {
            issuer: "https://id.example".into(),
            email: email.map(str::to_owned),
            is_admin,
        };
        let own = "https://id.example";
        for (origin, rules, address, expected) in [
            (SessionOrigin::Link, &none, "a@x", true),
            (SessionOrigin::Development, &none, "a@x", false),
            (SessionOrigin::Development, &development, "a@x", true),
            (by(None, false), &none, "a@x", false),
            (
                by(None, false),
                &provider("https://other", &[]),
                "a@x",
                false,
            ),
            (by(None, false), &provider(own, &[]), "a@x", true),
            (by(None, true), &provider(own, &[]), "a@x", false),
            (by(None, true), &provider(own, &["a@x"]), "A@X", true),
            (by(None, true), &provider(own, &["a@x"]), "b@x", false),
            (by(Some("A@x"), true), &provider(own, &["a@x"]), "b@x", true),
            (
                by(Some("c@x"), true),
                &provider(own, &["a@x"]),
                "b@x",
                false,
            ),
        ] {
            let session = session(origin);
            let admitted = rules.admit(&session, &person(address, false), at(1));
            assert_eq!(admitted, expected, "{session:?} {rules:?} {address}");
        }
        let external = person("a@x", true);
        let rules = provider(own, &[]);
        assert!(!rules.admit(&session(by(None, false)), &external, at(1)));
        assert!(rules.admit(&session(SessionOrigin::Link), &external, at(1)));
    }
}
