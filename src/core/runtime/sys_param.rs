//! Options that higher libraries store here: numbers without an effect on this library.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::base::error::{Code, Result, arguments, error_with};
use crate::runtime::context::OPTIONS;
use crate::runtime::thread;

static OF_PROCESS: [AtomicI64; OPTIONS] = [const { AtomicI64::new(0) }; OPTIONS];

fn index(option: i32) -> Result<usize> {
    arguments::enumerated("opt", option, 0..=OPTIONS as i32 - 1, "aclSysParamOpt")
}

/// Implements aclrtSetSysParamOpt.
pub fn set_of_process(option: i32, value: i64) -> Result<()> {
    OF_PROCESS[index(option)?].store(value, Ordering::SeqCst);
    Ok(())
}

/// Implements aclrtGetSysParamOpt.
pub fn of_process(option: i32) -> Result<i64> {
    Ok(OF_PROCESS[index(option)?].load(Ordering::SeqCst))
}

/// Implements aclrtCtxSetSysParamOpt.
pub fn set_of_context(option: i32, value: i64) -> Result<()> {
    let index = index(option)?;
    thread::current()?.params.lock()[index] = Some(value);
    Ok(())
}

/// Implements aclrtCtxGetSysParamOpt.
pub fn of_context(option: i32) -> Result<i64> {
    let index = index(option)?;
    let value = thread::current()?.params.lock()[index];
    value.ok_or_else(|| {
        error_with!(
            Code::SysparamoptNotSet,
            "opt {option} was never set in the current context; call aclrtCtxSetSysParamOpt first"
        )
    })
}
