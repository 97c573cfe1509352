//! The systems that schedules are imported from.

use super::Partner;

/// A system that a schedule is imported from: a partner, or one that rotations cannot follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Partner(Partner),
    GoAlert,
    GrafanaOnCall,
}

impl Origin {
    /// All of them, partners first.
    pub const ALL: [Origin; 5] = [
        Origin::Partner(Partner::Pager),
        Origin::Partner(Partner::Ops),
        Origin::Partner(Partner::Desk),
        Origin::GoAlert,
        Origin::GrafanaOnCall,
    ];

    /// The name in commands and settings.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Partner(partner) => partner.name(),
            Origin::GoAlert => "goAlert",
            Origin::GrafanaOnCall => "grafanaOnCall",
        }
    }

    /// The origin of a name.
    pub fn parse(name: &str) -> Option<Origin> {
        Origin::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The name of the product, for people.
    pub fn title(self) -> &'static str {
        match self {
            Origin::Partner(partner) => partner.title(),
            Origin::GoAlert => "GoAlert",
            Origin::GrafanaOnCall => "Grafana OnCall",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for origin in Origin::ALL {
            assert_eq!(Origin::parse(origin.name()), Some(origin));
        }
        for partner in Partner::ALL {
            assert!(Origin::ALL.contains(&Origin::Partner(partner)));
        }
        assert_eq!(Origin::parse("GoAlert"), None);
    }
}
