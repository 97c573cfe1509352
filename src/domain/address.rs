//! The addresses that webhooks may connect to: public ones, and those that an operator allows (rules.md 16).

use crate::domain::words::words;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

#[cfg(test)]
mod tests;

words! {
    /// A kind of non-public address.
    pub enum Range {
        Loopback = "loopback",
        Private = "private",
        LinkLocal = "link-local",
        /// Carrier-grade NAT (RFC 6598).
        Shared = "shared",
        /// Cloud metadata services, which return the machine's credentials.
        Metadata = "metadata",
        Unspecified = "unspecified",
        Multicast = "multicast",
        Documentation = "documentation",
        Benchmarking = "benchmarking",
        /// All other addresses that are not global unicast.
        Reserved = "reserved",
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const LOOPBACK_V4: Net = v4(127, 0, 0, 0, 8);
const LOOPBACK_V6: Net = v6(0, 0, 0, 1, 128);
const LINK_LOCAL_V4: Net = v4(169, 254, 0, 0, 16);
const LINK_LOCAL_V6: Net = v6(0xfe80, 0, 0, 0, 10);

/// A reserved address that, like multicast, is not a single receiver.
const BROADCAST: Net = v4(255, 255, 255, 255, 32);

/// IPv6 addresses with an IPv4 address in their last 32 bits: IPv4-mapped, and the well-known prefix of NAT64.
const MAPPED: Net = Net {
    address: IpAddr::V6(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0)),
    prefix: 96,
};
const TRANSLATED: Net = v6(0x64, 0xff9b, 0, 0, 96);

/// Global unicast, apart from the exceptions in the table.
const GLOBAL_V6: Net = v6(0x2000, 0, 0, 0, 3);

/// The first network that contains an address determines its range.
const TABLE: &[(Net, Range)] = &[
    (v4(169, 254, 169, 254, 32), Range::Metadata),
    (v4(168, 63, 129, 16, 32), Range::Metadata),
    (v4(100, 100, 100, 200, 32), Range::Metadata),
    (v4(192, 0, 0, 192, 32), Range::Metadata),
    (v6(0xfd00, 0xec2, 0, 0x254, 128), Range::Metadata),
    (v6(0xfd20, 0xce, 0, 0x254, 128), Range::Metadata),
    (v4(0, 0, 0, 0, 32), Range::Unspecified),
    (v4(0, 0, 0, 0, 8), Range::Reserved),
    (v4(10, 0, 0, 0, 8), Range::Private),
    (v4(100, 64, 0, 0, 10), Range::Shared),
    (LOOPBACK_V4, Range::Loopback),
    (LINK_LOCAL_V4, Range::LinkLocal),
    (v4(172, 16, 0, 0, 12), Range::Private),
    (v4(192, 0, 0, 0, 24), Range::Reserved),
    (v4(192, 0, 2, 0, 24), Range::Documentation),
    (v4(192, 88, 99, 0, 24), Range::Reserved),
    (v4(192, 168, 0, 0, 16), Range::Private),
    (v4(198, 18, 0, 0, 15), Range::Benchmarking),
    (v4(198, 51, 100, 0, 24), Range::Documentation),
    (v4(203, 0, 113, 0, 24), Range::Documentation),
    (v4(224, 0, 0, 0, 4), Range::Multicast),
    (v4(240, 0, 0, 0, 4), Range::Reserved),
    (v6(0, 0, 0, 0, 128), Range::Unspecified),
    (LOOPBACK_V6, Range::Loopback),
    (v6(0xfc00, 0, 0, 0, 7), Range::Private),
    (LINK_LOCAL_V6, Range::LinkLocal),
    (v6(0xff00, 0, 0, 0, 8), Range::Multicast),
    (v6(0x2001, 0, 0, 0, 23), Range::Reserved),
    (v6(0x2001, 0xdb8, 0, 0, 32), Range::Documentation),
    (v6(0x2002, 0, 0, 0, 16), Range::Reserved),
    (v6(0x3fff, 0, 0, 0, 20), Range::Documentation),
];

/// Why an address is refused by default; `None` if it is public. An IPv6 address that embeds an IPv4 address is judged by
/// the latter.
pub fn refused(address: IpAddr) -> Option<Range> {
    let address = innermost(address);
    let named = TABLE.iter().find(|(net, _)| net.contains(address));
    match named {
        Some((_, range)) => Some(*range),
        None if address.is_ipv6() && !GLOBAL_V6.contains(address) => Some(Range::Reserved),
        None => None,
    }
}

fn innermost(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(outer) if MAPPED.contains(address) || TRANSLATED.contains(address) => {
            IpAddr::V4(Ipv4Addr::from_bits(outer.to_bits() as u32))
        }
        _ => address,
    }
}

/// A network in CIDR notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    address: IpAddr,
    /// The length of the prefix: 0 to 32, or to 128.
    prefix: u8,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Net {
    Net {
        address: IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
        prefix,
    }
}

/// From the first three groups and the last one.
const fn v6(a: u16, b: u16, c: u16, last: u16, prefix: u8) -> Net {
    Net {
        address: IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, last)),
        prefix,
    }
}

/// An address as a 128-bit number; an IPv4 address is in the first 32 bits.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The host bits of [`bits`] for a prefix.
fn host_bits(prefix: u8) -> u128 {
    u128::MAX.checked_shr(u32::from(prefix)).unwrap_or(0)
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

impl Net {
    /// Whether the network contains the address. IPv4 and IPv6 never match.
    pub fn contains(&self, address: IpAddr) -> bool {
        let differing = bits(self.address) ^ bits(address);
        self.address.is_ipv4() == address.is_ipv4() && differing & !host_bits(self.prefix) == 0
    }

    /// Whether the other network contains every address of this one.
    pub fn lies_within(&self, other: &Net) -> bool {
        self.prefix >= other.prefix && other.contains(self.address)
    }

    /// Whether the entry permits an address of that range. See [`AllowedNetworks::nets`] for the rule.
    fn opens(&self, address: IpAddr, range: Range) -> bool {
        let within = |nets: [Net; 2]| nets.iter().any(|net| self.lies_within(net));
        self.contains(address)
            && match range {
                Range::Private | Range::Shared | Range::Documentation | Range::Benchmarking => true,
                Range::Reserved => !BROADCAST.contains(address),
                Range::Loopback => within([LOOPBACK_V4, LOOPBACK_V6]),
                Range::LinkLocal => within([LINK_LOCAL_V4, LINK_LOCAL_V6]),
                Range::Metadata => self.prefix == width(self.address),
                Range::Unspecified | Range::Multicast => false,
            }
    }
}

impl fmt::Display for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl FromStr for Net {
    type Err = String;

    /// Parses `10.0.0.0/8`, `fd12::/16`, or a single address.
    ///
    /// # Errors
    /// A sentence that says what to write instead.
    fn from_str(text: &str) -> Result<Net, String> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let Ok(address) = address.parse::<IpAddr>() else {
            return Err(format!(
                "{text:?} is not a network: write an address or a CIDR such as 10.0.0.0/8 or fd12:3456::/32"
            ));
        };
        let most = width(address);
        let prefix = match prefix {
            None => most,
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|n: &u8| *n <= most && digits == n.to_string())
                .ok_or_else(|| {
                    let such = if address.is_ipv4() { "10.0.0.0/8" } else { "fd12:3456::/32" };
                    format!("{text:?}: write a whole number from 0 to {most} after the slash, such as {such}")
                })?,
        };
        let start = bits(address) & !host_bits(prefix);
        let net = Net {
            address: match address {
                IpAddr::V4(_) => Ipv4Addr::from_bits((start >> 96) as u32).into(),
                IpAddr::V6(_) => Ipv6Addr::from_bits(start).into(),
            },
            prefix,
        };
        if net.address != address {
            return Err(format!(
                "{text:?} is not the first address of its network: write {net} for the network or {address} for the address alone"
            ));
        }
        if net.lies_within(&MAPPED) || net.lies_within(&TRANSLATED) {
            // Addresses are judged by the embedded IPv4 address, so such an entry would have no effect.
            return Err(format!(
                "{text:?} embeds IPv4 addresses: write those as IPv4"
            ));
        }
        Ok(net)
    }
}

/// The addresses that an operator permits in addition to public ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedNetworks {
    /// 127.0.0.0/8 and `::1`; only in `rota dev`.
    pub loopback: bool,
    /// `[webhooks] allow_nets`. An entry permits the private, shared, documentation, benchmarking and reserved addresses that it
    /// contains. Loopback and link-local addresses require an entry that lies wholly inside that range, and a metadata address
    /// requires an entry of exactly that address: a wide entry does not intend those. No entry permits unspecified, multicast and
    /// broadcast addresses: connecting to the unspecified address reaches this machine, and the others are not a single
    /// receiver.
    pub nets: Vec<Net>,
}

impl AllowedNetworks {
    /// Whether an address is named: on loopback, if that is permitted, or in one of the networks.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = innermost(address);
        let on_loopback = || LOOPBACK_V4.contains(address) || LOOPBACK_V6.contains(address);
        self.nets.iter().any(|net| net.contains(address)) || self.loopback && on_loopback()
    }

    /// Whether an address may be connected to.
    ///
    /// # Errors
    /// The range for which it is refused.
    pub fn judge(&self, address: IpAddr) -> Result<(), Range> {
        let address = innermost(address);
        let Some(range) = refused(address) else {
            return Ok(());
        };
        let mut nets = self.nets.iter();
        let opened =
            self.loopback && range == Range::Loopback || nets.any(|net| net.opens(address, range));
        if opened { Ok(()) } else { Err(range) }
    }
}
