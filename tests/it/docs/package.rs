//! The Debian package is complete, and the links of the manual resolve where it is installed.

use super::links::{links, target};
use super::pages::{Page, pages, root};
use crate::support::*;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

/// Packages a script that prints an old version and otherwise runs the real program, so that nothing large is compressed, and
/// unpacks the result. The shell writes the script: a file that this process had open for writing could not be executed
/// while another thread starts a child.
const PACK: &str = r#"
set -e
printf '#!/bin/sh\n[ "$1" != --version ] || exec echo rota 0.0.1\nexec "%s" "$@"\n' "$2" >"$1/rota"
chmod +x "$1/rota"
dpkg-deb -R "$(packaging/deb/build "$1/rota" "$1")" "$1/unpacked"
"#;

/// What an administrator looks for, besides the pages of the manual.
const FILES: [&str; 16] = [
    "DEBIAN/md5sums",
    "etc/rota/rota.toml",
    "usr/bin/rota",
    "usr/lib/systemd/system/rota-backup.service",
    "usr/lib/systemd/system/rota-backup.timer",
    "usr/lib/systemd/system/rota-standby.service",
    "usr/lib/systemd/system/rota.service",
    "usr/lib/sysusers.d/rota.conf",
    "usr/lib/tmpfiles.d/rota.conf",
    "usr/share/bash-completion/completions/rota",
    "usr/share/doc/rota/changelog.gz",
    "usr/share/doc/rota/copyright",
    "usr/share/doc/rota/libraries.gz",
    "usr/share/fish/vendor_completions.d/rota.fish",
    "usr/share/man/man1/rota-key-create.1.gz",
    "usr/share/zsh/vendor-completions/_rota",
];

#[test]
fn the_package_is_complete() {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let here =
        |tool: &str| std::env::split_paths(&folders).any(|folder| folder.join(tool).is_file());
    if let Some(missing) = ["dpkg-deb", "python3", "rustc"]
        .into_iter()
        .find(|tool| !here(tool))
    {
        eprintln!("skipped: {missing} is not here");
        return;
    }
    let dir = TempDir::new();
    let mut pack = Command::new("bash");
    pack.args(["-c", PACK, "pack"])
        .arg(dir.path())
        .arg(BINARY)
        .current_dir(root());
    let (code, output, errors) = run(&mut pack);
    assert_eq!(code, 0, "{output}{errors}");
    for file in FILES {
        let path = dir.join(&format!("unpacked/{file}"));
        let size = fs::metadata(&path).map(|data| data.len());
        assert!(size.is_ok_and(|size| size > 0), "{file}");
    }
    // It may hold secrets.
    let config = fs::metadata(dir.join("unpacked/etc/rota/rota.toml")).expect("the config file");
    assert_eq!(config.mode() & 0o777, 0o640);
    let docs = dir.join("unpacked/usr/share/doc/rota");
    for page in pages() {
        let name = page.name.strip_prefix("packaging/").unwrap_or(&page.name);
        let path = docs.join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let installed = Page {
            name: page.name.clone(),
            text,
        };
        for link in links(&installed) {
            let (file, _) = target(path.parent().unwrap(), &path, &link);
            assert!(file.exists(), "{name}: {link}");
        }
    }
}
