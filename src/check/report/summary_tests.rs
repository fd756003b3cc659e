use super::*;

#[test]
fn the_summary_names_what_is_left_out_and_why() {
    let mut counts = Counts::default();
    assert_eq!(counts.summary(50, false), "");
    assert_eq!(
        counts.summary(50, true),
        "nothing reported; reports may be missing: the checks dropped some uses of memory because their tables were \
         full"
    );
    *counts.of(FindingKind::Race) = Count { written: 1, ..Count::default() };
    assert_eq!(counts.summary(50, false), "1 race reported");
    *counts.of(FindingKind::Race) = Count { written: 2, repeated: 3, suppressed: 1, beyond_limit: 0 };
    *counts.of(FindingKind::Leak) = Count { beyond_limit: 40, ..Count::default() };
    assert_eq!(
        counts.summary(2, false),
        "2 races reported; left out: 40 leaks beyond the limit of 2 (PORTACL_CHECK_LIMIT), 1 race suppressed by \
         PORTACL_CHECK_SUPPRESS, 3 races repeated at the same places of the program"
    );
    counts.of(FindingKind::Race).written = 0;
    assert!(counts.summary(2, false).starts_with("nothing reported; left out: 40 leaks"));
}

#[test]
fn faults_beyond_the_limit_count() {
    let mut counts = Counts::default();
    counts.of(FindingKind::RedundantWait).written = 1;
    counts.of(FindingKind::RedundantWait).beyond_limit = 3;
    counts.of(FindingKind::LongWait).written = 1;
    assert_eq!(counts.faults(), 0);
    counts.of(FindingKind::Leak).suppressed = 1;
    assert_eq!(counts.faults(), 0);
    counts.of(FindingKind::Leak).beyond_limit = 2;
    assert_eq!(counts.faults(), 2);
}
