//! Where the program made a call, as text.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::{MOST_KEPT, Stack};

/// The results of [`place`], because names are slow to find. It is cleared when it is large.
static PLACES: Mutex<Option<HashMap<Stack, Box<str>>>> = Mutex::new(None);

/// Returns the function of the program that made this call, as text: empty if it is unknown.
pub fn place() -> Box<str> {
    let stack = Stack::here();
    if let Some(known) = PLACES.lock().as_ref().and_then(|places| places.get(&stack)) {
        return known.clone();
    }
    let found: Box<str> = stack.frames().first().map_or_else(String::new, ToString::to_string).into();
    let mut places = PLACES.lock();
    let places = places.get_or_insert_default();
    if places.len() == MOST_KEPT {
        places.clear();
    }
    places.insert(stack, found.clone());
    found
}
