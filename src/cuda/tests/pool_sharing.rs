//! Tests of pools that processes share.

use std::os::fd::{AsFd, OwnedFd};

use super::pool::{MIB, PRIVATE, fill, pools, read, wait};
use super::*;
use crate::backend::{Foreign, Pool, PoolHandle, PoolOptions, PoolSharing};

fn descriptor(pool: &dyn Pool) -> OwnedFd {
    match pool.export().unwrap() {
        PoolHandle::Descriptor(descriptor) => descriptor,
        PoolHandle::Fabric(_) => panic!("it was made for descriptors"),
    }
}

/// Imports a block. With the test double, one process can import its own; a real driver may require two processes.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_shared_block_has_the_same_bytes() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    if fail("").is_none() {
        return;
    }
    let sharing = PoolSharing::Descriptor;
    let (pool, stream) = (pools.create(PoolOptions { sharing, ..PRIVATE }).unwrap(), setup.stream());
    let block = pool.alloc(3 * MIB + 5, &*stream).unwrap();
    fill(&stream, block, 5);
    wait(&stream);
    let handle = descriptor(&*pool);
    let imported = pools.import(PoolHandle::Descriptor(handle.as_fd()), 0).unwrap();
    let export = pool.export_block(block).unwrap();
    let twin = imported.import_block(&export).unwrap();
    assert_eq!(twin.len, block.len);
    assert_ne!(twin.addr, block.addr);
    assert!(read(&setup, twin).iter().all(|&byte| byte == 5));
    fill(&stream, twin, 6);
    wait(&stream);
    assert!(read(&setup, block).iter().all(|&byte| byte == 6));
    imported.free(twin, &*stream).unwrap();
    wait(&stream);
    assert_eq!(setup.driver.foreign(twin.addr), Foreign::Stale);
    pool.free(block, &*stream).unwrap();
    wait(&stream);
    let gone = imported.import_block(&export).unwrap_err();
    assert_eq!(gone.kind(), FaultKind::InvalidArgument);
    assert!(gone.text().contains("no live allocation"), "{}", gone.text());
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn what_is_no_pool_is_not_imported() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let file: OwnedFd = std::fs::File::open("/dev/null").unwrap().into();
    let fault = pools.import(PoolHandle::Descriptor(file.as_fd()), 0).err().unwrap();
    assert_eq!(fault.kind(), FaultKind::InvalidArgument);
    assert!(fault.text().contains("belongs to no memory pool"), "{}", fault.text());
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn kinds_of_sharing_that_a_device_lacks_are_refused() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let Some(()) = fail("") else { return };
    let fabric = pools.create(PoolOptions { sharing: PoolSharing::Fabric, ..PRIVATE });
    let fault = fabric.err().unwrap();
    assert_eq!(fault.kind(), FaultKind::Unsupported);
    assert!(fault.text().contains("by a file descriptor"), "{}", fault.text());
}
