//! The menu of a turn, by mouse and by keyboard; and the order of bars.

use super::enter;
use crate::support::Rota;
use crate::support::browser::{ENTER, Window};
use serde_json::json;

const ESCAPE: &str = "\u{e00c}";

/// What the menu offers, and who and when it says.
const OFFERED: &str = "const menu = document.getElementById('turn-menu');
    return [...menu.querySelectorAll('a')].filter((one) => one.checkVisibility()).map((one) => one.innerText.trim())";

#[test]
fn a_bar_opens_who_when_and_what_one_may_do() {
    let Some(window) = Window::open() else {
        return;
    };
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    for path in ["/".to_owned(), format!("/rotations/{}", rotation.id)] {
        for (user, of, offered) in [
            (
                "U2",
                "U2",
                json!(["Why", "Ask for cover", "Offer a swap", "All about it"]),
            ),
            ("U2", "U3", json!(["Why", "Offer a swap", "All about it"])),
            (
                "U1",
                "U3",
                json!([
                    "Why",
                    "Offer a swap",
                    "Take it",
                    "Give to somebody",
                    "All about it"
                ]),
            ),
        ] {
            enter(&window, &rota, user, &path);
            let open = "const bars = [...document.querySelectorAll(`.tl .bar > a[data-user=${arguments[0]}]`)];
                const bar = bars.find((one) => new Date(one.dataset.start) > new Date('2026-01-05T12:00:00Z'));
                bar.focus(); return bar.dataset.start";
            let start = window.run(open, json!([of]));
            window.press(&[ENTER]);
            window.becomes(
                "the menu is open",
                "return document.querySelector('#turn-menu:popover-open') != null",
            );
            assert_eq!(window.run(OFFERED, json!([])), offered, "{path} for {user}");
            window.becomes(
                "the focus is inside",
                "return document.activeElement.closest('#turn-menu') != null",
            );
            window.sees("Person ");
            window.press(&[ESCAPE]);
            window.becomes(
                "the menu is closed",
                "return document.querySelector('#turn-menu:popover-open') == null",
            );
            let back = window.run(
                "return document.activeElement.dataset.start || ''",
                json!([]),
            );
            assert_eq!(back, start, "the focus is back");
        }
    }
}

#[test]
fn with_a_key_held_or_without_the_script_the_link_is_followed() {
    let Some(window) = Window::open() else {
        return;
    };
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let path = format!("/rotations/{}", rotation.id);
    enter(&window, &rota, "U2", &path);
    let held = "const bar = document.querySelector('.tl .bar > a[data-user=U2]');
        return bar.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: true }))";
    assert_eq!(
        window.run(held, json!([])),
        json!(true),
        "nothing stops the link"
    );
    window.without_scripts();
    enter(&window, &rota, "U2", &path);
    window.run(
        "document.querySelector('.tl .bar > a[data-user=U2]').click()",
        json!([]),
    );
    window.sees("What do you want to do?");
}

#[test]
fn bars_are_in_order_of_time() {
    let Some(window) = Window::open() else {
        return;
    };
    let rota = Rota::with_people(3);
    rota.daily("U1 U2 U3", 2);
    enter(&window, &rota, "U2", "/");
    let wrong = "const starts = (track) => [...track.querySelectorAll('a[data-start]')].map((one) => Date.parse(one.dataset.start));
        return [...document.querySelectorAll('.tl .track')].map(starts).filter((all) => all.some((at, i) => i && at < all[i - 1])).length";
    assert_eq!(window.run(wrong, json!([])), 0);
}
