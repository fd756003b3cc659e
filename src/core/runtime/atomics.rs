//! The atomic operations that kernels of a device can perform on host memory or on memory on another device.

use crate::base::error::{Result, invalid_param};
use crate::base::host_memory;
use crate::runtime::{device, thread};

/// The operations of kernels, whose support devices are queried for.
const OF_KERNELS: std::ops::RangeInclusive<i32> = 0..=12;

/// Implements aclrtDeviceGetHostAtomicCapabilities, and with a peer aclrtDeviceGetP2PAtomicCapabilities: returns bits
/// of aclrtAtomicOperationCapability for each operation.
pub fn query(operations: &[i32], id: i32, peer: Option<i32>) -> Result<Vec<u32>> {
    for (index, operation) in operations.iter().enumerate() {
        // The other numbers are operations of engines that do not exist here.
        if !OF_KERNELS.contains(operation) && !matches!(operation, 30..=32 | 40..=44) {
            return Err(invalid_param!(
                "operations[{index}] is {operation}; allowed: the values of aclrtAtomicOperation, 0 to 12, 30 to \
                 32 and 40 to 44"
            ));
        }
    }
    let session = thread::session_outside_host_functions()?;
    device::slot(&session, if peer.is_some() { "srcDeviceId" } else { "deviceId" }, id)?;
    if let Some(peer) = peer {
        device::slot(&session, "dstDeviceId", peer)?;
        ensure!(
            id != peer,
            invalid_param!("srcDeviceId and dstDeviceId are both {id}; they must be different devices")
        );
    }
    // The memory is for lists of queries and of results, here and in the backend.
    let _memory = host_memory::claim("atomic operations", operations.len(), size_of::<[u32; 8]>())?;
    let known = operations.iter().filter(|operation| OF_KERNELS.contains(operation));
    let asked: Vec<u32> = known.map(|operation| *operation as u32).collect();
    let answers = if asked.is_empty() {
        Vec::new()
    } else {
        session.driver.atomics(id as u32, peer.map(|id| id as u32), &asked)?
    };
    let mut answers = answers.into_iter();
    let answer = |operation| OF_KERNELS.contains(operation).then(|| answers.next()).flatten().unwrap_or(0);
    Ok(operations.iter().map(answer).collect())
}
