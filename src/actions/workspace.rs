//! Whose people the database has: those of a Slack workspace, which is recorded before or with the first of them.

use super::{App, Error};
use crate::chat::slack::Workspace;
use crate::domain::directory::Team;
use crate::store::{self, WriteTx};

/// The value of [`store::CHAT_PLATFORM`] where the people come from Slack.
pub(super) const SLACK: &str = "slack";

/// Records the workspace that Slack has named, unless it is recorded.
pub(super) fn keep(app: &App, workspace: Workspace) -> Result<(), Error> {
    let team = team(workspace);
    let known = app.store().read(|tx| -> Result<_, Error> {
        let platform = store::load_fact(tx, store::CHAT_PLATFORM)?;
        Ok(platform.is_some() && store::load_team(tx)? == team)
    })?;
    if known {
        return Ok(());
    }
    app.store().write(move |tx: &mut WriteTx| save(tx, &team))
}

/// Records the workspace in the transaction that writes its people, if none is recorded yet: without it they would be taken
/// for those of the local platform.
pub(super) fn note(app: &App, tx: &mut WriteTx) -> Result<(), Error> {
    let is_noted = store::load_fact(&tx.as_read(), store::CHAT_PLATFORM)?.is_some();
    match app.slack().and_then(|slack| slack.workspace()) {
        Some(workspace) if !is_noted => save(tx, &team(workspace)),
        _ => Ok(()),
    }
}

fn save(tx: &mut WriteTx, team: &Team) -> Result<(), Error> {
    store::save_team(tx, team)?;
    store::save_fact(tx, store::CHAT_PLATFORM, SLACK)
}

fn team(workspace: Workspace) -> Team {
    Team {
        domain: workspace.url.as_deref().and_then(domain),
        id: workspace.team_id,
        name: workspace.team,
    }
}

/// The domain of `https://acme.slack.com/`: `acme`.
fn domain(url: &str) -> Option<String> {
    let host = url.strip_prefix("https://")?.split('/').next()?;
    host.split('.').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::domain;

    #[test]
    fn domains_are_read_from_addresses() {
        for (url, expected) in [
            ("https://acme.slack.com/", Some("acme")),
            ("https://acme.enterprise.slack.com", Some("acme")),
            ("http://acme.slack.com/", None),
            ("", None),
        ] {
            assert_eq!(domain(url).as_deref(), expected, "{url}");
        }
    }
}
