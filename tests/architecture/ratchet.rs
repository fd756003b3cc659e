//! Limits, and the list of subjects above a limit. The list only gets shorter: listed subjects may not grow, and
//! other subjects may not exceed the limit.

use std::collections::BTreeMap;

use super::size::Sizes;

/// The list of violations: `RULE<tab>SUBJECT<tab>SIZE` in each line.
pub const LIST: &str = "tests/data/architecture-ratchet.tsv";

/// The rows of one rule.
pub fn rows(list: &str, rule: &str) -> Sizes {
    list.lines()
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let (of, subject, size) = (cells.next()?, cells.next()?, cells.next()?);
            (of == rule).then(|| (subject.to_owned(), size.parse().expect(line)))
        })
        .collect()
}

/// Violations of a rule: sizes above the limit that the list does not allow, and rows that are not needed any more.
pub fn violations(rule: &str, sizes: &Sizes, limit: usize, allowed: &Sizes) -> Vec<String> {
    let mut found = Vec::new();
    for (subject, &size) in sizes.iter().filter(|(_, size)| **size > limit) {
        match allowed.get(subject) {
            None => found.push(format!("{rule}: {subject}: {size}; {limit} is the most")),
            Some(&most) if size > most => {
                found.push(format!("{rule}: {subject}: {size}, more than {most} in {LIST}"));
            }
            Some(_) => {}
        }
    }
    for subject in allowed.keys() {
        if sizes.get(subject).is_none_or(|size| *size <= limit) {
            found.push(format!(
                "{rule}: {subject} is gone or within {limit}: take its row out of {LIST} \
                 (RATCHET=update cargo test --test architecture does that)"
            ));
        }
    }
    found
}

/// The rows of a rule after an update: smaller sizes, fewer subjects. A file that has moved keeps the row of the
/// missing file with the same name. Long files are rounded up to a multiple of ten, so that one more comment is no
/// violation.
pub fn shrunk(sizes: &Sizes, limit: usize, allowed: &Sizes) -> Sizes {
    let short = |subject: &str| subject.rsplit('/').next().unwrap().to_owned();
    let gone = allowed.iter().filter(|(subject, _)| !sizes.contains_key(*subject));
    let moved: BTreeMap<String, usize> = gone.map(|(s, size)| (short(s), *size)).collect();
    sizes
        .iter()
        .filter(|(_, size)| **size > limit)
        .filter_map(|(subject, &size)| {
            let most = allowed.get(subject).or_else(|| moved.get(&short(subject)))?;
            let size = if size > 100 { size.next_multiple_of(10) } else { size };
            Some((subject.clone(), size.min(*most)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(rows: &[(&str, usize)]) -> Sizes {
        rows.iter().map(|(subject, size)| ((*subject).to_owned(), *size)).collect()
    }

    #[test]
    fn limits_hold_but_for_the_list() {
        let check = |now, listed| violations("lines", &sizes(&[("a.rs", now)]), 10, &sizes(listed)).len();
        assert_eq!(check(10, &[]), 0);
        assert_eq!(check(11, &[]), 1);
        assert_eq!(check(11, &[("a.rs", 12)]), 0);
        assert_eq!(check(12, &[("a.rs", 12)]), 0);
        assert_eq!(check(13, &[("a.rs", 12)]), 1);
        assert_eq!(check(10, &[("a.rs", 12)]), 1, "a row too many");
        assert_eq!(check(10, &[("gone.rs", 12)]), 1, "a row of a file that is gone");
    }

    #[test]
    fn the_list_only_shrinks() {
        let listed = sizes(&[("x/a.rs", 12), ("x/b.rs", 12), ("x/c.rs", 12)]);
        let now = sizes(&[("x/a.rs", 11), ("y/b.rs", 13), ("x/c.rs", 9), ("x/new.rs", 20)]);
        assert_eq!(shrunk(&now, 10, &listed), sizes(&[("x/a.rs", 11), ("y/b.rs", 12)]));
        let rounded = shrunk(&sizes(&[("a.rs", 451)]), 400, &sizes(&[("a.rs", 500)]));
        assert_eq!(rounded, sizes(&[("a.rs", 460)]));
    }

    #[test]
    fn rows_are_read_by_rule() {
        let list = "rule\tsubject\tsize\nlines\ta.rs\t12\nfiles\ta\t16\n";
        assert_eq!(rows(list, "lines"), sizes(&[("a.rs", 12)]));
        assert_eq!(rows(list, "cycle"), sizes(&[]));
    }
}
