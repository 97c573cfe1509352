//! Mail addresses, as far as rota sends to them: ASCII, without quoting.

use crate::relays::plain::plain;
use lettre::message::Mailboxes;
use std::fmt;
use std::str::FromStr;

/// The longest address that SMTP carries.
const LONGEST: usize = 254;

/// The characters of a name that are sent: lettre breaks lines between words only, and a line has an end.
const SHOWN: usize = 200;

/// An address such as `ana@example.org`. Nothing in it has a meaning in SMTP or in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(lettre::Address);

impl Address {
    pub fn as_str(&self) -> &str {
        self.0.as_ref()
    }

    /// The part after the `@`.
    pub fn domain(&self) -> &str {
        self.0.domain()
    }

    /// As the commands of SMTP take it.
    pub(super) fn in_commands(&self) -> lettre::Address {
        self.0.clone()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let text = text.trim();
        // lettre takes quoted names, addresses of machines in brackets and Unicode too, which not every server carries.
        let simple = text.is_ascii() && !text.contains(['"', '[']) && text.len() <= LONGEST;
        let address = text.parse().ok().filter(|_| simple);
        address.map(Address).ok_or_else(|| {
            format!("{text:?} is not a mail address; write one such as rota@example.org")
        })
    }
}

/// An address with a name: `rota <rota@example.org>`, or the address alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox {
    /// Without control characters; may be any other text.
    pub name: Option<String>,
    pub address: Address,
}

impl Mailbox {
    /// The mailbox of somebody; the name may be any text.
    pub fn new(name: &str, address: Address) -> Mailbox {
        let name = Some(plain(name).trim().to_owned());
        Mailbox {
            name: name.filter(|name| !name.is_empty()),
            address,
        }
    }

    /// As headers take it.
    pub(super) fn in_headers(&self) -> Mailboxes {
        let name = self.name.as_ref();
        let name = name.map(|name| name.chars().take(SHOWN).collect());
        lettre::message::Mailbox::new(name, self.address.in_commands()).into()
    }
}

impl FromStr for Mailbox {
    type Err = String;

    fn from_str(text: &str) -> Result<Mailbox, String> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('<') else {
            return Ok(Mailbox {
                name: None,
                address: text.parse()?,
            });
        };
        let address = rest.strip_suffix('>').ok_or_else(|| {
            format!("{text:?} is not a mailbox; write one such as \"rota <rota@example.org>\"")
        })?;
        Ok(Mailbox::new(
            name.trim().trim_matches('"'),
            address.parse()?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_nothing_that_could_be_read_as_something_else() {
        for good in [
            "a@b",
            "ana.ruiz+rota@mail.example.org",
            "o'neil@x.co",
            " a@b.c ",
        ] {
            let address: Address = good.parse().expect(good);
            assert_eq!(address.as_str(), good.trim());
        }
        for bad in [
            "",
            "ana",
            "@b",
            "a@",
            "a@b@c",
            "a b@c",
            "a@b c",
            "a@b>",
            "a@b.",
            "<a@b>",
            "a@b\r\nRCPT TO:<x@y>",
            "a,b@c",
            "a..b@c",
            ".a@b",
            "a@b..c",
            "a@.b",
            "\"a\"@b",
            "a@[127.0.0.1]",
            "\u{fc}@b",
            "a@b\u{fc}",
            "a;@b",
            "a:b@c",
            "a(x)@b",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad:?}");
        }
        let long = format!("{}@example.org", "a".repeat(250));
        assert!(long.parse::<Address>().is_err());
    }

    #[test]
    fn mailboxes_may_have_a_name() {
        for (text, name) in [
            ("rota@example.org", None),
            ("<rota@example.org>", None),
            ("rota <rota@example.org>", Some("rota")),
            (
                "\"On call, rota\" <rota@example.org>",
                Some("On call, rota"),
            ),
            ("a\r\nBcc: x <rota@example.org>", Some("a  Bcc: x")),
        ] {
            let mailbox: Mailbox = text.parse().expect(text);
            assert_eq!(mailbox.name.as_deref(), name, "{text:?}");
            assert_eq!(mailbox.address.domain(), "example.org");
        }
        for bad in [
            "rota <rota@example.org",
            "rota",
            "a <b> <c@d>",
            "rota <x@y> z",
        ] {
            assert!(bad.parse::<Mailbox>().is_err(), "{bad:?}");
        }
    }
}
