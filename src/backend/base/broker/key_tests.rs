use crate::FaultKind;

use super::*;

fn own() -> Process {
    Process::current().expect("this process")
}

#[test]
fn texts_are_short_and_come_back() {
    let largest = Process { id: (1 << 22) - 1, start: (1 << 48) - 1, user: 0, space: u32::MAX };
    for process in [own(), largest] {
        let key = Key::new(&process, u32::MAX, [0xff; 16]);
        let text = key.to_string();
        assert!(text.len() <= MOST_TEXT, "{text}");
        assert!(Key::from_text(text.as_bytes()).unwrap() == key, "{text}");
    }
}

#[test]
fn other_texts_are_no_keys() {
    let good = Key::new(&own(), u32::MAX, [7; 16]).to_string();
    let damaged = [
        String::new(),
        "-".repeat(64),
        good[1..].to_owned(),
        good[..good.len() - 30].to_owned(),
        good.clone() + "0",
        good.clone() + "-0",
        good.replace('-', "_"),
        good.replace("pacl3-", "pacl3--"),
        good.replace("pacl3-", "pacl3-+"),
        good.replace("pacl3-", "pacl1-"),
        good.to_uppercase(),
        "pacl3-0-1-1-1-1".to_owned(),
        "pacl3-ffffffffff-1-1-1-1".to_owned(),
        "pacl3-400000-1-1-1-1".to_owned(),
        format!("pacl3-1-1000000000000-1-1-{}", "0".repeat(20)),
        format!("pacl3-1-1-1-1-1{}", "0".repeat(20)),
    ];
    for text in damaged {
        let fault = Key::from_text(text.as_bytes()).err().expect("an error");
        assert_eq!(fault.kind(), FaultKind::InvalidArgument, "{text}");
    }
    assert!(Key::from_text(&[0xff; 20]).is_err());
}

#[test]
fn numbers_name_what_the_key_does() {
    let key = Key::new(&own(), u32::MAX, [0xa5; 16]);
    let number = Key::from_number(key.number()).unwrap();
    assert!(number.names(&key) && number.number() == key.number());
    assert!(!Key::from_number(key.number() ^ 1).unwrap().names(&key));
    assert!(Key::from_number(0).is_err());
    assert!(number.is_current_process().unwrap() && key.is_current_process().unwrap());
}

#[test]
fn keys_of_other_hosts_and_processes_are_rejected() {
    let own = own();
    let other = |change: fn(&mut Process)| {
        let mut process = own.clone();
        change(&mut process);
        let key = Key::new(&process, u32::MAX, [3; 16]);
        [key, Key::from_number(key.number()).unwrap()].map(|key| key.exporter(&own).err().map(|fault| fault.kind()))
    };
    let unsupported = Some(FaultKind::Unsupported);
    assert_eq!(other(|process| process.space ^= 1), [unsupported; 2]);
    // A number does not contain the start time of its process.
    let ended = Some(FaultKind::InvalidArgument);
    assert_eq!(other(|process| process.start += 1), [ended, None]);
    assert_eq!(other(|process| process.id = (1 << 22) - 1), [ended; 2]);
}
