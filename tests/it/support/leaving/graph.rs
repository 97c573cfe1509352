//! GraphQL as far as documents of queries need it: reads a document, holds it against a schema, and picks what it selects out of
//! whole values.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A field that is selected.
#[derive(Clone, Debug)]
pub struct Field {
    pub alias: String,
    pub name: String,
    pub args: Vec<(String, Input)>,
    directives: Vec<(String, Vec<(String, Input)>)>,
    pub selected: Vec<Field>,
}

#[derive(Clone, Debug)]
pub enum Input {
    Variable(String),
    Plain(Value),
    Object(Vec<(String, Input)>),
}

/// A document with one query.
pub struct Document {
    /// Names and types of the variables.
    pub variables: Vec<(String, String)>,
    pub selected: Vec<Field>,
}

/// The fields of a type, with their arguments and types.
type Fields = BTreeMap<String, (BTreeMap<String, String>, String)>;

/// The types of a schema.
pub struct Schema(BTreeMap<String, Fields>);

struct Tokens<'a> {
    all: Vec<&'a str>,
    at: usize,
}

fn tokens(text: &str) -> Tokens<'_> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() || c == ',' {
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = match c {
            '#' => {
                rest = rest.split_once('\n').map_or("", |(_, after)| after);
                continue;
            }
            '"' => rest[1..].find('"').expect("an end of a text") + 2,
            _ if word(c) || c == '-' => rest[1..]
                .find(|c| !word(c))
                .map_or(rest.len(), |end| end + 1),
            _ => c.len_utf8(),
        };
        all.push(&rest[..end]);
        rest = &rest[end..];
    }
    Tokens { all, at: 0 }
}

impl<'a> Tokens<'a> {
    fn peek(&self) -> &'a str {
        self.all.get(self.at).copied().unwrap_or("")
    }

    fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn has(&mut self, token: &str) -> bool {
        let is_here = self.peek() == token;
        self.at += usize::from(is_here);
        is_here
    }

    fn take(&mut self, token: &str) -> Result<(), String> {
        match self.has(token) {
            true => Ok(()),
            false => Err(format!("{token:?} is missing before {:?}", self.peek())),
        }
    }

    /// A type as it is written, such as `[ID!]!`.
    fn written_type(&mut self) -> String {
        let mut text = String::new();
        while matches!(self.peek(), "[" | "]" | "!") || text.is_empty() || text.ends_with('[') {
            text.push_str(self.next());
        }
        text
    }

    fn input(&mut self) -> Result<Input, String> {
        Ok(match self.next() {
            "$" => Input::Variable(self.next().to_owned()),
            "{" => {
                let mut members = Vec::new();
                while !self.has("}") {
                    let name = self.next().to_owned();
                    self.take(":")?;
                    members.push((name, self.input()?));
                }
                Input::Object(members)
            }
            plain => Input::Plain(
                serde_json::from_str(plain).map_err(|_| format!("{plain} is no value"))?,
            ),
        })
    }

    fn args(&mut self) -> Result<Vec<(String, Input)>, String> {
        let mut args = Vec::new();
        if self.has("(") {
            while !self.has(")") {
                let name = self.next().to_owned();
                self.take(":")?;
                args.push((name, self.input()?));
            }
        }
        Ok(args)
    }

    fn selection(&mut self) -> Result<Vec<Field>, String> {
        let mut fields = Vec::new();
        if !self.has("{") {
            return Ok(fields);
        }
        while !self.has("}") {
            let first = self.next().to_owned();
            if first.is_empty() {
                return Err("the document ends early".to_owned());
            }
            let (alias, name) = match self.has(":") {
                true => (first, self.next().to_owned()),
                false => (first.clone(), first),
            };
            let args = self.args()?;
            let mut directives = Vec::new();
            while self.has("@") {
                let name = self.next().to_owned();
                directives.push((name, self.args()?));
            }
            let selected = self.selection()?;
            fields.push(Field {
                alias,
                name,
                args,
                directives,
                selected,
            });
        }
        Ok(fields)
    }
}

impl Document {
    pub fn read(text: &str) -> Result<Document, String> {
        let mut tokens = tokens(text);
        tokens.take("query")?;
        if !matches!(tokens.peek(), "(" | "{") {
            tokens.next();
        }
        let mut variables = Vec::new();
        if tokens.has("(") {
            while !tokens.has(")") {
                tokens.take("$")?;
                let name = tokens.next().to_owned();
                tokens.take(":")?;
                variables.push((name, tokens.written_type()));
            }
        }
        let selected = tokens.selection()?;
        match tokens.peek() {
            "" => Ok(Document {
                variables,
                selected,
            }),
            more => Err(format!("more than one operation: {more}")),
        }
    }
}

impl Schema {
    /// Reads definitions of types and inputs.
    pub fn read(text: &str) -> Schema {
        let mut tokens = tokens(text);
        let mut types = BTreeMap::new();
        while matches!(tokens.peek(), "type" | "input") {
            tokens.next();
            let name = tokens.next().to_owned();
            tokens.take("{").expect("fields");
            let mut fields = BTreeMap::new();
            while !tokens.has("}") {
                let field = tokens.next().to_owned();
                let mut args = BTreeMap::new();
                if tokens.has("(") {
                    while !tokens.has(")") {
                        let name = tokens.next().to_owned();
                        tokens.take(":").expect("a type");
                        args.insert(name, tokens.written_type());
                    }
                }
                tokens.take(":").expect("a type");
                fields.insert(field, (args, tokens.written_type()));
            }
            types.insert(name, fields);
        }
        Schema(types)
    }

    /// Refuses what the schema does not have.
    pub fn check(&self, document: &Document) -> Result<(), String> {
        let variables = document.variables.iter().cloned().collect();
        self.check_fields("Query", &document.selected, &variables)
    }

    fn check_fields(
        &self,
        of: &str,
        fields: &[Field],
        variables: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        for field in fields {
            let known = self.0.get(of).and_then(|fields| fields.get(&field.name));
            let (args, result) = known.ok_or_else(|| format!("no field {of}.{}", field.name))?;
            for (name, input) in &field.args {
                let wanted = args.get(name);
                let wanted =
                    wanted.ok_or_else(|| format!("no argument {name} of {}", field.name))?;
                self.check_input(wanted, input, variables)?;
            }
            for (name, wanted) in args {
                if wanted.ends_with('!') && !field.args.iter().any(|(given, _)| given == name) {
                    return Err(format!("{} needs {name}", field.name));
                }
            }
            for (name, args) in &field.directives {
                let (true, [(arg, input)]) =
                    (matches!(name.as_str(), "include" | "skip"), &args[..])
                else {
                    return Err(format!("no directive {name}"));
                };
                if arg != "if" {
                    return Err(format!("no argument {arg} of {name}"));
                }
                self.check_input("Boolean!", input, variables)?;
            }
            let base = result.trim_matches(['[', ']', '!']);
            match (self.0.contains_key(base), field.selected.is_empty()) {
                (true, true) => return Err(format!("{} needs a selection", field.name)),
                (false, false) => return Err(format!("{} has no fields", field.name)),
                _ => self.check_fields(base, &field.selected, variables)?,
            }
        }
        Ok(())
    }

    fn check_input(
        &self,
        wanted: &str,
        input: &Input,
        variables: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        let base = wanted.trim_end_matches('!');
        match input {
            Input::Variable(name) => {
                let given = variables
                    .get(name)
                    .ok_or_else(|| format!("no variable {name}"))?;
                match given == wanted
                    || given.trim_end_matches('!') == base && !wanted.ends_with('!')
                {
                    true => Ok(()),
                    false => Err(format!("${name} is {given}, not {wanted}")),
                }
            }
            Input::Object(members) => {
                let known = self
                    .0
                    .get(base)
                    .ok_or_else(|| format!("{wanted} is no object"))?;
                for (name, input) in members {
                    let (_, wanted) = known.get(name).ok_or_else(|| format!("no {base}.{name}"))?;
                    self.check_input(wanted, input, variables)?;
                }
                Ok(())
            }
            Input::Plain(value) => match (base, value) {
                ("Int", Value::Number(_)) | ("Boolean", Value::Bool(_)) => Ok(()),
                ("String" | "ID" | "ISOTimestamp", Value::String(_)) => Ok(()),
                _ => Err(format!("{value} is no {wanted}")),
            },
        }
    }
}

/// The value of an argument.
pub fn value(input: &Input, variables: &Value) -> Value {
    match input {
        Input::Variable(name) => variables[name.as_str()].clone(),
        Input::Plain(value) => value.clone(),
        Input::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, input)| (name.clone(), value(input, variables)));
            Value::Object(members.collect())
        }
    }
}

/// What is selected of a whole value. `resolve` gives the value of a field that has arguments.
pub fn select(
    fields: &[Field],
    whole: &Value,
    variables: &Value,
    resolve: &mut dyn FnMut(&Value, &str, &Value) -> Result<Value, String>,
) -> Result<Value, String> {
    if let Value::Array(all) = whole {
        let all = all
            .iter()
            .map(|one| select(fields, one, variables, resolve));
        return Ok(Value::Array(all.collect::<Result<_, _>>()?));
    }
    if fields.is_empty() || whole.is_null() {
        return Ok(whole.clone());
    }
    let mut picked = Map::new();
    for field in fields {
        let is_on = field.directives.iter().all(|(name, args)| {
            let is_true = value(&args[0].1, variables) == json!(true);
            is_true == (name == "include")
        });
        if !is_on {
            continue;
        }
        let args = value(&Input::Object(field.args.clone()), variables);
        let inner = match field.args.is_empty() {
            true => whole[field.name.as_str()].clone(),
            false => resolve(whole, &field.name, &args)?,
        };
        let inner = select(&field.selected, &inner, variables, resolve)?;
        picked.insert(field.alias.clone(), inner);
    }
    Ok(Value::Object(picked))
}
