//! Whose people the database has: those of a workspace of a chat platform, which is recorded before or with the first of them.

use super::{App, Error};
use crate::chat::Workspace;
use crate::domain::directory::Team;
use crate::store::{self, WriteTx};

/// Records the workspace that the platform has named, unless it is recorded.
pub(super) fn keep(app: &App, workspace: Workspace) -> Result<(), Error> {
    let team = team(workspace);
    let known = app.store().read(|tx| -> Result<_, Error> {
        let platform = store::load_fact(tx, store::CHAT_PLATFORM)?;
        Ok(platform.is_some() && store::load_team(tx)? == team)
    })?;
    if known {
        return Ok(());
    }
    let platform = app.remote().map(|remote| remote.names().name);
    app.store()
        .write(move |tx: &mut WriteTx| save(tx, &team, platform))
}

/// Records the workspace in the transaction that writes its people, if none is recorded yet: without it they would be taken
/// for those of the local platform.
pub(super) fn note(app: &App, tx: &mut WriteTx) -> Result<(), Error> {
    let is_noted = store::load_fact(&tx.as_read(), store::CHAT_PLATFORM)?.is_some();
    let remote = app.remote().filter(|_| !is_noted);
    let platform = remote.map(|remote| remote.names().name);
    match remote.and_then(|remote| remote.workspace()) {
        Some(workspace) => save(tx, &team(workspace), platform),
        None => Ok(()),
    }
}

fn save(tx: &mut WriteTx, team: &Team, platform: Option<&str>) -> Result<(), Error> {
    store::save_team(tx, team)?;
    match platform {
        Some(platform) => store::save_fact(tx, store::CHAT_PLATFORM, platform),
        None => Ok(()),
    }
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
