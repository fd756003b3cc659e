use super::*;

const MOST: Duration = Duration::from_secs(5);

#[test]
fn a_process_is_refused_later_each_time_and_then_disconnected() {
    let (mut penalties, start) = (Penalties::default(), Instant::now());
    let caller = Caller { id: 7, start: 1 };
    for wrong in 0..MOST_WRONG {
        assert_eq!(penalties.wrong(caller, start, MOST), Some(start + FIRST * 2u32.pow(wrong)));
    }
    assert_eq!(penalties.wrong(caller, start, MOST), None);
    // Another process, and a later one with the same id, begin with nothing.
    for other in [Caller { id: 8, start: 1 }, Caller { id: 7, start: 2 }] {
        assert_eq!(penalties.wrong(other, start, MOST), Some(start + FIRST));
    }
    let later = start + FORGOTTEN * MOST_WRONG * 2;
    assert_eq!(penalties.wrong(caller, later, MOST), Some(later + FIRST));
}

#[test]
fn many_processes_share_a_rate() {
    let (mut penalties, start) = (Penalties::default(), Instant::now());
    let seconds: i32 = 60;
    let mut refused = 0;
    for id in 1..seconds * 1000 {
        let now = start + Duration::from_millis(u64::from(id.cast_unsigned()));
        refused += usize::from(penalties.wrong(Caller { id, start: 1 }, now, MOST).is_some());
    }
    let rate = Duration::from_secs(1).as_millis() / SPACING.as_millis();
    let most = (seconds as u128 + MOST.as_secs() as u128 + AHEAD.as_secs() as u128 + 1) * rate;
    assert!(refused as u128 <= most, "{refused} of {most}");
    assert!(penalties.records.len() <= REMEMBERED);
}
