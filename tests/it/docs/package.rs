//! The Debian package has the manual, and its links resolve where it is installed.

use super::links::{links, target};
use super::pages::{Page, pages, root};
use crate::support::*;
use std::fs;
use std::process::Command;

/// Packs a program that only says its version, so that nothing large is compressed, and unpacks what came of it. The
/// script is written by the shell: a file that this process had open for writing could not be run while another
/// thread starts a child.
const PACK: &str = r#"
set -e
printf '#!/bin/sh\necho rota 0.0.1\n' >"$1/rota"
chmod +x "$1/rota"
dpkg-deb -x "$(packaging/deb/build "$1/rota" "$1")" "$1/unpacked"
"#;

#[test]
fn the_package_has_the_manual() {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&folders).any(|folder| folder.join("dpkg-deb").is_file()) {
        eprintln!("passed over: dpkg-deb is not here");
        return;
    }
    let dir = TempDir::new();
    let mut pack = Command::new("bash");
    pack.args(["-c", PACK, "pack"])
        .arg(dir.path())
        .current_dir(root());
    let (code, output, errors) = run(&mut pack);
    assert_eq!(code, 0, "{output}{errors}");
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
