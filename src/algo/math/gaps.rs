//! Computes what is left of a range without others.

/// Returns the parts of a range that none of `taken` covers. `taken` is in the order of the beginnings.
pub fn gaps<T: Copy + Ord>((first, end): (T, T), taken: impl IntoIterator<Item = (T, T)>) -> Vec<(T, T)> {
    let (mut gaps, mut next) = (Vec::new(), first);
    for (from, to) in taken.into_iter().chain([(end, end)]) {
        let until = from.min(end);
        if next < until {
            gaps.push((next, until));
        }
        next = next.max(to);
    }
    gaps
}

#[cfg(test)]
#[path = "gaps_tests.rs"]
mod tests;
