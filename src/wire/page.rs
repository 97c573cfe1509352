//! The envelope of collections.

use super::to_i32;
use schemars::JsonSchema;
use serde::Serialize;

/// One page of a collection.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// Empty past the last page.
    pub data: Vec<T>,
    /// From 1.
    pub page: i32,
    /// The largest number of items on a page.
    pub page_size: i32,
    /// Items on all pages.
    pub total_items: i32,
    pub total_pages: i32,
}

impl<T> Page<T> {
    /// A page of a collection of `total` items. `number` starts at 1.
    pub fn new(data: Vec<T>, number: u32, size: u32, total: u64) -> Page<T> {
        let pages = total.div_ceil(u64::from(size.max(1)));
        let whole = |count: u64| to_i32(usize::try_from(count).unwrap_or(usize::MAX));
        Page {
            data,
            page: whole(number.into()),
            page_size: whole(size.into()),
            total_items: whole(total),
            total_pages: whole(pages),
        }
    }

    /// One page of a complete list. `number` starts at 1.
    pub fn of(items: Vec<T>, number: u32, size: u32) -> Page<T> {
        let (total, most) = (items.len() as u64, size as usize);
        let before = (number as usize - 1).saturating_mul(most);
        let data = items.into_iter().skip(before).take(most).collect();
        Page::new(data, number, size, total)
    }

    /// A complete list on one page.
    pub fn whole(items: Vec<T>) -> Page<T> {
        let total = items.len() as u64;
        let size = u32::try_from(total).unwrap_or(u32::MAX).max(1);
        Page::new(items, 1, size, total)
    }

    /// Converts each item.
    pub fn map<U>(self, act: impl FnMut(T) -> U) -> Page<U> {
        Page {
            data: self.data.into_iter().map(act).collect(),
            page: self.page,
            page_size: self.page_size,
            total_items: self.total_items,
            total_pages: self.total_pages,
        }
    }
}
