//! Sentences that say why shifts moved.

use crate::domain::ids::UserId;
use crate::domain::time::Interval;
use serde::{Deserialize, Serialize};

/// Words with people by their ids and times as instants, which are written for each reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sentence(pub Vec<Word>);

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Word {
    Text(String),
    Person(UserId),
    Period(Interval),
}

impl Sentence {
    /// The sentence with a word behind it.
    pub fn and(mut self, word: impl Into<Word>) -> Sentence {
        self.0.push(word.into());
        self
    }

    /// The sentence with more behind it.
    pub fn then(mut self, mut more: Sentence) -> Sentence {
        self.0.append(&mut more.0);
        self
    }

    /// The people in it.
    pub fn people(&self) -> impl Iterator<Item = &UserId> {
        self.0.iter().filter_map(|word| match word {
            Word::Person(user) => Some(user),
            Word::Text(_) | Word::Period(_) => None,
        })
    }
}

impl<T: Into<Word>> From<T> for Sentence {
    fn from(word: T) -> Sentence {
        Sentence(vec![word.into()])
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Word {
        Word::Text(text.to_owned())
    }
}

impl From<String> for Word {
    fn from(text: String) -> Word {
        Word::Text(text)
    }
}

impl From<&UserId> for Word {
    fn from(user: &UserId) -> Word {
        Word::Person(user.clone())
    }
}

impl From<Interval> for Word {
    fn from(period: Interval) -> Word {
        Word::Period(period)
    }
}
