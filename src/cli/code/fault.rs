//! What is wrong in a file, with its place.

use crate::wire::strict::nearest;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A file by the name that it was given with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source(Rc<str>);

impl Source {
    pub fn new(name: &str) -> Source {
        Source(name.into())
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    pub fn is_json(&self) -> bool {
        self.0.ends_with(".json")
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub source: Source,
    /// From 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.source.name(), self.line)
    }
}

/// Something wrong in a file: where, in which member, and what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub place: Place,
    /// Its path in the file, such as `rotation.window.covered`; empty where it is the file.
    pub key: String,
    pub what: String,
}

impl Fault {
    pub fn new(source: &Source, line: usize, key: &str, what: impl Into<String>) -> Fault {
        Fault {
            place: Place {
                source: source.clone(),
                line,
            },
            key: key.to_owned(),
            what: what.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { place, key, what } = self;
        match key.is_empty() {
            true => write!(f, "{place}: {what}"),
            false => write!(f, "{place}: {key}: {what}"),
        }
    }
}

/// What is wrong in a file, gathered so that all of it is said at once.
#[derive(Debug)]
pub struct Faults {
    source: Source,
    found: RefCell<Vec<Fault>>,
}

impl Faults {
    pub fn new(source: Source) -> Faults {
        Faults {
            source,
            found: RefCell::default(),
        }
    }

    pub fn add(&self, line: usize, key: &str, what: impl Into<String>) {
        let fault = Fault::new(&self.source, line, key, what);
        self.found.borrow_mut().push(fault);
    }

    pub fn into_found(self) -> Vec<Fault> {
        self.found.into_inner()
    }
}

/// Advice for a name that is not known: the nearest one that is, else the first of them.
pub fn advice(name: &str, known: &[&str]) -> String {
    const SHOWN: usize = 40;
    match nearest(name, known) {
        Some(near) => format!("did you mean {near}?"),
        None if known.is_empty() => "there is none".to_owned(),
        None if known.len() > SHOWN => format!("known are {}, ...", known[..SHOWN].join(", ")),
        None => format!("known are {}", known.join(", ")),
    }
}
