//! The app manifest: from it Slack makes the app with everything that rota uses, and nothing else.

use super::method;
use serde_json::{Value, json};

/// The events that the app subscribes to, each with the scopes that it needs.
const EVENTS: [(&str, &[&str]); 17] = [
    ("app_home_opened", &[]),
    ("app_mention", &["app_mentions:read"]),
    ("channel_created", &["channels:read"]),
    ("channel_deleted", &["channels:read"]),
    ("channel_left", &["channels:read"]),
    ("channel_rename", &["channels:read"]),
    ("group_deleted", &["groups:read"]),
    ("group_left", &["groups:read"]),
    ("group_rename", &["groups:read"]),
    ("member_joined_channel", &["channels:read", "groups:read"]),
    ("member_left_channel", &["channels:read", "groups:read"]),
    ("subteam_created", &["usergroups:read"]),
    ("subteam_members_changed", &["usergroups:read"]),
    ("subteam_updated", &["usergroups:read"]),
    ("team_join", &["users:read"]),
    ("user_change", &["users:read"]),
    ("user_profile_changed", &["users:read"]),
];

/// The operator's choices for the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestSettings<'a> {
    /// The name of the app, 1 to 35 characters.
    pub name: &'a str,
    /// The slash command, with its slash.
    pub command: &'a str,
    /// The public URL of the server, without a trailing slash: what comes in arrives there. `None` is Socket Mode.
    pub base_url: Option<&'a str>,
}

/// All scopes of the bot token: those of the methods that are called, of the events, and of the command.
pub fn scopes() -> Vec<&'static str> {
    let mut scopes = method::scopes();
    scopes.extend(EVENTS.iter().flat_map(|(_, scopes)| scopes.iter()));
    scopes.push("commands");
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}

/// The manifest.
pub fn manifest(settings: ManifestSettings) -> Value {
    let ManifestSettings {
        name,
        command,
        base_url,
    } = settings;
    let mut slash = json!({
        "command": command,
        "description": "Who is on call, and what you can do about it",
        "usage_hint": "CODE, cover, swap, away, me, help",
        "should_escape": true,
    });
    let events: Vec<&str> = EVENTS.iter().map(|(event, _)| *event).collect();
    let mut subscriptions = json!({ "bot_events": events });
    let mut interactivity = json!({ "is_enabled": true });
    if let Some(base_url) = base_url {
        slash["url"] = format!("{base_url}/slack/commands").into();
        subscriptions["request_url"] = format!("{base_url}/slack/events").into();
        interactivity["request_url"] = format!("{base_url}/slack/interactivity").into();
    }
    json!({
        "display_information": {
            "name": name,
            "description": "On-call rotations: who is on duty now, and who is next",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": true,
                "messages_tab_enabled": true,
                "messages_tab_read_only_enabled": true,
            },
            "bot_user": { "display_name": name, "always_online": true },
            "slash_commands": [slash],
        },
        "oauth_config": { "scopes": { "bot": scopes() } },
        "settings": {
            "event_subscriptions": subscriptions,
            "interactivity": interactivity,
            "org_deploy_enabled": false,
            "socket_mode_enabled": base_url.is_none(),
            "token_rotation_enabled": false,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_has_socket_mode_or_request_urls() {
        let settings = ManifestSettings {
            name: "rota",
            command: "/rota",
            base_url: None,
        };
        let socket = manifest(settings);
        assert_eq!(socket["settings"]["socket_mode_enabled"], true);
        assert!(!socket.to_string().contains("url"), "{socket}");
        let urls = manifest(ManifestSettings {
            base_url: Some("https://rota.example.org"),
            ..settings
        });
        assert_eq!(urls["settings"]["socket_mode_enabled"], false);
        let base = "https://rota.example.org/slack";
        assert_eq!(
            urls["features"]["slash_commands"][0]["url"],
            format!("{base}/commands")
        );
        let settings = &urls["settings"];
        let (events, clicks) = (&settings["event_subscriptions"], &settings["interactivity"]);
        assert_eq!(events["request_url"], format!("{base}/events"));
        assert_eq!(clicks["request_url"], format!("{base}/interactivity"));
    }

    #[test]
    fn scopes_are_those_that_are_used() {
        assert_eq!(
            scopes(),
            [
                "app_mentions:read",
                "channels:read",
                "channels:write.topic",
                "chat:write",
                "commands",
                "groups:read",
                "groups:write.topic",
                "usergroups:read",
                "usergroups:write",
                "users:read",
                "users:read.email",
            ]
        );
    }
}
