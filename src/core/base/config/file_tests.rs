use super::*;

#[test]
fn files_say_device_and_mode() {
    let config =
        FileConfig::parse(r#"{"defaultDevice": {"default_device": "1"}, "err_msg_mode": "1", "dump": {"a": []}}"#)
            .unwrap();
    assert_eq!(config.default_device, Some(1));
    assert!(config.shares_texts);
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
