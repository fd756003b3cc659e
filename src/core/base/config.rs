//! Settings from the environment. `file` has those from the configuration file of aclInit, `names` the names of
//! variables.

pub mod check;
pub mod file;
pub mod names;

use std::ffi::OsString;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use self::check::Check;
use crate::algo::host::environment;
use crate::algo::host::notice::notice_once;
use crate::algo::thread::thread_attributes;
use crate::backend::{Backend, fault, schedule};
use crate::base::backends;
use crate::base::error::{Error, Result, invalid_param};

/// The settings from the environment, read when the backend is opened.
#[derive(Debug)]
pub struct Environment {
    /// `PORTACL_BACKEND`; `None`: the first that opens. A chosen one that does not open is an error.
    pub backend: Option<&'static Backend>,
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
    /// `PORTACL_SCHEDULE` and `PORTACL_SCHEDULE_LOG`; `None`: no schedule.
    pub schedule: Option<schedule::Settings>,
    /// `ASCEND_RT_VISIBLE_DEVICES`: the devices that the process sees; `None`: all devices.
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
    /// `PORTACL_CHECK` and its settings; `None`: nothing is checked.
    pub check: Option<check::Settings>,
    /// `PORTACL_TRACE`; `None`: nothing is recorded unless the program asks for it.
    pub trace: Option<PathBuf>,
    /// `PORTACL_TRACE_PYTHON=1`: traces name the functions of Python that make calls.
    pub trace_python: bool,
    /// `PORTACL_FAULT` and `PORTACL_FAULT_COUNT`; `None`: neither is set.
    pub fault: Option<fault::Settings>,
}

/// The variable that names the devices that the process sees.
pub const VISIBLE_DEVICES: &str = "ASCEND_RT_VISIBLE_DEVICES";

/// The values of `PORTACL_LEAK_CHECK`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakCheck {
    /// `1`: reports on the standard error stream.
    Report,
    /// `abort`: as `Report`; also ends the process if there is something to report.
    Abort,
}

/// The values of `PORTACL_MEMORY_HOOK`, with the file that each names.
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
    /// The valid values, for failure texts.
    pub const ALLOWED: &str = "debug, log:FILE or profile:FILE";

    /// Parses the value of the variable; `None` if it is invalid.
    pub fn parse(value: &str) -> Option<Self> {
        match value.split_once(':') {
            None if value == "debug" => Some(Self::DebugPrint),
            Some(("log", file)) if !file.is_empty() => Some(Self::Logging(file.into())),
            Some(("profile", file)) if !file.is_empty() => Some(Self::LineProfile(file.into())),
            _ => None,
        }
    }
}

/// Maximum value of `PORTACL_CPU_DEVICES`.
pub const MAX_CPU_DEVICES: u32 = 64;

impl Environment {
    /// Reads the environment. An invalid value is an error, so that a typing mistake does not silently select something
    /// else.
    pub fn read() -> Result<Self> {
        #[cfg(debug_assertions)]
        crate::algo::host::host_memory::faults::read();
        Self::from(of_process)
    }

    fn from(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let variables = Variables(&variable);
        let milliseconds = |name, default| -> Result<Duration> {
            Ok(Duration::from_millis(variables.number(name, 1..=3_600_000)?.unwrap_or(default)))
        };
        let named = backends::all().iter().map(|&it| (it.name.to_str().expect("a name in ASCII"), Some(it)));
        let mut backends: Vec<_> = named.collect();
        backends.sort_by_key(|(name, _)| *name);
        backends.insert(0, ("auto", None));
        let checks = [("0", None), ("1", Some(LeakCheck::Report)), ("abort", Some(LeakCheck::Abort))];
        let check = check::read(&variables)?;
        let memory = "bytes per device, at least 4M, such as 512M or 8G";
        let stack = "bytes from 256K to 64G, such as 512K or 16M";
        let least = thread_attributes::LEAST_STACK as u64;
        Ok(Self {
            backend: variables.choice("PORTACL_BACKEND", &backends)?,
            cpu_devices: variables.number("PORTACL_CPU_DEVICES", 1..=MAX_CPU_DEVICES)?,
            cpu_memory: variables.size("PORTACL_CPU_MEMORY", memory, 4 << 20..=u64::MAX)?,
            cpu_always_async: variables.choice("PORTACL_CPU_ASYNC", &[("auto", false), ("always", true)])?,
            cpu_seed: variables.number("PORTACL_CPU_SEED", 0..=u64::MAX)?.unwrap_or(0),
            cpu_guard: variables.choice("PORTACL_CPU_GUARD", &[("0", false), ("1", true)])?
                || check.as_ref().is_some_and(|check| check.checks.contains(&Check::Bounds)),
            schedule: variables.parsed("PORTACL_SCHEDULE", schedule::ALLOWED, |text| {
                schedule::Settings::parse(text, variables.output("PORTACL_SCHEDULE_LOG"))
            })?,
            visible_devices: variables.get(VISIBLE_DEVICES),
            thread_stack: variables.size("PORTACL_THREAD_STACK", stack, least..=64 << 30)?.map(|size| size as usize),
            finalize_timeout: milliseconds("PORTACL_FINALIZE_TIMEOUT_MS", 5_000)?,
            snapshot_timeout: milliseconds("PORTACL_SNAPSHOT_TIMEOUT_MS", 10_000)?,
            fault: variables.fault()?,
            memory_hook: variables.parsed("PORTACL_MEMORY_HOOK", ReadyHook::ALLOWED, ReadyHook::parse)?,
            leak_check: variables.choice("PORTACL_LEAK_CHECK", &checks)?,
            check,
            trace: variables.output("PORTACL_TRACE"),
            trace_python: variables.choice("PORTACL_TRACE_PYTHON", &[("0", false), ("1", true)])?,
        })
    }
}

/// Reads environment variables. An empty value counts as unset.
struct Variables<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    /// Returns what `parse` returns for the variable's text. `allowed` describes valid texts.
    fn parsed<T>(&self, name: &str, allowed: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
        let Some(text) = self.get(name) else { return Ok(None) };
        parse(&text).map(Some).ok_or_else(|| bad(name, &text, allowed))
    }

    /// Returns the value that belongs to the variable's text; the first one if the variable is unset.
    fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T> {
        let names: Vec<&str> = choices.iter().map(|(text, _)| *text).collect();
        let (last, first) = names.split_last().expect("choices are not empty");
        let allowed = format!("{} or {last}", first.join(", "));
        let chosen = self
            .parsed(name, &allowed, |text| choices.iter().find(|(known, _)| *known == text).map(|(_, value)| *value))?;
        Ok(chosen.unwrap_or(choices[0].1))
    }

    fn number<T>(&self, name: &str, allowed: RangeInclusive<T>) -> Result<Option<T>>
    where
        T: FromStr + PartialOrd + Display,
    {
        let range = format!("a whole number from {} to {}", allowed.start(), allowed.end());
        self.parsed(name, &range, |text| text.parse().ok().filter(|value| allowed.contains(value)))
    }

    fn size(&self, name: &str, allowed: &str, range: RangeInclusive<u64>) -> Result<Option<u64>> {
        self.parsed(name, allowed, |text| parse_size(text).filter(|size| range.contains(size)))
    }

    /// Returns the file that a variable names. `%p` in it becomes the process id.
    fn output(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(|text| text.replace("%p", &std::process::id().to_string()).into())
    }

    /// Reads `PORTACL_FAULT` and `PORTACL_FAULT_COUNT`.
    fn fault(&self) -> Result<Option<fault::Settings>> {
        let (faults, report) = (self.get("PORTACL_FAULT"), self.get("PORTACL_FAULT_COUNT").map(PathBuf::from));
        if faults.is_none() && report.is_none() {
            return Ok(None);
        }
        let settings = fault::Settings::parse(faults.as_deref(), report);
        settings.map(Some).map_err(|allowed| bad("PORTACL_FAULT", &faults.unwrap_or_default(), &allowed))
    }
}

/// Returns the value of a variable that is read when it is first needed. Reports an invalid value on standard error as
/// well.
pub fn variable<T>(name: &str, allowed: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
    Variables(&of_process).parsed(name, allowed, parse).inspect_err(report_refusal)
}

fn of_process(name: &str) -> Option<String> {
    environment::variable(name).map(|value| value.to_string_lossy().into_owned())
}

/// Writes the error of an invalid configuration to standard error, because programs may ignore return codes.
pub(crate) fn report_refusal(error: &Error) {
    notice_once(error.text());
}

fn bad(name: &str, value: &str, allowed: &str) -> Error {
    invalid_param!("the environment variable {name} is \"{value}\"; allowed: {allowed}")
}

/// Parses a number of bytes with an optional K, M, G or T (powers of 1024).
fn parse_size(text: &str) -> Option<u64> {
    let unit = "KMGT".find(text.chars().last()?.to_ascii_uppercase());
    let digits = if unit.is_some() { &text[..text.len() - 1] } else { text };
    digits.parse::<u64>().ok()?.checked_mul(1 << unit.map_or(0, |unit| 10 * (unit + 1)))
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
