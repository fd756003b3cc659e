use std::fs::File;

use super::*;

#[test]
#[cfg_attr(miri, ignore = "Miri does not know prctl")]
fn a_file_is_not_asked_there() {
    let file = File::open("/proc/self/status").unwrap();
    let Some(asked) = without_file_calls(|| file.metadata()) else {
        return println!("skipped: needs seccomp filters");
    };
    assert_eq!(asked.unwrap_err().raw_os_error(), Some(REFUSED));
    // Other threads are as before.
    file.metadata().unwrap();
}
