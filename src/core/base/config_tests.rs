use super::*;
use crate::base::error::Code;

fn environment(pairs: &[(&str, &str)]) -> Result<Environment> {
    Environment::from(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
}

#[test]
fn an_empty_environment_means_defaults() {
    let read = environment(&[("PORTACL_BACKEND", "")]).unwrap();
    assert!(read.backend.is_none());
    assert!(!read.cpu_always_async && read.cpu_devices.is_none() && read.cpu_memory.is_none());
}

#[test]
fn sizes_have_units() {
    let read = environment(&[("PORTACL_CPU_MEMORY", "512m")]).unwrap();
    assert_eq!(read.cpu_memory, Some(512 << 20));
    for bad in ["1K", "x", "99999999999999999999", "17179869184G"] {
        let error = environment(&[("PORTACL_CPU_MEMORY", bad)]).unwrap_err();
        assert!(error.text().contains(bad), "{error:?}");
    }
}

#[test]
fn stacks_of_threads_have_bounds() {
    for (text, bytes) in [("256K", 256 << 10), ("16m", 16 << 20), ("64G", 64 << 30)] {
        let read = environment(&[("PORTACL_THREAD_STACK", text)]).unwrap();
        assert_eq!(read.thread_stack, Some(bytes));
    }
    assert_eq!(environment(&[]).unwrap().thread_stack, None);
    for bad in ["0", "255K", "65G", "8MB", "-1", "unlimited", "16777216T"] {
        let error = environment(&[("PORTACL_THREAD_STACK", bad)]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidParam);
        let text = error.text();
        assert!(text.contains(bad) && text.contains("256K to 64G"), "{text}");
    }
}

#[test]
fn a_typing_mistake_is_an_error_that_names_the_choices() {
    static BACKENDS: &[&Backend] = &[&portacl_cuda::BACKEND, &portacl_cpu::BACKEND];
    backends::install(BACKENDS);
    let error = environment(&[("PORTACL_BACKEND", "cud")]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidParam);
    assert!(error.text().contains("auto, cpu or cuda"), "{error:?}");
}

#[test]
fn faults_are_off_unless_asked_for() {
    assert!(environment(&[("PORTACL_FAULT", "")]).unwrap().fault.is_none());
    assert!(environment(&[("PORTACL_FAULT", "device.alloc:1")]).unwrap().fault.is_some());
    assert!(environment(&[("PORTACL_FAULT_COUNT", "calls.txt")]).unwrap().fault.is_some());
    let error = environment(&[("PORTACL_FAULT", "device.aloc:1")]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidParam);
    assert!(error.text().contains("device.aloc:1") && error.text().contains("device.alloc,"));
}

#[test]
fn a_schedule_has_a_base_and_steps() {
    assert!(environment(&[("PORTACL_SCHEDULE", "")]).unwrap().schedule.is_none());
    let read = environment(&[("PORTACL_SCHEDULE", "seed:7,at:3+5"), ("PORTACL_SCHEDULE_LOG", "turns.txt")]).unwrap();
    assert_eq!(read.schedule, schedule::Settings::parse("seed:7,at:3+5", Some("turns.txt".into())));
    assert_eq!(read.schedule.unwrap().seed(), 7);
    let error = environment(&[("PORTACL_SCHEDULE", "7")]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidParam);
    assert!(error.text().contains("lazy, eager or seed:N"), "{error:?}");
}

#[test]
fn guard_mode_is_on_or_off() {
    for (text, on) in [("", false), ("0", false), ("1", true)] {
        assert_eq!(environment(&[("PORTACL_CPU_GUARD", text)]).unwrap().cpu_guard, on);
    }
    let error = environment(&[("PORTACL_CPU_GUARD", "yes")]).unwrap_err();
    assert!(error.text().contains("0 or 1"), "{error:?}");
}

#[test]
fn the_process_is_part_of_a_name_where_it_is_asked_for() {
    let process = std::process::id();
    let output = |text: &str| Variables(&|_| Some(text.to_owned())).output("PORTACL_TRACE").unwrap();
    assert_eq!(output("a.json"), PathBuf::from("a.json"));
    assert_eq!(output("/t/%p.json"), PathBuf::from(format!("/t/{process}.json")));
    assert_eq!(output("100%"), PathBuf::from("100%"));
}

#[test]
fn values_of_portacl_memory_hook() {
    assert_eq!(ReadyHook::parse("debug"), Some(ReadyHook::DebugPrint));
    assert_eq!(ReadyHook::parse("log:/tmp/a:b"), Some(ReadyHook::Logging("/tmp/a:b".into())));
    assert_eq!(ReadyHook::parse("profile:x"), Some(ReadyHook::LineProfile("x".into())));
    for wrong in ["", "log", "log:", "profile:", "debug:", "Debug", ":x", "other:x"] {
        assert_eq!(ReadyHook::parse(wrong), None, "{wrong}");
    }
}
