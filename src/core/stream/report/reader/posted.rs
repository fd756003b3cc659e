//! A list of launched callbacks. The callbacks are its entries, so that a delivery needs no memory.

use super::LaunchedCallback;

/// Callbacks in the order in which they were added.
#[derive(Default)]
pub(super) struct Posted {
    /// The first ones, the first one first.
    first: Option<Box<LaunchedCallback>>,
    /// The rest, the last one first.
    last: Option<Box<LaunchedCallback>>,
    len: usize,
}

impl Posted {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a callback after all others.
    pub(super) fn push(&mut self, callback: Box<LaunchedCallback>) {
        link(&mut self.last, callback);
        self.len += 1;
    }

    /// Removes the first one.
    pub(super) fn pop(&mut self) -> Option<Box<LaunchedCallback>> {
        if self.first.is_none() {
            while let Some(callback) = unlink(&mut self.last) {
                link(&mut self.first, callback);
            }
        }
        let callback = unlink(&mut self.first)?;
        self.len -= 1;
        Some(callback)
    }
}

impl Drop for Posted {
    /// Drops one after the other, because the drop of a long list would need a deep stack.
    fn drop(&mut self) {
        while let Some(callback) = self.pop() {
            drop(callback);
        }
    }
}

fn link(list: &mut Option<Box<LaunchedCallback>>, mut callback: Box<LaunchedCallback>) {
    callback.next = list.take();
    *list = Some(callback);
}

fn unlink(list: &mut Option<Box<LaunchedCallback>>) -> Option<Box<LaunchedCallback>> {
    let mut callback = list.take()?;
    *list = callback.next.take();
    Some(callback)
}
