//! Small drawings beside words. They say nothing by themselves, so readers of the screen are not told of them.

use crate::web::assets::{self, ICONS};
use maud::{Markup, html};
use std::sync::LazyLock;

/// The address of the file, before the name of a symbol.
static FILE: LazyLock<String> = LazyLock::new(|| assets::path(&ICONS) + "#");

/// The drawing of a name, which is a symbol of `icons.svg`.
pub fn icon(name: &str) -> Markup {
    html! { svg.i aria-hidden="true" { use href=(format_args!("{}{name}", *FILE)); } }
}

/// A drawing that gives way where there is little room.
pub fn optional(name: &str) -> Markup {
    html! { svg.i.opt aria-hidden="true" { use href=(format_args!("{}{name}", *FILE)); } }
}
