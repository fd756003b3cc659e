use std::borrow::Cow;

use super::timeline::MOST;
use super::*;
use crate::backend::{Fill, Op, OpKind, Place, Span};
use crate::core::order::accesses::{Access, Mode};
use crate::operation;

fn allocation(what: What, len: usize) -> Operation {
    Operation::new(what, None, None, &[Access { addr: 4096, end: 4096 + len, mode: Mode::Write }])
}

fn timeline(operations: &[(Operation, Option<&Label>)]) -> Timeline {
    let (mut timeline, began) = (Timeline::default(), Instant::now());
    operations.iter().for_each(|(operation, label)| timeline.add(operation, *label, began, &mut About::now()));
    timeline
}

#[test]
fn memory_in_use_includes_operations_that_are_not_shown() {
    operation::record_details(true);
    let mut all = vec![(allocation(What::Allocates, 100), None), (allocation(What::Frees, 30), None)];
    let few = timeline(&all);
    assert_eq!((few.forgotten, few.memory_before), (0, 0));
    all.extend((0..MOST).map(|_| (allocation(What::Allocates, 1), None)));
    let many = timeline(&all);
    assert_eq!((many.forgotten, many.memory_before), (2, 70));
    assert_eq!(many.operations.len(), MOST);
}

#[test]
fn each_thread_has_a_row() {
    operation::record_details(true);
    let (mut timeline, began) = (Timeline::default(), Instant::now());
    let operation = allocation(What::Allocates, 1);
    let mut add = || timeline.add(&operation, None, began, &mut About::now());
    add();
    std::thread::scope(|scope| scope.spawn(&mut add).join()).unwrap();
    add();
    let json = serde_json::to_value(&timeline).unwrap();
    assert_eq!(json["threads"].as_array().unwrap().len(), 2);
    let rows: Vec<_> = (0..3).map(|index| json["operations"][index]["thread"].as_u64().unwrap()).collect();
    assert_eq!(rows, [0, 1, 0]);
}

#[test]
fn an_operation_has_its_title_bytes_and_time() {
    let dst = Span { addr: 4096, len: 64, place: Place::Device(0) };
    IS_WANTED.store(true, Ordering::Relaxed);
    let label = Label::of(&Op::Fill(Fill::bytes(dst, 1))).unwrap();
    let operation = allocation(What::Accesses(OpKind::Fill), 64);
    let mut timeline = timeline(&[(operation.clone(), None), (operation, Some(&label))]);
    timeline.took(label.number.get().unwrap(), 32);
    // A number that is not there changes nothing.
    timeline.took(2, 33);
    let json = serde_json::to_value(&timeline).unwrap();
    assert_eq!(json["operations"][0]["what"], "fill");
    assert_eq!(json["operations"][0].get("took"), None);
    assert_eq!(json["operations"][1]["bytes"], 64);
    assert_eq!(json["operations"][1]["took"], 32);
    assert!(Label::of(&Op::Mark).is_none());
    assert_eq!(timeline.operations[1].what, Cow::Borrowed("fill"));
}

#[test]
fn no_text_of_the_program_is_markup_or_a_place_of_the_template() {
    let mut about = About::now();
    about.command = vec!["a </script><b> & \"c\" 'd' @SCRIPT@".to_owned()];
    let page = text(&about, &["{\"what\":\"<i>\"}".to_owned()], &Timeline::default(), "1 race <u>");
    for tag in ["<b>", "<i>", "<u>"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(page.contains(STYLE) && page.ends_with("</html>\n"));
    let data = page.split_once("type=\"application/json\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data[0][0]["command"][0], about.command[0]);
    assert_eq!(data[0][1], "1 race <u>");
    assert_eq!(data[1][0]["what"], "<i>");
}

#[test]
fn a_command_line_has_one_part_for_each_argument() {
    assert_eq!(about::command(b"./a\0-n\0\0x y\0"), ["./a", "-n", "", "x y"]);
    assert_eq!(about::command(b""), [""]);
}

#[test]
fn the_template_has_each_place_once_and_in_order() {
    let found: Vec<usize> = PLACES.iter().flat_map(|place| TEMPLATE.match_indices(place).map(|(at, _)| at)).collect();
    assert_eq!(found.len(), PLACES.len());
    assert!(found.is_sorted());
}
