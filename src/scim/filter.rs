//! Filters (RFC 7644, 3.4.2.2): their grammar, and what they match.

use super::schema::{Attribute, Kind, Name, Resource, resolve};
use jiff::Timestamp;
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

/// The longest filter, in bytes.
const LONGEST: usize = 8_000;

/// How deep parentheses, `not` and brackets may be nested.
const DEEPEST: usize = 40;

/// A filter.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    And(Box<Filter>, Box<Filter>),
    Or(Box<Filter>, Box<Filter>),
    Not(Box<Filter>),
    Present(Name),
    Compare(Name, Operator, Literal),
    /// `emails[type eq "work"]`: whether any value matches.
    Within(Name, Box<Filter>),
}

/// How an attribute is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Equal,
    NotEqual,
    Contains,
    StartsWith,
    EndsWith,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

const OPERATORS: [(&str, Operator); 9] = [
    ("eq", Operator::Equal),
    ("ne", Operator::NotEqual),
    ("co", Operator::Contains),
    ("sw", Operator::StartsWith),
    ("ew", Operator::EndsWith),
    ("gt", Operator::Greater),
    ("ge", Operator::GreaterOrEqual),
    ("lt", Operator::Less),
    ("le", Operator::LessOrEqual),
];

/// What an attribute is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Text(String),
    Flag(bool),
    Number(Number),
    Null,
}

/// What is wrong with a filter.
pub type Wrong = String;

/// Reads a filter.
///
/// # Errors
/// What is wrong with it, and where.
pub fn parse(text: &str) -> Result<Filter, Wrong> {
    let mut reader = Reader::new(text)?;
    let filter = reader.any(0, true)?;
    reader.end()?;
    Ok(filter)
}

/// Reads a filter from a text.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// # Errors
    /// If the text is too long.
    pub(super) fn new(text: &'a str) -> Result<Reader<'a>, Wrong> {
        match text.len() > LONGEST {
            true => Err(format!("it is longer than {LONGEST} bytes")),
            false => Ok(Reader { text, at: 0 }),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn wrong<T>(&self, expected: &str) -> Result<T, Wrong> {
        let place = self.text[..self.at].chars().count();
        let found: String = self.rest().chars().take(20).collect();
        match found.is_empty() {
            true => Err(format!("it ends where {expected} should be")),
            false => Err(format!(
                "{expected} should be at character {place}, not {found:?}"
            )),
        }
    }

    /// Skips blanks; answers whether there were any.
    fn blanks(&mut self) -> bool {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(' ').len();
        rest.starts_with(' ')
    }

    /// # Errors
    /// If anything is left.
    pub(super) fn end(&mut self) -> Result<(), Wrong> {
        self.blanks();
        match self.rest().is_empty() {
            true => Ok(()),
            false => self.wrong("the end, \"and\" or \"or\""),
        }
    }

    /// Takes a character if it is next.
    pub(super) fn takes(&mut self, wanted: char) -> bool {
        let is_next = self.rest().starts_with(wanted);
        self.at += if is_next { wanted.len_utf8() } else { 0 };
        is_next
    }

    /// The word that is next, up to a blank or a bracket.
    pub(super) fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find([' ', '(', ')', '[', ']', '"'])
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes a word, in any case, if it is next and ends there.
    fn takes_word(&mut self, wanted: &str) -> bool {
        let before = self.at;
        let is_next = self.word().eq_ignore_ascii_case(wanted);
        if !is_next {
            self.at = before;
        }
        is_next
    }

    /// Terms between `or`. Within brackets there are no further ones.
    pub(super) fn any(&mut self, depth: usize, brackets: bool) -> Result<Filter, Wrong> {
        let mut found = self.all(depth, brackets)?;
        while self.joined("or")? {
            let other = self.all(depth, brackets)?;
            found = Filter::Or(Box::new(found), Box::new(other));
        }
        Ok(found)
    }

    fn all(&mut self, depth: usize, brackets: bool) -> Result<Filter, Wrong> {
        let mut found = self.term(depth, brackets)?;
        while self.joined("and")? {
            let other = self.term(depth, brackets)?;
            found = Filter::And(Box::new(found), Box::new(other));
        }
        Ok(found)
    }

    /// Takes a word between two terms, with the blanks around it.
    fn joined(&mut self, word: &str) -> Result<bool, Wrong> {
        let before = self.at;
        if self.blanks() && self.takes_word(word) {
            let more = self.blanks() || self.rest().starts_with('(');
            return if more {
                Ok(true)
            } else {
                self.wrong("a blank")
            };
        }
        self.at = before;
        Ok(false)
    }

    fn term(&mut self, depth: usize, brackets: bool) -> Result<Filter, Wrong> {
        if depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} deep"));
        }
        self.blanks();
        if self.takes('(') {
            return self.in_parentheses(depth, brackets);
        }
        let before = self.at;
        let word = self.word();
        if word.eq_ignore_ascii_case("not") {
            self.blanks();
            if self.takes('(') {
                let inner = self.in_parentheses(depth, brackets)?;
                return Ok(Filter::Not(Box::new(inner)));
            }
        }
        let Some(name) = Name::parse(word) else {
            self.at = before;
            return self.wrong("an attribute");
        };
        if self.rest().starts_with('[') {
            if !brackets || name.part.is_some() {
                return self.wrong("an operator");
            }
            return Ok(Filter::Within(name, Box::new(self.in_brackets(depth)?)));
        }
        if !self.blanks() {
            return self.wrong("an operator");
        }
        let before = self.at;
        let word = self.word();
        if word.eq_ignore_ascii_case("pr") {
            return Ok(Filter::Present(name));
        }
        let operator = OPERATORS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(word));
        let Some((_, operator)) = operator else {
            self.at = before;
            return self.wrong("an operator such as eq");
        };
        if !self.blanks() {
            return self.wrong("a value");
        }
        Ok(Filter::Compare(name, *operator, self.literal()?))
    }

    fn in_parentheses(&mut self, depth: usize, brackets: bool) -> Result<Filter, Wrong> {
        let inner = self.any(depth + 1, brackets)?;
        self.blanks();
        match self.takes(')') {
            true => Ok(inner),
            false => self.wrong("\")\""),
        }
    }

    /// What stands in brackets, which are next.
    pub(super) fn in_brackets(&mut self, depth: usize) -> Result<Filter, Wrong> {
        self.takes('[');
        let inner = self.any(depth + 1, false)?;
        self.blanks();
        match self.takes(']') {
            true => Ok(inner),
            false => self.wrong("\"]\""),
        }
    }

    fn literal(&mut self) -> Result<Literal, Wrong> {
        if self.rest().starts_with('"') {
            return self.quoted();
        }
        let before = self.at;
        let word = self.word();
        match word.to_ascii_lowercase().as_str() {
            "true" => return Ok(Literal::Flag(true)),
            "false" => return Ok(Literal::Flag(false)),
            "null" => return Ok(Literal::Null),
            _ => {}
        }
        match serde_json::from_str(word) {
            Ok(Value::Number(number)) => Ok(Literal::Number(number)),
            _ => {
                self.at = before;
                self.wrong("a text in quotes, a number, true, false or null")
            }
        }
    }

    fn quoted(&mut self) -> Result<Literal, Wrong> {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, letter)| {
            let ends = *letter == '"' && !escaped;
            escaped = *letter == '\\' && !escaped;
            ends
        });
        let Some((end, _)) = end else {
            return self.wrong("a text that ends with a quote");
        };
        match serde_json::from_str(&rest[..=end]) {
            Ok(text) => {
                self.at += end + 1;
                Ok(Literal::Text(text))
            }
            Err(_) => self.wrong("a text in quotes, as in JSON"),
        }
    }
}

impl Filter {
    /// Refuses names that none of these resources has, and comparisons that their attributes do not have.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, resources: &[&'static Resource]) -> Result<(), Wrong> {
        let find = |name: &Name| {
            let found = resources
                .iter()
                .find_map(|resource| resolve(resource, name));
            found.ok_or_else(|| format!("there is no attribute {}", shown(name)))
        };
        match self {
            Filter::And(one, other) | Filter::Or(one, other) => {
                one.check(resources)?;
                other.check(resources)
            }
            Filter::Not(inner) => inner.check(resources),
            Filter::Present(name) => find(name).map(drop),
            Filter::Compare(name, operator, literal) => {
                let (attribute, part) = find(name)?;
                check_comparison(compared(attribute, part), *operator, literal)
                    .map_err(|why| format!("{}: {why}", shown(name)))
            }
            Filter::Within(name, inner) => {
                let (attribute, _) = find(name)?;
                inner.check_parts(attribute)
            }
        }
    }

    /// The same of what stands in brackets behind an attribute.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check_parts(&self, attribute: &Attribute) -> Result<(), Wrong> {
        let find = |name: &Name| match (&name.uri, &name.part) {
            (None, None) => attribute
                .part(&name.attribute)
                .ok_or_else(|| format!("{} has no part {}", attribute.name, name.attribute)),
            _ => Err(format!("{} is no part of {}", shown(name), attribute.name)),
        };
        match self {
            Filter::And(one, other) | Filter::Or(one, other) => {
                one.check_parts(attribute)?;
                other.check_parts(attribute)
            }
            Filter::Not(inner) => inner.check_parts(attribute),
            Filter::Present(name) => find(name).map(drop),
            Filter::Compare(name, operator, literal) => {
                check_comparison(Some(find(name)?), *operator, literal)
            }
            Filter::Within(..) => Err("brackets do not stand in brackets".to_owned()),
        }
    }

    /// Whether a resource matches.
    pub fn matches(&self, resource: &'static Resource, shown: &Map<String, Value>) -> bool {
        match self {
            Filter::And(one, other) => {
                one.matches(resource, shown) && other.matches(resource, shown)
            }
            Filter::Or(one, other) => {
                one.matches(resource, shown) || other.matches(resource, shown)
            }
            Filter::Not(inner) => !inner.matches(resource, shown),
            Filter::Present(name) => values(resource, name, shown)
                .iter()
                .any(|value| is_there(value)),
            Filter::Compare(name, operator, literal) => {
                let found = resolve(resource, name);
                let kind = found.and_then(|(attribute, part)| compared(attribute, part));
                compare(kind, &values(resource, name, shown), *operator, literal)
            }
            Filter::Within(name, inner) => match resolve(resource, name) {
                None => false,
                Some((attribute, _)) => {
                    let whole = shown.get(attribute.name);
                    each(whole).any(|value| inner.matches_value(attribute, value))
                }
            },
        }
    }

    /// Whether one value of a complex attribute matches what stands in brackets.
    pub fn matches_value(&self, attribute: &Attribute, value: &Value) -> bool {
        let of = |name: &Name| {
            let part = attribute.part(&name.attribute);
            let found = part.and_then(|part| value.get(part.name));
            (part, each(found).collect::<Vec<_>>())
        };
        match self {
            Filter::And(one, other) => {
                one.matches_value(attribute, value) && other.matches_value(attribute, value)
            }
            Filter::Or(one, other) => {
                one.matches_value(attribute, value) || other.matches_value(attribute, value)
            }
            Filter::Not(inner) => !inner.matches_value(attribute, value),
            Filter::Present(name) => of(name).1.into_iter().any(is_there),
            Filter::Compare(name, operator, literal) => {
                let (part, found) = of(name);
                compare(part, &found, *operator, literal)
            }
            Filter::Within(..) => false,
        }
    }

    /// The parts that this says a value has: its `eq`s, where all of it must be so.
    pub fn described(&self, attribute: &Attribute, into: &mut Map<String, Value>) {
        match self {
            Filter::And(one, other) => {
                one.described(attribute, into);
                other.described(attribute, into);
            }
            Filter::Compare(name, Operator::Equal, literal) => {
                if let Some(part) = attribute.part(&name.attribute) {
                    let value = match literal {
                        Literal::Text(text) => Value::from(text.as_str()),
                        Literal::Flag(flag) => Value::from(*flag),
                        Literal::Number(number) => Value::Number(number.clone()),
                        Literal::Null => return,
                    };
                    into.insert(part.name.to_owned(), value);
                }
            }
            _ => {}
        }
    }
}

fn shown(name: &Name) -> String {
    let part = name.part.as_ref().map(|part| format!(".{part}"));
    let uri = name.uri.as_ref().map(|uri| format!("{uri}:"));
    format!(
        "{}{}{}",
        uri.unwrap_or_default(),
        name.attribute,
        part.unwrap_or_default()
    )
}

/// The attribute whose values are compared: of a complex one its `value`; `None` where it has none.
fn compared(
    attribute: &'static Attribute,
    part: Option<&'static Attribute>,
) -> Option<&'static Attribute> {
    let named = part.unwrap_or(attribute);
    match named.kind {
        Kind::Complex(_) => named.part("value"),
        _ => Some(named),
    }
}

fn check_comparison(
    attribute: Option<&Attribute>,
    operator: Operator,
    literal: &Literal,
) -> Result<(), Wrong> {
    use Operator::{Contains, EndsWith, Equal, NotEqual, StartsWith};
    let Some(attribute) = attribute else {
        return Err("it has parts; compare one of them".to_owned());
    };
    let is_equality = matches!(operator, Equal | NotEqual);
    let fits = match (attribute.kind, literal) {
        (_, Literal::Null) => is_equality,
        (Kind::Flag, Literal::Flag(_)) => is_equality,
        // Some providers write truth as text.
        (Kind::Flag, Literal::Text(text)) => is_equality && truth(text).is_some(),
        (Kind::Instant, Literal::Text(text)) => {
            matches!(operator, Contains | StartsWith | EndsWith)
                || text.parse::<Timestamp>().is_ok()
        }
        (Kind::Number, Literal::Number(_)) => !matches!(operator, Contains | StartsWith | EndsWith),
        (Kind::Text | Kind::Exact | Kind::Reference, Literal::Text(_)) => true,
        _ => false,
    };
    match fits {
        true => Ok(()),
        false => Err("it is not compared with such a value in this way".to_owned()),
    }
}

/// `true` and `false` as text.
pub fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The values of an attribute that may have several.
fn each(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    let (list, single) = match value {
        Some(Value::Array(list)) => (list.as_slice(), None),
        other => (&[][..], other),
    };
    list.iter().chain(single)
}

fn values<'a>(
    resource: &'static Resource,
    name: &Name,
    shown: &'a Map<String, Value>,
) -> Vec<&'a Value> {
    let Some((attribute, part)) = resolve(resource, name) else {
        return Vec::new();
    };
    let whole = each(shown.get(attribute.name));
    match (part, attribute.kind) {
        (Some(part), _) => whole.filter_map(|value| value.get(part.name)).collect(),
        (None, _) => whole.collect(),
    }
}

fn is_there(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(parts) => !parts.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Whether any of the values compares so. Where there is none, only what is not equal does.
fn compare(
    attribute: Option<&Attribute>,
    values: &[&Value],
    operator: Operator,
    literal: &Literal,
) -> bool {
    let Some(attribute) = attribute else {
        return operator == Operator::NotEqual;
    };
    let simple = values
        .iter()
        .map(|value| value.get("value").unwrap_or(value));
    let found: Vec<&Value> = simple.filter(|value| !value.is_object()).collect();
    match (literal, operator) {
        (Literal::Null, Operator::Equal) => found.is_empty(),
        (Literal::Null, _) => !found.is_empty(),
        _ if found.is_empty() => operator == Operator::NotEqual,
        _ => found
            .iter()
            .any(|value| holds(attribute.kind, value, operator, literal)),
    }
}

fn holds(kind: Kind, value: &Value, operator: Operator, literal: &Literal) -> bool {
    let ordered = |order: Ordering| match operator {
        Operator::Equal => order.is_eq(),
        Operator::NotEqual => order.is_ne(),
        Operator::Greater => order.is_gt(),
        Operator::GreaterOrEqual => order.is_ge(),
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        Operator::Contains | Operator::StartsWith | Operator::EndsWith => false,
    };
    match (value, literal) {
        (Value::Bool(value), Literal::Flag(other)) => ordered(value.cmp(other)),
        (Value::Bool(value), Literal::Text(other)) => {
            truth(other).is_some_and(|other| ordered(value.cmp(&other)))
        }
        (Value::Number(value), Literal::Number(other)) => {
            let order = value.as_f64().partial_cmp(&other.as_f64());
            order.is_some_and(ordered)
        }
        (Value::String(value), Literal::Text(other)) => {
            let instants = (value.parse::<Timestamp>(), other.parse::<Timestamp>());
            if let (Kind::Instant, (Ok(value), Ok(other))) = (kind, instants) {
                return ordered(value.cmp(&other));
            }
            let folded = |text: &str| match kind {
                Kind::Exact | Kind::Reference => text.to_owned(),
                _ => text.to_lowercase(),
            };
            let (value, other) = (folded(value), folded(other));
            match operator {
                Operator::Contains => value.contains(&other),
                Operator::StartsWith => value.starts_with(&other),
                Operator::EndsWith => value.ends_with(&other),
                _ => ordered(value.cmp(&other)),
            }
        }
        _ => operator == Operator::NotEqual,
    }
}

#[cfg(test)]
mod tests;
