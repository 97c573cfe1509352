//! The style sheet and the script: compiled in, under an address that changes with their content, so that browsers keep them.

use super::answer;
use crate::server::{Body, Problem, Request, Response};
use crate::wire::{etag, hex};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// A file that pages load.
pub struct Asset {
    name: &'static str,
    media_type: &'static str,
    content: &'static str,
}

/// The only style sheet, in parts that are joined.
pub const STYLE: Asset = Asset {
    name: "style.css",
    media_type: "text/css; charset=utf-8",
    content: concat!(
        include_str!("assets/css/tokens.css"),
        include_str!("assets/css/frame.css"),
        include_str!("assets/css/controls.css"),
        include_str!("assets/css/parts.css"),
        include_str!("assets/css/timeline.css"),
        include_str!("assets/css/pages.css"),
        include_str!("assets/css/plain.css"),
        // Last of the rules, for they take others back.
        include_str!("assets/css/narrow.css"),
        include_str!("assets/css/people.css"),
        include_str!("assets/css/positions.css"),
    ),
};

/// The only script.
pub const SCRIPT: Asset = Asset {
    name: "script.js",
    media_type: "text/javascript; charset=utf-8",
    content: include_str!("assets/script.js"),
};

/// The mark of the site.
pub const ICON: Asset = Asset {
    name: "icon.svg",
    media_type: "image/svg+xml",
    content: include_str!("assets/icon.svg"),
};

/// The drawings of buttons and marks, a symbol each.
pub const ICONS: Asset = Asset {
    name: "icons.svg",
    media_type: "image/svg+xml",
    content: include_str!("assets/icons.svg"),
};

const ALL: [&Asset; 4] = [&STYLE, &SCRIPT, &ICON, &ICONS];

/// Names the content of all of them.
static HASH: LazyLock<String> = LazyLock::new(|| {
    let mut digest = Sha256::new();
    for asset in ALL {
        digest.update(asset.content);
        digest.update([0]);
    }
    hex(&digest.finalize()[..8])
});

/// The address of an asset.
pub fn path(asset: &Asset) -> String {
    format!("/static/{}/{}", *HASH, asset.name)
}

/// GET /static/{hash}/{name}.
pub fn serve(request: &Request, hash: &str, name: &str) -> Result<Response, Problem> {
    let asset = ALL.iter().find(|asset| asset.name == name && hash == *HASH);
    let Some(asset) = asset else {
        return Err(answer::nothing_here());
    };
    let tag = format!("\"s{}-{}\"", *HASH, asset.name);
    let known = request.header("If-None-Match");
    let response = match known.is_some_and(|known| etag::is_known(known, &tag)) {
        true => Response::empty(304),
        false => Response::new(200, asset.media_type, Body::from_data(asset.content)),
    };
    let kept = "public, max-age=31536000, immutable";
    Ok(response.with("Cache-Control", kept).with("ETag", tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_small() {
        assert!(SCRIPT.content.len() <= 6 * 1024, "{}", SCRIPT.content.len());
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        for asset in [&STYLE, &SCRIPT] {
            for word in ["http:", "https:", "@import", "url("] {
                assert!(!asset.content.contains(word), "{}: {word}", asset.name);
            }
        }
    }
}
