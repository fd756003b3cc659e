//! User code in stream order.

use super::error::Result;
use super::stream;
use crate::backend::HostFn;

/// aclrtLaunchHostFunc.
pub fn launch_host_function(function: HostFn, stream: u64) -> Result<()> {
    Ok(stream::resolve(stream)?.native.host_fn(function)?)
}
