//! The configuration file of aclInit.

use std::ffi::CString;
use std::path::Path;

use serde_json::Value;

use crate::algo::host::input_file;
use crate::base::error::{Code, Error, Result, error_with, invalid_param};

/// The settings of the configuration file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileConfig {
    /// `defaultDevice.default_device`: the device of threads that set none.
    pub default_device: Option<u32>,
    /// `err_msg_mode`: `aclGetRecentErrMsg` returns the failures of all threads, not of the calling one.
    pub shares_texts: bool,
}

/// Maximum nesting of objects, and of arrays, in a configuration file.
const MAX_NESTING: usize = 10;

impl FileConfig {
    /// Reads the file that was passed to aclInit. Returns the settings and the text of the file.
    pub fn load(path: &Path) -> Result<(Self, CString)> {
        let shown = path.display();
        let bytes = input_file::read_settings(path).map_err(|why| {
            error_with!(
                Code::of_read(&why),
                "configPath \"{shown}\" cannot be read: {why}; pass a readable JSON file, or NULL for the defaults"
            )
        })?;
        let parsed = match std::str::from_utf8(&bytes) {
            // Some editors put a byte order mark at the beginning. Valid JSON contains no zero byte.
            Ok(text) => {
                let config = Self::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
                config.map(|config| (config, CString::new(text).unwrap_or_default()))
            }
            Err(why) => Err(error_with!(Code::ParseFile, "the file is not UTF-8 text: {why}")),
        };
        parsed.map_err(|error| error_with!(error.code(), "configPath \"{shown}\": {}", error.text()))
    }

    fn parse(text: &str) -> Result<Self> {
        let root: Value = serde_json::from_str(text)
            .map_err(|why| error_with!(Code::ParseFile, "the file is not valid JSON: {why}"))?;
        ensure!(
            !is_deeper(&root, MAX_NESTING, MAX_NESTING),
            error_with!(
                Code::ParseFile,
                "the file is nested deeper than {MAX_NESTING} objects or {MAX_NESTING} arrays"
            )
        );
        let Value::Object(root) = root else {
            return Err(Error::new(Code::ParseFile, "the file must hold one JSON object, such as {}"));
        };
        let mut config = Self::default();
        if let Some(value) = root.get("err_msg_mode") {
            let mode = digits(value).filter(|mode| *mode <= 1).ok_or_else(|| {
                invalid_param!(
                    "err_msg_mode is {}; allowed: \"0\" (one text per thread) or \"1\" (one text for the process)",
                    shown(value)
                )
            })?;
            config.shares_texts = mode == 1;
        }
        if let Some(value) = root.get("defaultDevice").map(|section| &section["default_device"]) {
            let id = digits(value).and_then(|id| u32::try_from(id).ok()).ok_or_else(|| {
                error_with!(
                    Code::Failure,
                    "defaultDevice.default_device is {}; allowed: a device id, such as \"0\"",
                    shown(value)
                )
            })?;
            config.default_device = Some(id);
        }
        Ok(config)
    }
}

/// Returns a value for an error text. (`Display` of the value would link JSON's whole writer into the library.)
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{text}\""),
        Value::Number(number) => number.as_i128().map_or_else(|| "a fraction".to_owned(), |number| number.to_string()),
        Value::Bool(value) => value.to_string(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Null => "null or missing".to_owned(),
    }
}

/// Parses a whole number, written as a number or as a string of digits.
fn digits(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        Value::String(_) | Value::Number(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            value.as_u64()
        }
    }
}

/// Whether objects are nested deeper than `objects` levels, or arrays deeper than `arrays` levels.
fn is_deeper(value: &Value, objects: usize, arrays: usize) -> bool {
    match value {
        Value::Object(members) => objects == 0 || members.values().any(|it| is_deeper(it, objects - 1, arrays)),
        Value::Array(members) => arrays == 0 || members.iter().any(|it| is_deeper(it, objects, arrays - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
