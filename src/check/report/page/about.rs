//! What the page is about: the program that was checked, and where.

use std::collections::BTreeMap;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::core::runtime;
use crate::core::stream::Stream;

/// The program, and where it ran.
#[derive(Serialize)]
pub(super) struct About {
    /// The program and its arguments.
    pub(super) command: Vec<String>,
    process: u32,
    /// The milliseconds from the beginning of 1970 to that of the checks.
    began: u64,
    /// The version of this library.
    version: &'static str,
    host: String,
    /// The name of the backend; empty if none was opened.
    backend: String,
    /// The names of the devices that were used, by id.
    devices: BTreeMap<u32, String>,
}

impl About {
    /// Describes this process, in which the checks begin now.
    pub(super) fn now() -> Self {
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim_end().to_owned();
        Self {
            command: command(&fs::read("/proc/self/cmdline").unwrap_or_default()),
            process: std::process::id(),
            began,
            version: env!("CARGO_PKG_VERSION"),
            host,
            backend: String::new(),
            devices: BTreeMap::new(),
        }
    }

    /// Notes the device of a stream that is used.
    pub(super) fn uses(&mut self, stream: &Stream) {
        if self.backend.is_empty() {
            self.backend = runtime::existing_session().map_or_else(String::new, |it| it.driver.name().to_owned());
        }
        self.devices.entry(stream.device.id).or_insert_with(|| stream.device.native.info().name.clone());
    }
}

/// Returns the program and its arguments. Each ends with a zero.
pub(super) fn command(bytes: &[u8]) -> Vec<String> {
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    bytes.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}
