//! Tests what the C++ tests do not check: those read whole traces.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::bit;
use super::file::TraceFile;
use super::json::{Track, about, event};
use super::operation::{HostTimes, Outcome, Times, TimesGuard};

fn read(path: &PathBuf) -> Vec<Value> {
    let Value::Array(events) = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap() else {
        panic!("no array");
    };
    events
}

fn mark(name: &str) -> String {
    let mut text = String::new();
    event('i', "mark", name, Track { pid: 1, tid: 2 }, 1_234_567_008).end(&mut text);
    text
}

#[test]
fn the_file_is_complete_after_each_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let mut file = TraceFile::create(&path, None).unwrap();
    assert_eq!(read(&path).len(), 0);
    for count in 1..=3 {
        file.append(mark("a") + ",\n" + &mark("b")).unwrap();
        assert_eq!(read(&path).len(), 2 * count);
        assert_eq!(file.len(), std::fs::metadata(&path).unwrap().len());
    }
    file.append(String::new()).unwrap();
    assert_eq!(read(&path).len(), 6);
    let end = file.end;
    drop(file);
    TraceFile::create(&path, Some(end)).unwrap().append(mark("c")).unwrap();
    assert_eq!(read(&path).len(), 7, "it goes on");
    TraceFile::create(&path, Some(end)).unwrap().append(mark("d")).unwrap();
    assert_eq!(read(&path).len(), 1, "it is not what it was: begun again");
}

#[test]
fn a_file_that_is_being_written_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let mut first = TraceFile::create(&path, None).unwrap();
    let mut second = TraceFile::create(&path, None).unwrap();
    assert_ne!(first.path, second.path);
    first.append(mark("first")).unwrap();
    second.append(mark("second")).unwrap();
    assert_eq!(read(&path)[0]["name"], "first");
    assert_eq!(read(&second.path)[0]["name"], "second");
}

#[test]
fn a_device_is_shared() {
    let device = Path::new("/dev/null");
    let files = [(); 2].map(|()| TraceFile::create(device, None).unwrap());
    for file in &files {
        assert_eq!(file.path, device);
    }
}

#[test]
fn any_text_is_a_string_of_json() {
    let name = "a \"b\" \\ \n \u{1} \u{e4} \u{1f600}";
    let mut text = String::new();
    let line = event('X', "copy", name, Track { pid: 3, tid: 4 }, 1_002_003_004).with("id", 7);
    line.arg("words", name).arg("bytes", 8u64).end(&mut text);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["name"], name);
    assert_eq!(found["args"]["words"], name);
    assert_eq!(found["args"]["bytes"], 8);
    assert_eq!((&found["pid"], &found["tid"], &found["id"]), (&3.into(), &4.into(), &7.into()));
    assert!(text.contains("\"ts\":1002003.004"), "{text}");
}

#[test]
fn a_line_has_the_members_that_were_set_in_a_fixed_order() {
    assert_eq!(mark("a"), r#"{"ph":"i","pid":1,"tid":2,"name":"a","cat":"mark","ts":1234567.008}"#);
    let mut text = String::new();
    about('M', "a", Track { pid: 1, tid: 2 }).arg("name", "b").end(&mut text);
    assert_eq!(text, r#"{"ph":"M","pid":1,"tid":2,"name":"a","args":{"name":"b"}}"#);
    text.clear();
    let line = event('X', "copy", "b", Track { pid: 3, tid: 4 }, 5_000).with_time("dur", 6);
    line.arg("z", 7u64).arg("a", "c").end(&mut text);
    let members = r#"{"ph":"X","pid":3,"tid":4,"name":"b","cat":"copy","ts":5.000,"dur":0.006,"args":{"z":7,"a":"c"}}"#;
    assert_eq!(text, members);
}

#[test]
fn host_operations_report_completion_or_dropping() {
    let times = Arc::<HostTimes>::default();
    let asked = Times::Host(Arc::clone(&times));
    assert_eq!(asked.query(), Outcome::Pending);
    let guard = TimesGuard(times);
    guard.begin();
    assert!(asked.begun().is_some());
    guard.end();
    assert!(matches!(asked.query(), Outcome::Over(begin, end) if 0 < begin && begin <= end));
    let dropped = Arc::<HostTimes>::default();
    drop(TimesGuard(Arc::clone(&dropped)));
    assert_eq!(Times::Host(dropped).query(), Outcome::Dropped);
}

#[test]
fn devices_have_bits() {
    assert_eq!((bit(0), bit(1), bit(62), bit(70)), (1, 2, 1 << 62, 1 << 62));
}
