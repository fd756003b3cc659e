use super::*;

/// Whether the stack is deep when this much more of it is in use.
fn is_deep_below(bytes: usize) -> bool {
    const STEP: usize = 64 << 10;
    let step = std::hint::black_box([0_u8; STEP]);
    let is_deep = if bytes == 0 { has_deep_stack() } else { is_deep_below(bytes - STEP) };
    is_deep && step[0] == 0
}

#[test]
fn a_stack_is_deep_while_most_of_it_is_left() {
    let wanted = stack();
    assert!(wanted >= LEAST_STACK);
    let body = move || {
        assert!(is_deep_below(0));
        // The C library may allocate more than the requested size.
        let (low, end) = stack_bounds().unwrap();
        let spare = (end - low).saturating_sub(wanted);
        assert!(!is_deep_below((spare + wanted / 4).next_multiple_of(64 << 10)));
    };
    std::thread::Builder::new().stack_size(wanted).spawn(body).unwrap().join().unwrap();
}

#[test]
fn processors_and_policy_are_those_that_were_fixed() {
    let wanted = Scheduling::of_this_thread();
    let first = |set: &CpuSet| (0..CpuSet::MAX_CPU).find(|&at| set.is_set(at));
    let thread = std::thread::spawn(move || {
        let before = Scheduling::of_this_thread();
        let processors = before.processors.expect("the kernel returns them");
        let mut one = CpuSet::new();
        one.set(first(&processors).expect("one at least"));
        Scheduling { attributes: None, processors: Some(one) }.apply();
        assert_eq!(sched_getaffinity(None).ok(), Some(one));
        wanted.apply();
        assert_eq!(sched_getaffinity(None).ok(), wanted.processors);
        let same = |now: &libc::sched_attr| key(now) == key(&wanted.attributes.unwrap());
        assert!(attributes().is_some_and(|now| same(&now)));
    });
    thread.join().unwrap();
}
