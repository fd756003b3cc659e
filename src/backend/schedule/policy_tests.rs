use super::*;

const HOST: Actor = Actor::Thread(0);
const FIRST: Actor = Actor::Stream(0);
const SECOND: Actor = Actor::Stream(1);

/// Returns which actor goes on at each step if all can.
fn order(text: &str, steps: usize) -> Vec<Actor> {
    let mut policy = Policy::new(Settings::parse(text, None).unwrap());
    let all = [HOST, FIRST, SECOND];
    (0..steps).map(|_| all[policy.choose(&all).0]).collect()
}

#[test]
fn lazy_and_eager_say_whether_the_program_or_its_streams_go_first() {
    assert_eq!(order("lazy", 2), [HOST, HOST]);
    assert_eq!(order("eager", 2), [FIRST, FIRST]);
}

#[test]
fn the_one_that_would_go_on_falls_behind_all_others_at_a_change_point() {
    assert_eq!(order("lazy,at:2", 4), [HOST, FIRST, FIRST, FIRST]);
    assert_eq!(order("lazy,at:2+3", 4), [HOST, FIRST, SECOND, SECOND]);
    assert_eq!(order("eager,at:1+2+4", 4), [SECOND, HOST, HOST, FIRST]);
}

#[test]
fn a_seed_is_always_the_same_order_and_seeds_differ() {
    let orders: Vec<_> = (0..64).map(|seed| order(&format!("seed:{seed}"), 40)).collect();
    assert_eq!(orders[5], order("seed:5", 40));
    for actor in [HOST, FIRST, SECOND] {
        assert!(orders.iter().filter(|order| order[0] == actor).count() > 8, "{actor:?} is rarely first");
    }
    assert!(orders.iter().any(|order| order.iter().any(|actor| *actor != order[0])), "no change points");
    assert!(order("seed:5,at:none", 40).iter().all(|actor| *actor == order("seed:5,at:none", 1)[0]));
}

#[test]
fn steps_count_only_where_there_is_a_choice() {
    let mut policy = Policy::new(Settings::parse("lazy,at:1", None).unwrap());
    assert_eq!(policy.choose(&[HOST]), (0, None));
    assert_eq!(policy.choose(&[HOST, FIRST]), (1, Some(1)));
}

#[test]
fn a_thread_that_only_asks_does_not_keep_streams_from_going_on() {
    let mut policy = Policy::new(Settings::parse("lazy", None).unwrap());
    let all = [HOST, FIRST];
    assert!((1..PATIENCE).all(|_| policy.choose(&all).0 == 0));
    assert_eq!(policy.choose(&all).0, 1);
    // New work means that the thread does not only query.
    let mut policy = Policy::new(Settings::parse("lazy", None).unwrap());
    for _ in 0..2 * PATIENCE {
        assert_eq!(policy.choose(&all).0, 0);
        policy.note_work();
    }
}

#[test]
fn what_is_no_schedule_is_refused() {
    for text in
        ["", "1", "seed", "seed:", "seed:-1", "seed:x", "lazy,", "lazy,at:", "eager,at:0", "seed:1,at:2,3", "Lazy"]
    {
        assert_eq!(Settings::parse(text, None), None, "{text}");
    }
    assert_eq!(Settings::parse("lazy", None), Settings::parse("lazy,at:none", None));
}
