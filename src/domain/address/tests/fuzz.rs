//! Random addresses and networks, checked against the standard library and against a comparison of single bits.

use super::*;
use crate::tests::{bent_text, try_out};
use proptest::prelude::*;
use std::net::{Ipv4Addr, Ipv6Addr};

fn some_address() -> impl Strategy<Value = IpAddr> {
    let v4 = || {
        prop_oneof![
            any::<u32>(),
            (
                prop::sample::select(vec![10_u8, 100, 127, 169, 172, 192, 198, 203, 224, 255, 0]),
                any::<[u8; 3]>()
            )
                .prop_map(|(first, [a, b, c])| u32::from_be_bytes([first, a, b, c])),
            prop::sample::select(vec![
                0xa9fe_a9fe,
                0x6464_64c8,
                0xc000_00c0,
                0xa83f_8110,
                u32::MAX
            ]),
        ]
    };
    let v6 = prop_oneof![
        any::<u128>(),
        (
            prop::sample::select(vec![
                0x2000_u16, 0x2001, 0x2002, 0x3fff, 0xfc00, 0xfd00, 0xfe80, 0xff02, 0x64, 0
            ]),
            any::<u128>()
        )
            .prop_map(|(first, rest)| u128::from(first) << 112 | rest >> 16),
        v4().prop_map(|inner| 0xffff_0000_0000 | u128::from(inner)),
        v4().prop_map(|inner| 0x64_ff9b << 96 | u128::from(inner)),
        0..3_u128,
    ];
    prop_oneof![
        v4().prop_map(|bits| Ipv4Addr::from_bits(bits).into()),
        v6.prop_map(|bits| Ipv6Addr::from_bits(bits).into())
    ]
}

/// The standard library's classification, where it matches ours.
fn by_std(address: IpAddr) -> Option<Range> {
    let known = |rows: &[(bool, Range)]| rows.iter().find(|(is, _)| *is).map(|(_, range)| *range);
    match address {
        IpAddr::V4(v4) => known(&[
            (v4.is_unspecified(), Range::Unspecified),
            (v4.is_loopback(), Range::Loopback),
            (v4.is_private(), Range::Private),
            (v4.is_link_local(), Range::LinkLocal),
            (v4.is_multicast(), Range::Multicast),
            (v4.is_documentation(), Range::Documentation),
            (v4.is_broadcast(), Range::Reserved),
        ]),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(inner) => by_std(inner.into()),
            None => known(&[
                (v6.is_unspecified(), Range::Unspecified),
                (v6.is_loopback(), Range::Loopback),
                (v6.is_unique_local(), Range::Private),
                (v6.is_unicast_link_local(), Range::LinkLocal),
                (v6.is_multicast(), Range::Multicast),
            ]),
        },
    }
}

#[test]
fn addresses_are_judged_as_others_do() {
    let closed = AllowedNetworks::default();
    try_out(6_000, 20..=80, some_address(), |address| {
        let range = refused(address);
        if let Some(expected) = by_std(address) {
            prop_assert!(
                range == Some(expected) || range == Some(Range::Metadata),
                "{}: {:?}",
                address,
                range
            );
        }
        if let IpAddr::V6(v6) = address {
            let first = v6.segments()[0];
            let holds_v4 =
                v6.to_ipv4_mapped().is_some() || v6.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
            prop_assert!(
                range.is_some() || holds_v4 || first & 0xe000 == 0x2000,
                "{}",
                address
            );
        }
        prop_assert_eq!(closed.judge(address).err(), range);
        if let IpAddr::V4(v4) = address {
            prop_assert_eq!(refused(v4.to_ipv6_mapped().into()), range);
        }
        Ok(range.is_some())
    });
}

/// The bits of an address as characters.
fn bits(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => format!("{:032b}", v4.to_bits()),
        IpAddr::V6(v6) => format!("{:0128b}", v6.to_bits()),
    }
}

#[test]
fn networks_share_their_leading_bits() {
    let written =
        (some_address(), 0..=128_u8, any::<bool>()).prop_map(|(address, prefix, zeroed)| {
            let width = bits(address).len();
            let prefix = usize::from(prefix).min(width);
            // Most addresses are refused unless they are the first of their network.
            let start: String = bits(address)
                .char_indices()
                .map(|(at, bit)| if at < prefix || !zeroed { bit } else { '0' })
                .collect();
            let start = u128::from_str_radix(&start, 2).expect("bits");
            match address {
                IpAddr::V4(_) => format!("{}/{prefix}", Ipv4Addr::from_bits(start as u32)),
                IpAddr::V6(_) => format!("{}/{prefix}", Ipv6Addr::from_bits(start)),
            }
        });
    let case = (bent_text(written), prop::collection::vec(some_address(), 4));
    try_out(4_000, 20..=80, case, |(text, others)| {
        let net = match text.parse::<Net>() {
            Ok(net) => net,
            Err(why) => {
                prop_assert!(why.contains('"') && !why.is_empty());
                return Ok(false);
            }
        };
        let shown = net.to_string();
        prop_assert_eq!(shown.parse::<Net>(), Ok(net), "{}", shown);
        let (start, prefix) = shown.split_once('/').expect("a prefix");
        let (start, prefix) = (ip(start), prefix.parse::<usize>().expect("digits"));
        prop_assert!(!bits(start)[prefix..].contains('1'), "{}", shown);
        let allowed_networks = AllowedNetworks {
            loopback: false,
            nets: vec![net],
        };
        for other in others.into_iter().chain([start]) {
            let inside = other.is_ipv4() == start.is_ipv4()
                && bits(other)[..prefix] == bits(start)[..prefix];
            prop_assert_eq!(net.contains(other), inside, "{} in {}", other, shown);
            // An entry refuses nothing, and permits nothing outside itself.
            match (refused(other), allowed_networks.judge(other)) {
                (None, judged) => prop_assert_eq!(judged, Ok(())),
                (Some(range), Err(judged)) => prop_assert_eq!(judged, range),
                (Some(range), Ok(())) => {
                    let bare = shown_inside(other);
                    prop_assert!(net.contains(bare), "{} by {}", other, shown);
                    prop_assert!(![Range::Unspecified, Range::Multicast].contains(&range));
                    let wide = prefix < if start.is_ipv4() { 8 } else { 10 };
                    prop_assert!(
                        !wide
                            || ![Range::Loopback, Range::LinkLocal, Range::Metadata]
                                .contains(&range)
                    );
                }
            }
        }
        Ok(true)
    });
}

/// The IPv4 address embedded in an IPv6 address.
fn shown_inside(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6)
            if v6.to_ipv4_mapped().is_some()
                || v6.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0] =>
        {
            Ipv4Addr::from_bits(v6.to_bits() as u32).into()
        }
        other => other,
    }
}
