//! Users: what SCIM sends of a person, and what it is shown.

use super::query::version;
use super::refused;
use super::schema::{USER, USER_SCHEMA};
use super::values::is_primary;
use crate::domain::directory_edit::{check_address, check_phone};
use crate::domain::limits::{NAME, check_name};
use crate::domain::provisioning::{PersonImage, ProvisionedPerson, ScimFault};
use crate::domain::refusal::Refusal;
use crate::domain::zones::ZoneName;
use crate::wire::url::encode;
use serde_json::{Map, Value, json};

/// What SCIM makes of a person: the attributes of a request, of which `active` is true where it is missing. It is hidden where a
/// request has taken it away, and stored as null then.
///
/// # Errors
/// [`Refusal::Provisioning`] for a person without a user name, and for values that do not fit.
pub fn image(
    mut attributes: Map<String, Value>,
    hides_active: bool,
) -> Result<PersonImage, Refusal> {
    let user_name = text(&attributes, "userName").unwrap_or_default().to_owned();
    if user_name.trim().is_empty() {
        let why = "userName: send the name of the person at the provider";
        return Err(refused(ScimFault::InvalidValue, why));
    }
    let is_active = attributes.remove("active") != Some(Value::Bool(false));
    let derived = Derived::of(&attributes, &user_name);
    let fits = |name: &str, value: Option<&str>| match check_name(name, value) {
        Ok(()) => Ok(()),
        Err(_) => {
            let why = format!("{name}: send at most {NAME} characters without line breaks");
            Err(refused(ScimFault::InvalidValue, why))
        }
    };
    fits("displayName", Some(&derived.display_name))?;
    fits("name.formatted", derived.real_name.as_deref())?;
    if let Some(email) = &derived.email
        && check_address("emails", email).is_err()
    {
        let why = "emails: send a mail address, such as ana@example.org";
        return Err(refused(ScimFault::InvalidValue, why));
    }
    if hides_active && is_active {
        attributes.insert("active".to_owned(), Value::Null);
    }
    Ok(PersonImage {
        user_name,
        display_name: derived.display_name,
        real_name: derived.real_name,
        email: derived.email,
        phone: derived.phone,
        time_zone: derived.time_zone,
        is_active,
        attributes: Value::Object(attributes).to_string(),
    })
}

/// What follows from attributes.
struct Derived {
    display_name: String,
    real_name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    time_zone: Option<String>,
}

impl Derived {
    fn of(attributes: &Map<String, Value>, user_name: &str) -> Derived {
        let name = attributes.get("name").and_then(Value::as_object);
        let part = |part| name.and_then(|name| text(name, part));
        let both = [part("givenName"), part("familyName")];
        let both: Vec<&str> = both.into_iter().flatten().collect();
        let both = both.join(" ");
        let is_zone = |zone: &&str| ZoneName::parse(zone).is_ok();
        let shown = text(attributes, "displayName").or(part("formatted"));
        let is_address = check_address("", user_name).is_ok();
        Derived {
            display_name: match shown {
                Some(shown) => shown.to_owned(),
                // Nobody has written these as a name to show.
                None if both.is_empty() => cut(user_name),
                None => cut(&both),
            },
            real_name: part("formatted").map(str::to_owned),
            email: chosen(attributes, "emails")
                .or(Some(user_name).filter(|_| is_address))
                .map(str::to_owned),
            phone: chosen(attributes, "phoneNumbers").and_then(telephone),
            time_zone: text(attributes, "timezone")
                .filter(is_zone)
                .map(str::to_owned),
        }
    }
}

/// A text as a name: one line that is not too long.
fn cut(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(NAME).collect()
}

/// A text that is not blank.
fn text<'a>(whole: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    let text = whole.get(name)?.as_str()?;
    (!text.trim().is_empty()).then_some(text)
}

/// The value that counts of several: the primary one, else the first.
fn chosen<'a>(attributes: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    let values = attributes.get(name)?.as_array()?;
    let primary = values.iter().find(|value| is_primary(value));
    text(primary.or(values.first())?.as_object()?, "value")
}

/// A telephone number without `tel:` and separators, where it is one then.
fn telephone(text: &str) -> Option<String> {
    let bare = match text.get(..4) {
        Some(scheme) if scheme.eq_ignore_ascii_case("tel:") => &text[4..],
        _ => text,
    };
    let is_separator = |c: char| c.is_whitespace() || "-.()/".contains(c);
    let bare: String = bare.chars().filter(|c| !is_separator(*c)).collect();
    check_phone("", &bare).is_ok().then_some(bare)
}

/// The attributes of a person as a request changes them: those that were sent, with what has changed since in rota, and whether
/// `active` is hidden.
pub fn attributes(found: &ProvisionedPerson) -> (Map<String, Value>, bool) {
    let person = &found.person;
    let sent = found.attributes.as_deref();
    let sent = sent.and_then(|sent| serde_json::from_str(sent).ok());
    let mut shown: Map<String, Value> = sent.unwrap_or_default();
    let user_name = found.user_name();
    shown.insert("userName".to_owned(), user_name.into());
    let was_hidden = shown.remove("active") == Some(Value::Null);
    let derived = Derived::of(&shown, user_name);
    // Of somebody whom SCIM has never written everything is shown that is known.
    let is_unwritten = found.attributes.is_none();
    let name = person.display_name.as_deref();
    if is_unwritten || name != Some(&derived.display_name) {
        set(&mut shown, "displayName", name.map(Value::from));
    }
    if person.real_name != derived.real_name {
        let mut whole = match shown.remove("name") {
            Some(Value::Object(whole)) => whole,
            _ => Map::new(),
        };
        let formatted = person.real_name.as_deref().map(Value::from);
        set(&mut whole, "formatted", formatted);
        set(
            &mut shown,
            "name",
            Some(whole.into()).filter(|whole: &Value| whole != &json!({})),
        );
    }
    let one = |value: &Option<String>| {
        let value = value.as_deref()?;
        Some(json!([{ "value": value, "primary": true }]))
    };
    if is_unwritten || person.email != derived.email {
        set(&mut shown, "emails", one(&person.email));
    }
    if found.phone != derived.phone {
        set(&mut shown, "phoneNumbers", one(&found.phone));
    }
    if person.time_zone != derived.time_zone {
        set(
            &mut shown,
            "timezone",
            person.time_zone.as_deref().map(Value::from),
        );
    }
    shown.insert("active".to_owned(), (!person.is_deleted).into());
    (shown, was_hidden && !person.is_deleted)
}

fn set(whole: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(whole.insert(name.to_owned(), value)),
        None => drop(whole.remove(name)),
    }
}

/// A person as SCIM reads them, and whether `active` is hidden: a filter takes what it means. `base` is the address of the edge.
pub fn shown(found: &ProvisionedPerson, base: &str) -> (Map<String, Value>, bool) {
    let (mut shown, hides_active) = attributes(found);
    let id = found.person.id.as_str();
    shown.insert("schemas".to_owned(), json!([USER_SCHEMA]));
    shown.insert("id".to_owned(), id.into());
    let times = &found.times;
    let version = version(&shown, hides_active, times);
    let meta = json!({
        "resourceType": USER.name, "created": times.created_at.to_string(),
        "lastModified": times.changed_at.to_string(),
        "location": format!("{base}{}/{}", USER.endpoint, encode(id)), "version": version
    });
    shown.insert("meta".to_owned(), meta);
    (shown, hides_active)
}

#[cfg(test)]
mod tests;
