//! The pages, as a browser without a script has them: addresses, forms, cookies, and what stands in the HTML.

mod absences;
mod access;
mod admin;
mod agreeing;
mod bars;
mod board;
mod browser;
mod creating;
mod docs;
mod duty;
mod every_page;
mod feeds;
mod first_run;
mod load;
mod login;
pub mod oidc;
mod people;
mod rates;
mod reading;
mod report;
mod sessions;
mod settings;
mod webhooks;
mod words;
mod zone;

use crate::support::{Answer, Rota, Start, directory};
use serde_json::json;

/// Somebody with a cookie.
pub struct Browser<'a> {
    rota: &'a Rota,
    cookie: Option<String>,
}

impl<'a> Browser<'a> {
    /// A browser that is not signed in.
    pub fn of(rota: &'a Rota) -> Browser<'a> {
        Browser { rota, cookie: None }
    }

    /// A browser of a person.
    #[track_caller]
    pub fn signed_in(rota: &'a Rota, user: &str) -> Browser<'a> {
        let mut browser = Browser::of(rota);
        browser.keep(&browser.get(&format!("/login?as={user}")).is(303));
        assert!(browser.cookie.is_some(), "no cookie for {user}");
        browser
    }

    /// A browser of the person whose access token this is.
    #[track_caller]
    pub fn with_token(rota: &'a Rota, token: &str) -> Browser<'a> {
        let mut browser = Browser::of(rota);
        let fields = [("token", token)];
        browser.keep(&browser.post("/login", &fields).is(303));
        browser
    }

    /// Keeps the cookie of an answer.
    pub fn keep(&mut self, answer: &Answer) {
        if let Some(cookie) = answer.header("set-cookie") {
            let pair = cookie.split(';').next().unwrap_or_default();
            self.cookie = Some(pair.to_owned()).filter(|pair| !pair.ends_with('='));
        }
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path).send()
    }

    pub fn request(&self, method: &str, path: &str) -> crate::support::Request<'a> {
        let request = self.rota.anyone().request(method, path);
        let accept = "text/html,application/xhtml+xml,*/*;q=0.8";
        request
            .header("Accept", accept)
            .maybe("Cookie", self.cookie.clone())
    }

    /// Sends a form as the page of this site does.
    #[track_caller]
    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.request("POST", path)
            .header("Sec-Fetch-Site", "same-origin")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(encoded(fields))
            .send()
    }

    /// Opens a page, fills in its form of this action and sends it: what is hidden or filled in already is sent along, and
    /// replaced where it is named.
    #[track_caller]
    pub fn fill(&self, path: &str, action: &str, fields: &[(&str, &str)]) -> Answer {
        let page = self.get(path).is(200).text();
        self.fill_in(&page, action, fields)
    }

    /// The same of a page that is open.
    #[track_caller]
    pub fn fill_in(&self, page: &str, action: &str, fields: &[(&str, &str)]) -> Answer {
        let form = form(page, action);
        let mut sent: Vec<(String, String)> = inputs(form);
        sent.retain(|(name, _)| !fields.iter().any(|(other, _)| other == name));
        let named = fields
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()));
        sent.extend(named);
        let sent: Vec<(&str, &str)> = sent
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        self.post(action, &sent)
    }

    /// Where an answer sends the browser, opened.
    #[track_caller]
    pub fn follow(&self, answer: &Answer) -> String {
        let path = answer.header("location").expect("a location").to_owned();
        self.get(&path).is(200).text()
    }
}

/// A server with these people, of whom U1 is a workspace admin.
#[track_caller]
pub fn with_admin(start: Start, people: usize) -> Rota {
    let rota = start.go();
    let mut file = directory(people);
    file["users"][0]["isAdmin"] = json!(true);
    rota.import(&file);
    rota
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let escape = |text: &str| -> String {
        let byte = |byte: u8| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect()
    };
    let pair = |(name, value): &(&str, &str)| format!("{}={}", escape(name), escape(value));
    fields.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// The form of an action in a page.
#[track_caller]
pub fn form<'p>(page: &'p str, action: &str) -> &'p str {
    let begins = format!("action=\"{action}\"");
    let at = page.find(&begins);
    let at = at.unwrap_or_else(|| panic!("no form {action} in\n{page}"));
    let end = page[at..].find("</form>").expect("the end of the form");
    &page[at..at + end]
}

/// What a form sends as it stands: hidden and filled-in inputs, ticked boxes, chosen options.
pub fn inputs(form: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for tag in form.split('<') {
        let tag = tag.split('>').next().unwrap_or_default();
        let kind = attribute(tag, "type").unwrap_or_default();
        if tag.starts_with("input ") && !["submit", "search"].contains(&kind.as_str()) {
            let ticked =
                !["checkbox", "radio"].contains(&kind.as_str()) || tag.contains(" checked");
            if let (Some(name), true) = (attribute(tag, "name"), ticked) {
                found.push((name, attribute(tag, "value").unwrap_or_default()));
            }
        }
    }
    for select in form.split("<select ").skip(1) {
        let select = select.split("</select>").next().unwrap_or_default();
        let options: Vec<&str> = select.split("<option ").skip(1).collect();
        let chosen = options.iter().find(|option| {
            option
                .split('>')
                .next()
                .unwrap_or_default()
                .contains(" selected")
        });
        if let (Some(name), Some(option)) = (attribute(select, "name"), chosen.or(options.first()))
        {
            found.push((name, attribute(option, "value").unwrap_or_default()));
        }
    }
    found
}

/// The value of an attribute in a tag.
pub fn attribute(tag: &str, name: &str) -> Option<String> {
    let rest = tag.split_once(&format!("{name}=\""))?.1;
    let value = rest.split('"').next()?;
    let plain = value.replace("&quot;", "\"").replace("&lt;", "<");
    Some(plain.replace("&gt;", ">").replace("&amp;", "&"))
}

/// The turns of a page, as `start user`: the bars of its timeline, or the rows of its table.
pub fn turns(page: &str) -> Vec<String> {
    let tags = page
        .split('<')
        .filter(|tag| tag.starts_with("tr ") || tag.starts_with("a href="));
    // Narrow screens have an agenda with the same.
    let tags = tags.filter(|tag| !tag.contains("class=\"ag"));
    let rows = tags.filter_map(|tag| {
        let tag = tag.split('>').next()?;
        let start = attribute(tag, "data-start")?;
        let user = attribute(tag, "data-user").unwrap_or_else(|| "-".into());
        Some(format!("{start} {user}"))
    });
    rows.collect()
}
