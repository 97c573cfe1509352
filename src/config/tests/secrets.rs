//! Secrets that are set as they are or as files.

use super::*;

/// What the file of a secret may hold, and what else is said of it.
#[test]
fn a_file_holds_one_line() {
    let folder = std::env::temp_dir().join(format!("rota-secrets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (content, expected) in [
        ("a-secret\n", None),
        ("  a-secret  ", None),
        ("", Some("nothing is in it")),
        ("\n", Some("nothing is in it")),
        ("one\ntwo\n", Some("it has more than one line")),
    ] {
        let file = folder.join("secret");
        std::fs::write(&file, content).expect("a file");
        let text = format!("[partners.pagerPartner]\napi_key_file = {file:?}");
        let config = file::parse(&text).map_err(|(line, why)| format!("{line}: {why}"));
        let settings = config.and_then(|config| config.partners());
        match expected {
            None => assert!(settings.is_ok(), "{content:?}: {settings:?}"),
            Some(expected) => {
                let error = settings.expect_err(content);
                assert!(error.contains(expected), "{content:?}: {error}");
                assert!(
                    error.contains("write api_key_file = "),
                    "{content:?}: {error}"
                );
            }
        }
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}
