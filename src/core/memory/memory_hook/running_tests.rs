use super::*;

#[test]
fn the_document_says_how_long_a_wait_is() {
    let text = include_str!("../../../../docs/callbacks.md");
    let wait = format!("fails after {} seconds (107000)", PATIENCE.as_secs());
    let longest = format!("fails after {0} to {1} seconds (107000)", PATIENCE.as_secs(), 2 * PATIENCE.as_secs());
    assert!(text.contains(&wait) && text.contains(&longest), "docs/callbacks.md");
}

#[test]
fn a_hook_that_has_ended_is_not_entered() {
    let running = Arc::new(Running::default());
    assert!(running.enter(1) && running.enter(1));
    running.end_and_wait(1).expect("only the caller is inside");
    assert!(!running.enter(2));
    running.leave(1);
    assert_eq!(running.threads(), [1]);
}
