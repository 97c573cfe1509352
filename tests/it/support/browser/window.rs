//! One browser window: go, look, click, type. Elements are found by what people read: labels, links, buttons.

use super::super::server::eventually;
use super::driver::{Driver, Permit};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::time::{Duration, Instant};

/// A window of a browser. Given back when it is dropped.
pub struct Window {
    driver: &'static Driver,
    session: String,
    /// Whether other tests may use the browser.
    is_shared: bool,
    /// Clicks, and choices of lists that open.
    clicks: Cell<usize>,
    /// A script that runs in every page first, by its id.
    preloaded: RefCell<Option<String>>,
    _permit: Permit,
}

/// What is clicked, by what people read on it.
pub enum Named<'a> {
    Link(&'a str),
    Button(&'a str),
    /// A check box or a radio button, by its label.
    Choice(&'a str),
}

/// How WebDriver calls an element in JSON.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

impl Window {
    /// A window without cookies, 1,280 pixels wide and light; `None` where no browser is installed, which is printed.
    pub fn open() -> Option<Window> {
        Window::start("")
    }

    /// A window of a browser of its own, which finds hosts by these rules of Chromium, such as `MAP a.lan 127.0.0.1:80`.
    pub fn with_hosts(rules: &str) -> Option<Window> {
        Window::start(rules)
    }

    fn start(rules: &str) -> Option<Window> {
        let driver = match Driver::shared() {
            Ok(driver) => driver,
            Err(why) => {
                // Not `eprintln!`, whose output of tests that pass is thrown away.
                let _ = writeln!(std::io::stderr(), "skipped: {why}");
                return None;
            }
        };
        let permit = driver.permit();
        let idle = driver.take_idle().filter(|_| rules.is_empty());
        let is_new = idle.is_none();
        let window = Window {
            driver,
            session: idle.unwrap_or_else(|| driver.begin(rules)),
            is_shared: rules.is_empty(),
            clicks: Cell::new(0),
            preloaded: RefCell::default(),
            _permit: permit,
        };
        if !is_new {
            window.go("about:blank");
            window.cdp("Network.clearBrowserCookies", json!({}));
            window.cdp(
                "Emulation.setScriptExecutionDisabled",
                json!({ "value": false }),
            );
        }
        window.scheme("light");
        window.size(1280, 900);
        Some(window)
    }

    #[track_caller]
    fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        let answer = self.try_ask(method, path, body);
        answer.unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    fn try_ask(&self, method: &str, path: &str, body: Value) -> Result<Value, String> {
        let path = format!("/session/{}{path}", self.session);
        self.driver.ask(method, &path, &body)
    }

    /// A command of the Chrome DevTools Protocol.
    #[track_caller]
    pub fn cdp(&self, command: &str, parameters: Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.ask("POST", "/goog/cdp/execute", body)
    }

    /// Runs a script in every page that this window opens from now on, whatever the page permits.
    pub fn preload(&self, script: &str) {
        let added = self.cdp(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": script }),
        );
        let id = added["identifier"].as_str().expect("an id");
        *self.preloaded.borrow_mut() = Some(id.to_owned());
    }

    /// Opens an address and waits until it has loaded.
    #[track_caller]
    pub fn go(&self, url: &str) {
        self.ask("POST", "/url", json!({ "url": url }));
    }

    pub fn url(&self) -> String {
        let url = self.ask("GET", "/url", Value::Null);
        url.as_str().expect("an address").to_owned()
    }

    /// Width and height in CSS pixels.
    pub fn size(&self, width: u32, height: u32) {
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false }),
        );
    }

    /// What the system wishes: `light` or `dark`.
    pub fn scheme(&self, wish: &str) {
        // Transitions end at once, so that colours are measured as they stay.
        let features = json!([
            { "name": "prefers-color-scheme", "value": wish },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.cdp(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// How the page is shown: a medium, such as `print`, and a feature of it with its value.
    pub fn medium(&self, medium: &str, (name, value): (&str, &str)) {
        let features = json!([{ "name": name, "value": value }]);
        let wish = json!({ "media": medium, "features": features });
        self.cdp("Emulation.setEmulatedMedia", wish);
    }

    /// Pages opened from now on run no scripts of theirs.
    pub fn without_scripts(&self) {
        self.cdp(
            "Emulation.setScriptExecutionDisabled",
            json!({ "value": true }),
        );
        self.go("data:text/html,<title>off</title><script>document.title='on'</script>");
        assert_eq!(self.run("return document.title", json!([])), "off");
    }

    /// Runs the body of a function in the page.
    #[track_caller]
    pub fn run(&self, script: &str, arguments: Value) -> Value {
        let body = json!({ "script": script, "args": arguments });
        self.ask("POST", "/execute/sync", body)
    }

    /// The same of a function that calls its last argument with the result.
    #[track_caller]
    pub fn run_async(&self, script: &str) -> Value {
        let body = json!({ "script": script, "args": [] });
        self.ask("POST", "/execute/async", body)
    }

    /// The visible text of the page.
    pub fn text(&self) -> String {
        let text = self.run("return document.body.innerText", json!([]));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page says something.
    #[track_caller]
    pub fn sees(&self, text: &str) {
        let begun = Instant::now();
        let script = "return document.readyState == 'complete'
            && document.body.innerText.replace(/\\s+/g, ' ').includes(arguments[0])";
        loop {
            let body = json!({ "script": script, "args": [text] });
            // While a page gives way to the next, there is nothing to ask.
            if self.try_ask("POST", "/execute/sync", body) == Ok(Value::Bool(true)) {
                return;
            }
            if begun.elapsed() > Duration::from_secs(15) {
                panic!("{text:?} is not at {}:\n{}", self.url(), self.text());
            }
        }
    }

    /// Waits until a script answers true.
    #[track_caller]
    pub fn becomes(&self, what: &str, script: &str) {
        eventually(what, || self.run(script, json!([])) == Value::Bool(true));
    }

    #[track_caller]
    fn find(&self, xpath: &str) -> String {
        let body = json!({ "using": "xpath", "value": xpath });
        let found = self.try_ask("POST", "/element", body);
        match found {
            Ok(found) => found[ELEMENT].as_str().expect("an element").to_owned(),
            Err(_) => panic!("no {xpath} at {}:\n{}", self.url(), self.text()),
        }
    }

    /// Clicks what is called so, which is counted.
    #[track_caller]
    pub fn click(&self, named: Named) {
        self.click_within("", named);
    }

    /// The same within the first element of an XPath.
    #[track_caller]
    pub fn click_within(&self, xpath: &str, named: Named) {
        let what = match named {
            Named::Link(text) => format!("a[normalize-space()={}]", quoted(text)),
            Named::Button(text) => format!("button[normalize-space()={}]", quoted(text)),
            Named::Choice(text) => {
                format!("label[contains(normalize-space(),{})]", quoted(text))
            }
        };
        let element = self.find(&format!("{xpath}//{what}"));
        self.ask("POST", &format!("/element/{element}/click"), json!({}));
        self.clicks.set(self.clicks.get() + 1);
    }

    /// Counts a click that a script made.
    pub fn count(&self) {
        self.clicks.set(self.clicks.get() + 1);
    }

    /// Clicks since the last call, and choices of lists that open.
    pub fn take_clicks(&self) -> usize {
        self.clicks.replace(0)
    }

    /// Fills in the field that a label names: text is typed, and times, dates and choices are set.
    #[track_caller]
    pub fn fill(&self, label: &str, value: &str) {
        let script = "
            const fits = (label) => label.innerText.trim() == arguments[0];
            const label = [...document.querySelectorAll('label')].find(fits);
            if (!label || !label.control) return 'no field ' + arguments[0];
            const field = label.control;
            if (field.tagName == 'SELECT') {
                const chosen = [...field.options].find((o) => o.value == arguments[1] || o.text.trim() == arguments[1]);
                if (!chosen) return 'no choice ' + arguments[1];
                chosen.selected = true;
                return 'chosen';
            }
            field.value = arguments[1];
            return '';";
        let wrong = self.run(script, json!([label, value]));
        let is_chosen = wrong == "chosen";
        assert!(
            is_chosen || wrong == "",
            "{wrong} at {}:\n{}",
            self.url(),
            self.text()
        );
        self.clicks.set(self.clicks.get() + usize::from(is_chosen));
    }

    /// Presses keys one after the other.
    pub fn press(&self, keys: &[&str]) {
        let actions: Vec<Value> = keys
            .iter()
            .flat_map(|key| {
                [
                    json!({ "type": "keyDown", "value": key }),
                    json!({ "type": "keyUp", "value": key }),
                ]
            })
            .collect();
        let board = json!({ "type": "key", "id": "board", "actions": actions });
        self.ask("POST", "/actions", json!({ "actions": [board] }));
    }

    /// The cookies that the page would send, as the protocol describes them.
    pub fn cookies(&self) -> Vec<Value> {
        let all = self.cdp("Network.getCookies", json!({}));
        all["cookies"].as_array().expect("cookies").clone()
    }

    /// The page as PNG, in base64.
    pub fn picture(&self) -> String {
        let shown = self.cdp("Page.captureScreenshot", json!({ "format": "png" }));
        shown["data"].as_str().expect("a picture").to_owned()
    }
}

/// A text as a literal of XPath, which knows no escapes.
fn quoted(text: &str) -> String {
    assert!(!text.contains('"'), "not both kinds of quotes: {text}");
    format!("\"{text}\"")
}

impl Drop for Window {
    fn drop(&mut self) {
        // After a failure the browser may have an alert open; and nobody wants one that finds hosts elsewhere.
        if std::thread::panicking() || !self.is_shared {
            let _ = self.try_ask("DELETE", "", Value::Null);
        } else {
            if let Some(id) = self.preloaded.take() {
                self.cdp(
                    "Page.removeScriptToEvaluateOnNewDocument",
                    json!({ "identifier": id }),
                );
            }
            self.driver.give_back(std::mem::take(&mut self.session));
        }
    }
}
