//! What the page shows of an operation.

use std::cell::Cell;

use crate::backend::Op;
use crate::backend::trace::What;

/// An operation as the page names it.
pub(crate) struct Label {
    pub(super) title: String,
    /// A category, by which the page chooses a color.
    pub(super) kind: &'static str,
    /// The bytes that it moves or writes, if known.
    pub(super) bytes: Option<u64>,
    /// Whether it takes time in its stream.
    pub(super) has_time: bool,
    /// Its number in the timeline, once it is there.
    pub(super) number: Cell<Option<usize>>,
}

impl Label {
    /// Describes an operation, if there is a page.
    pub(crate) fn of(op: &Op<'_>) -> Option<Self> {
        if !super::is_wanted() {
            return None;
        }
        let what = What::of(op);
        let has_time = what.is_some();
        let (title, kind, bytes) = match what {
            Some(what) => {
                let (kind, title) = what.title();
                (title, kind, what.bytes())
            }
            None if matches!(op, Op::Record(_)) => ("record event".to_owned(), "event", None),
            None => return None,
        };
        Some(Self { title, kind, bytes, has_time, number: Cell::new(None) })
    }
}
