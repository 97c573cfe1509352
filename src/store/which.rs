//! Statements that read rows of one rotation, or of several at once: many rotations take a third of the time together.

use super::{ReadTx, Result, rows};
use crate::domain::ids::RotationId;
use rusqlite::{Row, ToSql};
use std::collections::HashMap;

/// A statement for one rotation and for several. It is given in two parts, around the comparison of its column with the ids;
/// the first column that it selects is the id of the rotation.
macro_rules! of_rotations {
    ($before:literal, $after:literal) => {
        [
            concat!($before, " = ?1", $after),
            concat!($before, " IN (SELECT value FROM json_each(?1))", $after),
        ]
    };
}
pub(super) use of_rotations;

/// The rotations that rows are read of.
pub(super) struct Which<'a> {
    /// The id, or the ids as a list in JSON.
    key: String,
    /// The place of each, where there are several.
    places: HashMap<&'a str, usize>,
    count: usize,
}

impl<'a> Which<'a> {
    pub(super) fn of(ids: &'a [RotationId]) -> Result<Which<'a>> {
        let key = match ids {
            [one] => one.to_string(),
            ids => {
                let ids: Vec<&str> = ids.iter().map(RotationId::as_str).collect();
                rows::json(&ids)?
            }
        };
        let several = ids.iter().enumerate().filter(|_| ids.len() > 1);
        Ok(Which {
            key,
            places: several.map(|(place, id)| (id.as_str(), place)).collect(),
            count: ids.len(),
        })
    }

    /// The rows of each rotation, in the order of the ids, and in the order of the statement. `read` gets the place of the rotation
    /// among the ids.
    pub(super) fn read<T>(
        &self,
        tx: &ReadTx,
        sql: [&str; 2],
        more: &[&dyn ToSql],
        mut read: impl FnMut(usize, &Row) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        let mut found = Vec::with_capacity(self.count);
        found.resize_with(self.count, Vec::new);
        let mut query = (tx.conn).prepare_cached(sql[usize::from(self.count != 1)])?;
        query.raw_bind_parameter(1, &self.key)?;
        for (value, index) in more.iter().zip(2..) {
            query.raw_bind_parameter(index, value)?;
        }
        let mut rows = query.raw_query();
        while let Some(row) = rows.next()? {
            let place = match self.count {
                1 => Some(0),
                _ => {
                    let id = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
                    self.places.get(id).copied()
                }
            };
            if let Some(place) = place {
                found[place].push(read(place, row)?);
            }
        }
        Ok(found)
    }
}
