mod fuzz;

use super::{AllowedNetworks, Net, Range, refused};
use std::net::IpAddr;

fn ip(text: &str) -> IpAddr {
    text.parse()
        .unwrap_or_else(|_| panic!("{text} is no address"))
}

fn named(address: &str) -> &'static str {
    refused(ip(address)).map_or("public", Range::name)
}

/// Both sides of each border of every range.
#[test]
fn ranges_have_their_borders() {
    let table = [
        ("0.0.0.0", "unspecified"),
        ("0.0.0.1", "reserved"),
        ("0.255.255.255", "reserved"),
        ("1.0.0.0", "public"),
        ("9.255.255.255", "public"),
        ("10.0.0.0", "private"),
        ("10.255.255.255", "private"),
        ("11.0.0.0", "public"),
        ("100.63.255.255", "public"),
        ("100.64.0.0", "shared"),
        ("100.100.100.199", "shared"),
        ("100.100.100.200", "metadata"),
        ("100.100.100.201", "shared"),
        ("100.127.255.255", "shared"),
        ("100.128.0.0", "public"),
        ("126.255.255.255", "public"),
        ("127.0.0.0", "loopback"),
        ("127.255.255.255", "loopback"),
        ("128.0.0.0", "public"),
        ("168.63.129.15", "public"),
        ("168.63.129.16", "metadata"),
        ("168.63.129.17", "public"),
        ("169.253.255.255", "public"),
        ("169.254.0.0", "link-local"),
        ("169.254.169.253", "link-local"),
        ("169.254.169.254", "metadata"),
        ("169.254.169.255", "link-local"),
        ("169.254.255.255", "link-local"),
        ("169.255.0.0", "public"),
        ("172.15.255.255", "public"),
        ("172.16.0.0", "private"),
        ("172.31.255.255", "private"),
        ("172.32.0.0", "public"),
        ("191.255.255.255", "public"),
        ("192.0.0.0", "reserved"),
        ("192.0.0.191", "reserved"),
        ("192.0.0.192", "metadata"),
        ("192.0.0.255", "reserved"),
        ("192.0.1.0", "public"),
        ("192.0.1.255", "public"),
        ("192.0.2.0", "documentation"),
        ("192.0.2.255", "documentation"),
        ("192.0.3.0", "public"),
        ("192.88.98.255", "public"),
        ("192.88.99.0", "reserved"),
        ("192.88.99.255", "reserved"),
        ("192.88.100.0", "public"),
        ("192.167.255.255", "public"),
        ("192.168.0.0", "private"),
        ("192.168.255.255", "private"),
        ("192.169.0.0", "public"),
        ("198.17.255.255", "public"),
        ("198.18.0.0", "benchmarking"),
        ("198.19.255.255", "benchmarking"),
        ("198.20.0.0", "public"),
        ("198.51.99.255", "public"),
        ("198.51.100.0", "documentation"),
        ("198.51.100.255", "documentation"),
        ("198.51.101.0", "public"),
        ("203.0.112.255", "public"),
        ("203.0.113.0", "documentation"),
        ("203.0.113.255", "documentation"),
        ("203.0.114.0", "public"),
        ("223.255.255.255", "public"),
        ("224.0.0.0", "multicast"),
        ("239.255.255.255", "multicast"),
        ("240.0.0.0", "reserved"),
        ("255.255.255.254", "reserved"),
        ("255.255.255.255", "reserved"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("::2", "reserved"),
        ("::7f00:1", "reserved"),
        ("::fffe:ffff:ffff", "reserved"),
        ("::ffff:0.0.0.0", "unspecified"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:169.254.169.254", "metadata"),
        ("::ffff:8.8.8.8", "public"),
        ("::ffff:255.255.255.255", "reserved"),
        ("::1:0:0:0", "reserved"),
        ("64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
        ("64:ff9b::10.0.0.1", "private"),
        ("64:ff9b::8.8.8.8", "public"),
        ("64:ff9b::255.255.255.255", "reserved"),
        ("64:ff9b::1:0:0", "reserved"),
        ("64:ff9b:1::8.8.8.8", "reserved"),
        ("100::1", "reserved"),
        ("1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
        ("2000::", "public"),
        ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "public"),
        ("2001::", "reserved"),
        ("2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
        ("2001:200::", "public"),
        ("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "public"),
        ("2001:db8::", "documentation"),
        ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
        ("2001:db9::", "public"),
        ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "public"),
        ("2002::", "reserved"),
        ("2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
        ("2003::", "public"),
        ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "public"),
        ("3fff::", "documentation"),
        ("3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
        ("3fff:1000::", "public"),
        ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "public"),
        ("4000::", "reserved"),
        ("5f00::1", "reserved"),
        ("fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
        ("fc00::", "private"),
        ("fd00:ec2::253", "private"),
        ("fd00:ec2::254", "metadata"),
        ("fd00:ec2::255", "private"),
        ("fd20:ce::253", "private"),
        ("fd20:ce::254", "metadata"),
        ("fd20:ce::255", "private"),
        ("fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private"),
        ("fe00::", "reserved"),
        ("fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
        ("fe80::", "link-local"),
        ("febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local"),
        ("fec0::", "reserved"),
        ("feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
        ("ff00::", "multicast"),
        ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"),
    ];
    for (address, range) in table {
        assert_eq!(named(address), range, "{address}");
    }
}

/// Where the standard library's classification of IPv4 is stable, ours is never less strict.
#[test]
fn nothing_that_std_knows_to_be_special_is_public() {
    for high in 0..=u16::MAX {
        for low in [0_u32, 1, 0x00c0, 0x8110, 0xa9fe, 0xfffe, 0xffff] {
            let address = std::net::Ipv4Addr::from_bits(u32::from(high) << 16 | low);
            let special = address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || address.is_broadcast()
                || address.is_documentation()
                || address.is_multicast()
                || address.is_unspecified();
            assert!(!special || refused(address.into()).is_some(), "{address}");
        }
    }
}

#[test]
fn networks_are_read() {
    for (text, shown) in [
        ("10.0.0.0/8", "10.0.0.0/8"),
        ("10.1.2.3", "10.1.2.3/32"),
        ("10.1.2.3/32", "10.1.2.3/32"),
        ("0.0.0.0/0", "0.0.0.0/0"),
        ("::/0", "::/0"),
        ("fd12:3456::/32", "fd12:3456::/32"),
        ("::1", "::1/128"),
        ("128.0.0.0/1", "128.0.0.0/1"),
        ("8000::/1", "8000::/1"),
    ] {
        let net: Net = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(net.to_string(), shown);
    }
    for (text, says) in [
        ("", "write an address or a CIDR"),
        ("office", "write an address or a CIDR"),
        // On one line, whatever was sent.
        ("10.0.0.0\n", "\"10.0.0.0\\n\" is not a network"),
        (
            "10.0.0.0/\u{1b}",
            "\"10.0.0.0/\\u{1b}\": write a whole number",
        ),
        ("10.0.0/8", "write an address or a CIDR"),
        (" 10.0.0.0/8", "write an address or a CIDR"),
        ("fe80::1%eth0", "write an address or a CIDR"),
        ("10.0.0.0/", "from 0 to 32"),
        ("10.0.0.0/33", "from 0 to 32"),
        ("10.0.0.0/08", "from 0 to 32"),
        ("10.0.0.0/+8", "from 0 to 32"),
        ("10.0.0.0/-1", "from 0 to 32"),
        ("10.0.0.0/8/8", "from 0 to 32"),
        ("::/129", "from 0 to 128"),
        ("::/256", "from 0 to 128"),
        ("10.0.0.1/8", "write 10.0.0.0/8 for the network or 10.0.0.1"),
        ("1.2.3.4/0", "write 0.0.0.0/0"),
        ("fd12::1/64", "write fd12::/64"),
        ("::ffff:10.0.0.0/104", "write those as IPv4"),
        ("64:ff9b::/96", "write those as IPv4"),
    ] {
        let error = text.parse::<Net>().expect_err(text);
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn networks_hold_addresses_and_networks() {
    let net = |text: &str| text.parse::<Net>().expect("a network");
    for (outer, inner, holds) in [
        ("10.0.0.0/8", "10.255.255.255", true),
        ("10.0.0.0/8", "11.0.0.0", false),
        ("0.0.0.0/0", "255.255.255.255", true),
        ("0.0.0.0/0", "::", false),
        ("::/0", "0.0.0.0", false),
        ("::/0", "ffff::", true),
        ("10.1.2.3", "10.1.2.3", true),
        ("10.1.2.3", "10.1.2.2", false),
        ("10.0.0.0/8", "10.1.0.0/16", true),
        ("10.1.0.0/16", "10.0.0.0/8", false),
        ("10.0.0.0/8", "10.0.0.0/8", true),
        ("fc00::/7", "fd00::/8", true),
        ("fd00::/8", "fc00::/8", false),
    ] {
        assert_eq!(
            net(inner).lies_within(&net(outer)),
            holds,
            "{inner} in {outer}"
        );
        if !inner.contains('/') {
            assert_eq!(net(outer).contains(ip(inner)), holds, "{inner} in {outer}");
        }
    }
}

#[test]
fn operators_open_what_they_name() {
    let table: &[(&[&str], &str, &str)] = &[
        (&[], "8.8.8.8", "open"),
        (&[], "10.0.0.1", "private"),
        (&["10.0.0.0/8"], "10.0.0.1", "open"),
        (&["10.0.0.0/8"], "::ffff:10.0.0.1", "open"),
        (&["10.0.0.0/8"], "64:ff9b::10.0.0.1", "open"),
        (&["10.0.0.0/8"], "192.168.0.1", "private"),
        (&["10.0.0.0/8", "192.168.0.0/16"], "192.168.0.1", "open"),
        (&["0.0.0.0/0"], "10.0.0.1", "open"),
        (&["0.0.0.0/0"], "0.0.0.0", "unspecified"),
        (&["0.0.0.0/0"], "::ffff:0.0.0.0", "unspecified"),
        (&["0.0.0.0/32"], "0.0.0.0", "unspecified"),
        (&["0.0.0.0"], "64:ff9b::0.0.0.0", "unspecified"),
        (&["::"], "::", "unspecified"),
        (&["::/0"], "::", "unspecified"),
        (&["0.0.0.0/8"], "0.0.0.1", "open"),
        (&["0.0.0.0/0"], "224.0.0.1", "multicast"),
        (&["224.0.0.1"], "224.0.0.1", "multicast"),
        (&["ff02::1"], "ff02::1", "multicast"),
        (&["::/0"], "ff02::1", "multicast"),
        (&["240.0.0.0/4"], "240.0.0.1", "open"),
        (&["240.0.0.0/4"], "255.255.255.255", "reserved"),
        (&["255.255.255.255"], "255.255.255.255", "reserved"),
        (&["255.255.255.255"], "::ffff:255.255.255.255", "reserved"),
        (&["100.64.0.0/10"], "100.64.0.1", "open"),
        (&["192.0.2.0/24"], "192.0.2.1", "open"),
        (&["198.18.0.0/15"], "198.18.0.1", "open"),
        (&["64:ff9b:1::/48"], "64:ff9b:1::1", "open"),
        (&["0.0.0.0/0"], "127.0.0.1", "loopback"),
        (&["0.0.0.0/0"], "169.254.0.1", "link-local"),
        (&["0.0.0.0/0"], "169.254.169.254", "metadata"),
        (&["0.0.0.0/0"], "fc00::1", "private"),
        (&["127.0.0.0/8"], "127.0.0.1", "open"),
        (&["127.0.0.1"], "127.0.0.1", "open"),
        (&["127.0.0.1"], "127.0.0.2", "loopback"),
        (&["126.0.0.0/7"], "127.0.0.1", "loopback"),
        (&["127.0.0.0/8"], "::1", "loopback"),
        (&["::1"], "::1", "open"),
        (&["::/0"], "::1", "loopback"),
        (&["::/0"], "fe80::1", "link-local"),
        (&["::/0"], "fd00:ec2::254", "metadata"),
        (&["fe80::/10"], "fe80::1", "open"),
        (&["fe80::/64"], "fe80::1", "open"),
        (&["169.254.0.0/16"], "169.254.0.1", "open"),
        (&["169.254.0.0/16"], "169.254.169.254", "metadata"),
        (&["169.254.169.254/31"], "169.254.169.254", "metadata"),
        (&["169.254.169.254"], "169.254.169.254", "open"),
        (&["169.254.169.254"], "::ffff:169.254.169.254", "open"),
        (&["100.64.0.0/10"], "100.100.100.200", "metadata"),
        (&["fd00::/8"], "fd00:ec2::254", "metadata"),
        (&["fd00:ec2::254"], "fd00:ec2::254", "open"),
        (&["fd00::/8"], "fd00:ec2::253", "open"),
    ];
    for (nets, address, judged) in table {
        let allowed_networks = AllowedNetworks {
            loopback: false,
            nets: nets.iter().map(|net| net.parse().expect("a net")).collect(),
        };
        let is = allowed_networks
            .judge(ip(address))
            .err()
            .map_or("open", Range::name);
        assert_eq!(is, *judged, "{address} with {nets:?}");
    }
}

#[test]
fn development_opens_loopback_alone() {
    let allowed_networks = AllowedNetworks {
        loopback: true,
        nets: Vec::new(),
    };
    for (address, open) in [
        ("127.0.0.1", true),
        ("127.255.255.255", true),
        ("::1", true),
        ("::ffff:127.0.0.1", true),
        ("0.0.0.0", false),
        ("::", false),
        ("10.0.0.1", false),
        ("169.254.169.254", false),
        ("8.8.8.8", true),
    ] {
        assert_eq!(
            allowed_networks.judge(ip(address)).is_ok(),
            open,
            "{address}"
        );
    }
}
