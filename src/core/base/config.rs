//! Settings from the environment and from the configuration file of aclInit.

use std::ffi::CString;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde_json::Value;

use crate::algo::host::input_file;
use crate::algo::host::notice::notice_once;
use crate::algo::thread::thread_attributes;
use crate::backend::fault;
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::release::Version;

/// Which backend to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendChoice {
    /// CUDA where a driver with a device is found, else the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// CUDA, or an error.
    Cuda,
}

/// The environment's part of the configuration, read when the backend is opened.
#[derive(Clone, Debug)]
pub struct Environment {
    /// `PORTACL_BACKEND`.
    pub backend: BackendChoice,
    /// `PORTACL_CPU_DEVICES`; `None`: the backend's default.
    pub cpu_devices: Option<u32>,
    /// `PORTACL_CPU_MEMORY` in bytes per device; `None`: the backend's default.
    pub cpu_memory: Option<u64>,
    /// `PORTACL_CPU_ASYNC=always`.
    pub cpu_always_async: bool,
    /// `PORTACL_CPU_SEED`.
    pub cpu_seed: u64,
    /// `PORTACL_CPU_GUARD=1`.
    pub cpu_guard: bool,
    /// `ASCEND_RT_VISIBLE_DEVICES`, for the devices that the process sees; `None`: all devices.
    pub visible_devices: Option<String>,
    /// `PORTACL_THREAD_STACK` in bytes; `None`: the system's default.
    pub thread_stack: Option<usize>,
    /// `PORTACL_FINALIZE_TIMEOUT_MS`: how long aclFinalize waits for user code that does not return.
    pub finalize_timeout: Duration,
    /// `PORTACL_SNAPSHOT_TIMEOUT_MS`: how long aclrtSnapShotProcessLock waits for pending work.
    pub snapshot_timeout: Duration,
    /// `PORTACL_MEMORY_HOOK`.
    pub memory_hook: Option<ReadyHook>,
    /// `PORTACL_LEAK_CHECK`; `None`: nothing is reported.
    pub leak_check: Option<LeakCheck>,
    /// `PORTACL_TRACE`; `None`: nothing is recorded unless the program asks for it.
    pub trace: Option<PathBuf>,
    /// `PORTACL_FAULT` and `PORTACL_FAULT_COUNT`; `None`: neither is set.
    pub fault: Option<fault::Settings>,
}

/// The devices that the process sees, as `ASCEND_RT_VISIBLE_DEVICES` names them.
pub const VISIBLE_DEVICES: &str = "ASCEND_RT_VISIBLE_DEVICES";

/// What `PORTACL_LEAK_CHECK` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakCheck {
    /// `1`: reports on the standard error stream.
    Report,
    /// `abort`: as `Report`, and ends the process if there is something to report.
    Abort,
}

/// What `PORTACL_MEMORY_HOOK` asks for, with the file it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadyHook {
    /// `debug`
    DebugPrint,
    /// `log:FILE`
    Logging(OsString),
    /// `profile:FILE`
    LineProfile(OsString),
}

impl ReadyHook {
    /// What the variable may say.
    pub const ALLOWED: &str = "debug, log:FILE or profile:FILE";

    /// Reads the value of the variable; `None` if it is not valid.
    pub fn parse(value: &str) -> Option<Self> {
        match value.split_once(':') {
            None if value == "debug" => Some(Self::DebugPrint),
            Some(("log", file)) if !file.is_empty() => Some(Self::Logging(file.into())),
            Some(("profile", file)) if !file.is_empty() => Some(Self::LineProfile(file.into())),
            _ => None,
        }
    }
}

/// The file that `PORTACL_TRACE` names; `%p` stands for the process id.
fn trace_path(text: &str) -> PathBuf {
    text.replace("%p", &std::process::id().to_string()).into()
}

/// The largest number of devices that `PORTACL_CPU_DEVICES` accepts.
pub const MAX_CPU_DEVICES: u32 = 64;

impl Environment {
    /// Reads the environment. An invalid value is an error, so that a typing mistake does not silently select something
    /// else.
    pub fn read() -> Result<Self> {
        #[cfg(debug_assertions)]
        crate::algo::host::host_memory::faults::read();
        Self::from(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    fn from(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let backend = match set("PORTACL_BACKEND").as_deref() {
            None | Some("auto") => BackendChoice::Auto,
            Some("cpu") => BackendChoice::Cpu,
            Some("cuda") => BackendChoice::Cuda,
            Some(other) => return Err(bad("PORTACL_BACKEND", other, "auto, cpu or cuda")),
        };
        let cpu_devices = match set("PORTACL_CPU_DEVICES") {
            None => None,
            Some(text) => Some(number("PORTACL_CPU_DEVICES", &text, 1..=MAX_CPU_DEVICES)?),
        };
        let cpu_memory =
            match set("PORTACL_CPU_MEMORY") {
                None => None,
                Some(text) => Some(parse_size(&text).filter(|size| *size >= 4 << 20).ok_or_else(|| {
                    bad("PORTACL_CPU_MEMORY", &text, "bytes per device, at least 4M, as in 512M or 8G")
                })?),
            };
        let cpu_always_async = match set("PORTACL_CPU_ASYNC").as_deref() {
            None | Some("auto") => false,
            Some("always") => true,
            Some(other) => return Err(bad("PORTACL_CPU_ASYNC", other, "auto or always")),
        };
        let cpu_seed = match set("PORTACL_CPU_SEED") {
            None => 0,
            Some(text) => number("PORTACL_CPU_SEED", &text, 0..=u64::MAX)?,
        };
        let cpu_guard = match set("PORTACL_CPU_GUARD").as_deref() {
            None | Some("0") => false,
            Some("1") => true,
            Some(other) => return Err(bad("PORTACL_CPU_GUARD", other, "0 or 1")),
        };
        let thread_stack = match set("PORTACL_THREAD_STACK") {
            None => None,
            Some(text) => Some(
                parse_stack(&text)
                    .ok_or_else(|| bad("PORTACL_THREAD_STACK", &text, "bytes from 256K to 64G, as in 512K or 16M"))?,
            ),
        };
        let finalize_timeout = match set("PORTACL_FINALIZE_TIMEOUT_MS") {
            None => 5_000,
            Some(text) => number("PORTACL_FINALIZE_TIMEOUT_MS", &text, 1..=3_600_000)?,
        };
        let snapshot_timeout = match set("PORTACL_SNAPSHOT_TIMEOUT_MS") {
            None => 10_000,
            Some(text) => number("PORTACL_SNAPSHOT_TIMEOUT_MS", &text, 1..=3_600_000)?,
        };
        let (faults, report) = (set("PORTACL_FAULT"), set("PORTACL_FAULT_COUNT").map(PathBuf::from));
        let fault = match (&faults, &report) {
            (None, None) => None,
            _ => {
                let settings = fault::Settings::parse(faults.as_deref(), report);
                let text = faults.unwrap_or_default();
                Some(settings.map_err(|allowed| bad("PORTACL_FAULT", &text, &allowed))?)
            }
        };
        let memory_hook = match set("PORTACL_MEMORY_HOOK") {
            None => None,
            Some(text) => {
                Some(ReadyHook::parse(&text).ok_or_else(|| bad("PORTACL_MEMORY_HOOK", &text, ReadyHook::ALLOWED))?)
            }
        };
        let leak_check = match set("PORTACL_LEAK_CHECK").as_deref() {
            None | Some("0") => None,
            Some("1") => Some(LeakCheck::Report),
            Some("abort") => Some(LeakCheck::Abort),
            Some(other) => return Err(bad("PORTACL_LEAK_CHECK", other, "0, 1 or abort")),
        };
        Ok(Self {
            backend,
            visible_devices: set(VISIBLE_DEVICES),
            cpu_devices,
            cpu_memory,
            cpu_always_async,
            cpu_seed,
            cpu_guard,
            thread_stack,
            finalize_timeout: Duration::from_millis(finalize_timeout),
            snapshot_timeout: Duration::from_millis(snapshot_timeout),
            memory_hook,
            leak_check,
            trace: set("PORTACL_TRACE").map(|text| trace_path(&text)),
            fault,
        })
    }
}

/// The name that `aclrtGetSocName` returns: `PORTACL_SOC_NAME`, or a default.
pub fn soc_name() -> String {
    std::env::var("PORTACL_SOC_NAME")
        .ok()
        .filter(|name| !name.is_empty() && !name.contains('\0'))
        .unwrap_or_else(|| "Ascend910B1".to_owned())
}

/// The version that programs see: `PORTACL_CANN_VERSION`, or the default.
pub fn cann_version() -> Result<Version> {
    let name = "PORTACL_CANN_VERSION";
    match std::env::var_os(name).filter(|text| !text.is_empty()) {
        None => Ok(Version::DEFAULT),
        Some(text) => text.to_str().and_then(Version::parse).ok_or_else(|| {
            let error = bad(name, &text.to_string_lossy(), "three numbers from 0 to 99, as in 8.3.0");
            report_refusal(&error);
            error
        }),
    }
}

/// Writes the error of an invalid configuration to standard error, because programs may ignore return codes.
pub fn report_refusal(error: &Error) {
    notice_once(error.text());
}

fn bad(name: &str, value: &str, allowed: &str) -> Error {
    Error::invalid_param(format_args!("the environment variable {name} is \"{value}\"; allowed: {allowed}"))
}

fn number<T>(name: &str, text: &str, allowed: std::ops::RangeInclusive<T>) -> Result<T>
where
    T: FromStr + PartialOrd + Display,
{
    text.parse()
        .ok()
        .filter(|value| allowed.contains(value))
        .ok_or_else(|| bad(name, text, &format!("a whole number from {} to {}", allowed.start(), allowed.end())))
}

/// A number of bytes with an optional K, M, G or T (powers of 1024).
fn parse_size(text: &str) -> Option<u64> {
    let (digits, shift) = match text.bytes().last()?.to_ascii_uppercase() {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        b'G' => (&text[..text.len() - 1], 30),
        b'T' => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Bytes of stack of a thread.
fn parse_stack(text: &str) -> Option<usize> {
    let allowed = thread_attributes::LEAST_STACK as u64..=64 << 30;
    parse_size(text).filter(|size| allowed.contains(size)).map(|size| size as usize)
}

/// Whose failures `aclGetRecentErrMsg` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrMsgMode {
    /// The calling thread's.
    Thread,
    /// Those of all threads.
    Process,
}

/// The configuration file's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileConfig {
    /// `defaultDevice.default_device`: the device of threads that set none.
    pub default_device: Option<u32>,
    /// `err_msg_mode`.
    pub err_msg_mode: ErrMsgMode,
}

impl Default for FileConfig {
    fn default() -> Self {
        Self { default_device: None, err_msg_mode: ErrMsgMode::Thread }
    }
}

/// Largest nesting of objects, and of arrays, that a configuration file may have.
const MAX_NESTING: usize = 10;

impl FileConfig {
    /// Reads the file that was passed to aclInit. Returns the settings and the text of the file.
    pub fn load(path: &Path) -> Result<(Self, CString)> {
        let shown = path.display();
        let bytes = input_file::read(path).map_err(|why| {
            Error::new(
                Code::InvalidFile,
                format_args!(
                    "configPath \"{shown}\" cannot be read: {why}; pass a readable JSON file, or NULL \
                     for the defaults"
                ),
            )
        })?;
        let parsed = match std::str::from_utf8(&bytes) {
            // Valid JSON has no zero in it.
            Ok(text) => Self::parse(text).map(|config| (config, CString::new(text).unwrap_or_default())),
            Err(why) => Err(Error::new(Code::ParseFile, format_args!("this is not UTF-8 text: {why}"))),
        };
        parsed.map_err(|error| Error::new(error.code(), format_args!("configPath \"{shown}\": {}", error.text())))
    }

    fn parse(text: &str) -> Result<Self> {
        check_nesting(text)?;
        let root: Value = serde_json::from_str(text)
            .map_err(|why| Error::new(Code::ParseFile, format_args!("this is not valid JSON: {why}")))?;
        let Value::Object(root) = root else {
            return Err(Error::new(Code::ParseFile, "the file must hold one JSON object, as in {}"));
        };
        let mut config = Self::default();
        if let Some(value) = root.get("err_msg_mode") {
            config.err_msg_mode = match digits(value) {
                Some(0) => ErrMsgMode::Thread,
                Some(1) => ErrMsgMode::Process,
                _ => {
                    return Err(Error::invalid_param(format_args!(
                        "err_msg_mode is {}; allowed: \"0\" (each thread its own texts) or \"1\" \
                         (one text for the process)",
                        shown(value)
                    )));
                }
            };
        }
        if let Some(value) = root.get("defaultDevice").map(|section| &section["default_device"]) {
            let id = digits(value).and_then(|id| u32::try_from(id).ok()).ok_or_else(|| {
                Error::new(
                    Code::Failure,
                    format_args!(
                        "defaultDevice.default_device is {}; allowed: a device id as a string, as in \
                         \"0\"",
                        shown(value)
                    ),
                )
            })?;
            config.default_device = Some(id);
        }
        Ok(config)
    }
}

/// A value for an error text. (`Display` of the value would link JSON's whole writer into the library.)
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{text}\""),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.to_string(),
            (None, Some(number)) => number.to_string(),
            (None, None) => "a fraction".to_owned(),
        },
        Value::Bool(value) => value.to_string(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Null => "null or missing".to_owned(),
    }
}

/// A whole number, written as a number or as a string of digits.
fn digits(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        other => other.as_u64(),
    }
}

fn check_nesting(text: &str) -> Result<()> {
    let (mut objects, mut arrays) = (0_usize, 0_usize);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => objects += 1,
            b'}' => objects = objects.saturating_sub(1),
            b'[' => arrays += 1,
            b']' => arrays = arrays.saturating_sub(1),
            _ => {}
        }
        if objects > MAX_NESTING || arrays > MAX_NESTING {
            return Err(Error::new(
                Code::ParseFile,
                format_args!("nested deeper than {MAX_NESTING} objects or {MAX_NESTING} arrays"),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Result<Environment> {
        Environment::from(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn an_empty_environment_means_defaults() {
        let read = environment(&[("PORTACL_BACKEND", "")]).unwrap();
        assert_eq!(read.backend, BackendChoice::Auto);
        assert!(!read.cpu_always_async && read.cpu_devices.is_none() && read.cpu_memory.is_none());
    }

    #[test]
    fn sizes_have_units() {
        let read = environment(&[("PORTACL_CPU_MEMORY", "512m")]).unwrap();
        assert_eq!(read.cpu_memory, Some(512 << 20));
        for bad in ["1K", "x", "99999999999999999999", "17179869184G"] {
            let error = environment(&[("PORTACL_CPU_MEMORY", bad)]).unwrap_err();
            assert!(error.text().contains(bad), "{error}");
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
        let error = environment(&[("PORTACL_BACKEND", "cud")]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidParam);
        assert!(error.text().contains("auto, cpu or cuda"), "{error}");
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
    fn guard_mode_is_on_or_off() {
        for (text, on) in [("", false), ("0", false), ("1", true)] {
            assert_eq!(environment(&[("PORTACL_CPU_GUARD", text)]).unwrap().cpu_guard, on);
        }
        let error = environment(&[("PORTACL_CPU_GUARD", "yes")]).unwrap_err();
        assert!(error.text().contains("0 or 1"), "{error}");
    }

    #[test]
    fn files_say_device_and_mode() {
        let config =
            FileConfig::parse(r#"{"defaultDevice": {"default_device": "1"}, "err_msg_mode": "1", "dump": {"a": []}}"#)
                .unwrap();
        assert_eq!(config.default_device, Some(1));
        assert_eq!(config.err_msg_mode, ErrMsgMode::Process);
        assert_eq!(FileConfig::parse("{}").unwrap(), FileConfig::default());
    }

    #[test]
    fn bad_files_have_the_documented_codes() {
        for (text, code) in [
            ("", Code::ParseFile),
            ("[]", Code::ParseFile),
            ("{", Code::ParseFile),
            (r#"{"err_msg_mode": "2"}"#, Code::InvalidParam),
            (r#"{"err_msg_mode": []}"#, Code::InvalidParam),
            (r#"{"defaultDevice": {"default_device": "x"}}"#, Code::Failure),
            (r#"{"defaultDevice": {"default_device": "-1"}}"#, Code::Failure),
            (r#"{"defaultDevice": {}}"#, Code::Failure),
        ] {
            assert_eq!(FileConfig::parse(text).unwrap_err().code(), code, "{text}");
        }
    }

    #[test]
    fn nesting_is_limited_outside_strings() {
        let deep = |n: usize| format!("{}{}{}", "{\"a\":".repeat(n), 1, "}".repeat(n));
        assert!(FileConfig::parse(&deep(10)).is_ok());
        assert_eq!(FileConfig::parse(&deep(11)).unwrap_err().code(), Code::ParseFile);
        assert!(FileConfig::parse(r#"{"a": "[[[[[[[[[[[[[[\"[["}"#).is_ok());
    }

    #[test]
    fn the_process_is_part_of_a_name_where_it_is_asked_for() {
        let process = std::process::id();
        assert_eq!(trace_path("a.json"), PathBuf::from("a.json"));
        assert_eq!(trace_path("/t/%p.json"), PathBuf::from(format!("/t/{process}.json")));
        assert_eq!(trace_path("100%"), PathBuf::from("100%"));
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
}
