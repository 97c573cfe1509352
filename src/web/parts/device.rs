//! Browsers by name: "Firefox on Linux".

/// Browsers by a word of theirs; the first that is found counts, for most also say that they are others.
const BROWSERS: [(&str, &str); 8] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// Systems by a word of theirs, in the same way.
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("CrOS", "Chromebook"),
    ("Linux", "Linux"),
];

/// What somebody would call the program that sent a `User-Agent`.
pub fn name(agent: Option<&str>) -> String {
    let agent = agent.unwrap_or_default();
    let found = |known: &[(&str, &'static str)]| {
        let mut known = known.iter();
        known
            .find(|(word, _)| agent.contains(word))
            .map(|(_, name)| *name)
    };
    match (found(&BROWSERS), found(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, Some(system)) => format!("A program on {system}"),
        // A command-line program names itself first: "curl/8.5".
        (None, None) => match agent.split(['/', ' ']).next() {
            Some(program) if !program.is_empty() => program.chars().take(40).collect(),
            _ => "Unknown browser".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn browsers_are_called_by_name() {
        for (agent, expected) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
                "Firefox on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 Edg/130.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/130.0 Safari/537.36",
                "Chrome on Mac",
            ),
            ("curl/8.5.0", "curl"),
            ("", "Unknown browser"),
        ] {
            assert_eq!(name(Some(agent)), expected, "{agent}");
        }
        assert_eq!(name(None), "Unknown browser");
    }
}
