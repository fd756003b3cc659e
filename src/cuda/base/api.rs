//! The functions of the CUDA driver, which are looked up by name at run time.
//!
//! Every entry is optional: a driver that is too old lacks some, and then only the calls that need them fail. All of
//! them return a plain `c_int`, so that a status number that this library does not know is an ordinary value.

mod captures;
pub(crate) mod library;
#[macro_use]
mod table;

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};
use std::mem::ManuallyDrop;

use cudarc::driver::sys::{
    CUDA_HOST_NODE_PARAMS_st, CUDA_KERNEL_NODE_PARAMS_st, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER,
    CUDA_MEMSET_NODE_PARAMS_st, CUcheckpointLockArgs, CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph,
    CUgraphExec, CUgraphExecUpdateResultInfo, CUgraphNode, CUhostFn, CUipcMemHandle, CUmemAccessDesc,
    CUmemAllocationProp, CUmemGenericAllocationHandle, CUmemLocation, CUmemPoolProps, CUmemPoolPtrExportData,
    CUmemcpyAttributes, CUmemoryPool, CUmodule, CUstream, CUuuid,
};
use libloading::os::unix::Library;

use super::error::Failure;
use crate::algo::thread::cancellation;
use crate::backend::Result;
use captures::OutsideCaptures;
pub(crate) use library::Words;
use library::{Entry, does_not_start, find, open_library};

/// The result of a driver call.
pub(crate) type Outcome<T = ()> = std::result::Result<T, Failure>;

// A line lists other names in the order of preference. It never lists the names without _v2 of functions that take
// device addresses or sizes: those are 32-bit functions of the first driver interface.
driver_functions! {
    init(flags: c_uint) = "cuInit";
    driver_get_version() -> c_int = "cuDriverGetVersion";
    checkpoint_lock(process: c_int, options: *mut CUcheckpointLockArgs) = "cuCheckpointProcessLock";
    checkpoint_save(process: c_int, options: *mut c_void) = "cuCheckpointProcessCheckpoint";
    checkpoint_restore(process: c_int, options: *mut c_void) = "cuCheckpointProcessRestore";
    checkpoint_unlock(process: c_int, options: *mut c_void) = "cuCheckpointProcessUnlock";

    device_get_count() -> c_int = "cuDeviceGetCount";
    device_get(ordinal: c_int) -> CUdevice = "cuDeviceGet";
    device_get_name(name: *mut c_char, len: c_int, device: CUdevice) = "cuDeviceGetName";
    device_total_mem(device: CUdevice) -> usize = "cuDeviceTotalMem_v2";
    device_get_attribute(attribute: c_int, device: CUdevice) -> c_int = "cuDeviceGetAttribute";
    device_get_uuid(device: CUdevice) -> CUuuid = "cuDeviceGetUuid_v2", "cuDeviceGetUuid";
    device_get_pci_bus_id(text: *mut c_char, len: c_int, device: CUdevice) =
        "cuDeviceGetPCIBusId";
    device_host_atomics(
        bits: *mut c_uint, operations: *const c_uint, count: c_uint, device: CUdevice,
    ) = "cuDeviceGetHostAtomicCapabilities";
    device_peer_atomics(
        bits: *mut c_uint, operations: *const c_uint, count: c_uint, device: CUdevice, peer: CUdevice,
    ) = "cuDeviceGetP2PAtomicCapabilities";
    device_can_access_peer(device: CUdevice, peer: CUdevice) -> c_int = "cuDeviceCanAccessPeer";

    primary_ctx_retain(device: CUdevice) -> CUcontext = "cuDevicePrimaryCtxRetain" outside captures;
    primary_ctx_release(device: CUdevice) =
        "cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease" outside captures;
    ctx_get_current() -> CUcontext = "cuCtxGetCurrent";
    ctx_set_current(context: CUcontext) = "cuCtxSetCurrent";
    thread_exchange_stream_capture_mode(mode: *mut c_uint) = "cuThreadExchangeStreamCaptureMode";
    ctx_get_stream_priority_range(least: *mut c_int, greatest: *mut c_int) =
        "cuCtxGetStreamPriorityRange";
    ctx_enable_peer_access(peer: CUcontext, flags: c_uint) = "cuCtxEnablePeerAccess" outside captures;
    ctx_disable_peer_access(peer: CUcontext) = "cuCtxDisablePeerAccess" outside captures;

    mem_get_info(free: *mut usize, total: *mut usize) = "cuMemGetInfo_v2" outside captures;
    mem_alloc(len: usize) -> CUdeviceptr = "cuMemAlloc_v2" outside captures;
    mem_free(address: CUdeviceptr) = "cuMemFree_v2" outside captures;
    mem_host_alloc(len: usize, flags: c_uint) -> *mut c_void = "cuMemHostAlloc" outside captures;
    mem_free_host(address: *mut c_void) = "cuMemFreeHost" outside captures;
    mem_host_register(address: *mut c_void, len: usize, flags: c_uint) = "cuMemHostRegister_v2" outside captures;
    mem_host_unregister(address: *mut c_void) = "cuMemHostUnregister" outside captures;
    mem_host_get_device_pointer(host: *mut c_void, flags: c_uint) -> CUdeviceptr = "cuMemHostGetDevicePointer_v2";
    mem_alloc_managed(len: usize, flags: c_uint) -> CUdeviceptr = "cuMemAllocManaged" outside captures;
    mem_advise(address: CUdeviceptr, len: usize, advice: c_int, location: CUmemLocation) =
        "cuMemAdvise_v2" outside captures;
    mem_prefetch_async(
        address: CUdeviceptr,
        len: usize,
        location: CUmemLocation,
        flags: c_uint,
        stream: CUstream,
    ) = "cuMemPrefetchAsync_v2";
    mem_prefetch_batch_async(
        addresses: *mut CUdeviceptr,
        lens: *mut usize,
        count: usize,
        locations: *mut CUmemLocation,
        firsts: *mut usize,
        location_count: usize,
        flags: c_ulonglong,
        stream: CUstream,
    ) = "cuMemPrefetchBatchAsync";
    mem_get_allocation_granularity(
        properties: *const CUmemAllocationProp,
        option: c_int,
    ) -> usize = "cuMemGetAllocationGranularity";
    mem_address_reserve(
        len: usize,
        alignment: usize,
        wanted: CUdeviceptr,
        flags: c_ulonglong,
    ) -> CUdeviceptr = "cuMemAddressReserve" outside captures;
    mem_address_free(address: CUdeviceptr, len: usize) = "cuMemAddressFree" outside captures;
    mem_create(
        len: usize,
        properties: *const CUmemAllocationProp,
        flags: c_ulonglong,
    ) -> CUmemGenericAllocationHandle = "cuMemCreate" outside captures;
    mem_release(handle: CUmemGenericAllocationHandle) = "cuMemRelease" outside captures;
    mem_map(
        address: CUdeviceptr,
        len: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle,
        flags: c_ulonglong,
    ) = "cuMemMap" outside captures;
    mem_unmap(address: CUdeviceptr, len: usize) = "cuMemUnmap" outside captures;
    mem_set_access(
        address: CUdeviceptr,
        len: usize,
        access: *const CUmemAccessDesc,
        count: usize,
    ) = "cuMemSetAccess" outside captures;
    // Exports to a descriptor, the only kind that this library requests.
    mem_export(
        memory: CUmemGenericAllocationHandle,
        kind: c_uint,
        flags: c_ulonglong,
    ) -> c_int = "cuMemExportToShareableHandle" outside captures;
    mem_retain_handle(address: *mut c_void) -> CUmemGenericAllocationHandle =
        "cuMemRetainAllocationHandle" outside captures;
    mem_import(shareable: *mut c_void, kind: c_uint) -> CUmemGenericAllocationHandle =
        "cuMemImportFromShareableHandle" outside captures;
    ipc_get_mem_handle(address: CUdeviceptr) -> CUipcMemHandle = "cuIpcGetMemHandle" outside captures;
    ipc_open_mem_handle(
        handle: CUipcMemHandle,
        flags: c_uint,
    ) -> CUdeviceptr = "cuIpcOpenMemHandle_v2", "cuIpcOpenMemHandle" outside captures;
    ipc_close_mem_handle(address: CUdeviceptr) = "cuIpcCloseMemHandle" outside captures;
    mem_pool_create(properties: *const CUmemPoolProps) -> CUmemoryPool = "cuMemPoolCreate" outside captures;
    mem_pool_destroy(pool: CUmemoryPool) = "cuMemPoolDestroy" outside captures;
    mem_pool_get_attribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void) =
        "cuMemPoolGetAttribute" outside captures;
    mem_pool_set_attribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void) =
        "cuMemPoolSetAttribute" outside captures;
    mem_pool_trim_to(pool: CUmemoryPool, keep: usize) = "cuMemPoolTrimTo" outside captures;
    mem_pool_set_access(pool: CUmemoryPool, access: *const CUmemAccessDesc, count: usize) =
        "cuMemPoolSetAccess" outside captures;
    mem_pool_get_access(pool: CUmemoryPool, location: *mut CUmemLocation) -> c_int =
        "cuMemPoolGetAccess" outside captures;
    mem_pool_export(
        handle: *mut c_void,
        pool: CUmemoryPool,
        kind: c_uint,
        flags: c_ulonglong,
    ) = "cuMemPoolExportToShareableHandle" outside captures;
    mem_pool_import(
        handle: *mut c_void,
        kind: c_uint,
        flags: c_ulonglong,
    ) -> CUmemoryPool = "cuMemPoolImportFromShareableHandle" outside captures;
    mem_pool_export_pointer(address: CUdeviceptr) -> CUmemPoolPtrExportData = "cuMemPoolExportPointer" outside captures;
    mem_pool_import_pointer(
        pool: CUmemoryPool,
        export: *mut CUmemPoolPtrExportData,
    ) -> CUdeviceptr = "cuMemPoolImportPointer" outside captures;
    mem_alloc_from_pool_async(
        len: usize,
        pool: CUmemoryPool,
        stream: CUstream,
    ) -> CUdeviceptr = "cuMemAllocFromPoolAsync";
    mem_free_async(address: CUdeviceptr, stream: CUstream) = "cuMemFreeAsync";
    pointer_get_attribute(value: *mut c_void, attribute: c_int, address: CUdeviceptr) =
        "cuPointerGetAttribute";

    stream_create_with_priority(flags: c_uint, priority: c_int) -> CUstream =
        "cuStreamCreateWithPriority" outside captures;
    stream_destroy(stream: CUstream) = "cuStreamDestroy_v2", "cuStreamDestroy" outside captures;
    stream_get_ctx(stream: CUstream, context: *mut CUcontext) = "cuStreamGetCtx";
    stream_query(stream: CUstream) = "cuStreamQuery" outside captures;
    stream_is_capturing(stream: CUstream, status: *mut c_int) = "cuStreamIsCapturing";
    stream_synchronize(stream: CUstream) = "cuStreamSynchronize" outside captures;
    stream_wait_event(stream: CUstream, event: CUevent, flags: c_uint) = "cuStreamWaitEvent";
    stream_wait_value(stream: CUstream, address: CUdeviceptr, value: u32, flags: c_uint) =
        "cuStreamWaitValue32_v2", "cuStreamWaitValue32";
    stream_wait_value_64(stream: CUstream, address: CUdeviceptr, value: u64, flags: c_uint) =
        "cuStreamWaitValue64_v2", "cuStreamWaitValue64";
    stream_write_value_64(stream: CUstream, address: CUdeviceptr, value: u64, flags: c_uint) =
        "cuStreamWriteValue64_v2", "cuStreamWriteValue64";
    launch_host_func(stream: CUstream, function: CUhostFn, argument: *mut c_void) =
        "cuLaunchHostFunc";

    event_create(flags: c_uint) -> CUevent = "cuEventCreate";
    event_destroy(event: CUevent) = "cuEventDestroy_v2", "cuEventDestroy";
    event_record(event: CUevent, stream: CUstream) = "cuEventRecord";
    event_query(event: CUevent) = "cuEventQuery" outside captures;
    event_synchronize(event: CUevent) = "cuEventSynchronize" outside captures;
    event_elapsed_time(start: CUevent, end: CUevent) -> f32 =
        "cuEventElapsedTime_v2", "cuEventElapsedTime" outside captures;

    memcpy_htod_async(dst: CUdeviceptr, src: *const c_void, len: usize, stream: CUstream) =
        "cuMemcpyHtoDAsync_v2";
    memcpy_dtoh_async(dst: *mut c_void, src: CUdeviceptr, len: usize, stream: CUstream) =
        "cuMemcpyDtoHAsync_v2";
    memcpy_dtod_async(dst: CUdeviceptr, src: CUdeviceptr, len: usize, stream: CUstream) =
        "cuMemcpyDtoDAsync_v2";
    memcpy_async(dst: CUdeviceptr, src: CUdeviceptr, len: usize, stream: CUstream) =
        "cuMemcpyAsync";
    memcpy_peer_async(
        dst: CUdeviceptr,
        dst_context: CUcontext,
        src: CUdeviceptr,
        src_context: CUcontext,
        len: usize,
        stream: CUstream,
    ) = "cuMemcpyPeerAsync";
    // Not its _v2, which does not say which copy is wrong.
    memcpy_batch_async(
        dsts: *mut CUdeviceptr,
        srcs: *mut CUdeviceptr,
        lens: *mut usize,
        count: usize,
        attributes: *mut CUmemcpyAttributes,
        firsts: *mut usize,
        attribute_count: usize,
        failed: *mut usize,
        stream: CUstream,
    ) = "cuMemcpyBatchAsync";
    memcpy_2d_async(copy: *const CUDA_MEMCPY2D, stream: CUstream) = "cuMemcpy2DAsync_v2";
    memcpy_3d_peer_async(copy: *const CUDA_MEMCPY3D_PEER, stream: CUstream) =
        "cuMemcpy3DPeerAsync";
    memset_d8_async(dst: CUdeviceptr, value: u8, len: usize, stream: CUstream) =
        "cuMemsetD8Async";
    memset_d32_async(dst: CUdeviceptr, value: u32, count: usize, stream: CUstream) =
        "cuMemsetD32Async";

    module_load_data(image: *const c_void) -> CUmodule = "cuModuleLoadData" outside captures;
    module_unload(module: CUmodule) = "cuModuleUnload" outside captures;
    module_get_function(module: CUmodule, name: *const c_char) -> CUfunction = "cuModuleGetFunction" outside captures;
    module_get_global(
        address: *mut CUdeviceptr,
        len: *mut usize,
        module: CUmodule,
        name: *const c_char,
    ) = "cuModuleGetGlobal_v2" outside captures;
    func_get_attribute(attribute: c_int, function: CUfunction) -> c_int = "cuFuncGetAttribute" outside captures;
    func_get_param_info(function: CUfunction, index: usize, offset: *mut usize, size: *mut usize) =
        "cuFuncGetParamInfo" outside captures;
    func_set_attribute(function: CUfunction, attribute: c_int, value: c_int) =
        "cuFuncSetAttribute" outside captures;
    launch_kernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) = "cuLaunchKernel";

    graph_create(flags: c_uint) -> CUgraph = "cuGraphCreate";
    graph_destroy(graph: CUgraph) = "cuGraphDestroy";
    graph_add_memcpy(
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        copy: *const CUDA_MEMCPY3D,
        context: CUcontext,
    ) -> CUgraphNode = "cuGraphAddMemcpyNode";
    graph_add_memset(
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        fill: *const CUDA_MEMSET_NODE_PARAMS_st,
        context: CUcontext,
    ) -> CUgraphNode = "cuGraphAddMemsetNode";
    graph_add_kernel(
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        launch: *const CUDA_KERNEL_NODE_PARAMS_st,
    ) -> CUgraphNode = "cuGraphAddKernelNode";
    graph_add_host(
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        call: *const CUDA_HOST_NODE_PARAMS_st,
    ) -> CUgraphNode = "cuGraphAddHostNode";
    graph_add_event_record(
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        event: CUevent,
    ) -> CUgraphNode = "cuGraphAddEventRecordNode";
    graph_instantiate(graph: CUgraph, flags: c_ulonglong) -> CUgraphExec =
        "cuGraphInstantiateWithFlags" outside captures;
    graph_exec_update(
        exec: CUgraphExec,
        graph: CUgraph,
        result: *mut CUgraphExecUpdateResultInfo,
    ) = "cuGraphExecUpdate_v2" outside captures;
    graph_launch(exec: CUgraphExec, stream: CUstream) = "cuGraphLaunch";
    graph_exec_destroy(exec: CUgraphExec) = "cuGraphExecDestroy" outside captures;
}

/// A driver that is loaded and initialized.
pub(crate) struct Api {
    functions: Functions,
    words: Words,
    /// The driver's version from `cuDriverGetVersion`: 1000 * major + 10 * minor, or 0 if that fails.
    version: c_int,
    /// The driver's library. It is never closed, because drivers leave threads and exit handlers behind.
    _library: ManuallyDrop<Library>,
}

impl Api {
    /// Loads the driver of this machine and initializes it.
    pub(crate) fn load() -> Result<Self> {
        let library = open_library()?;
        // SAFETY: a library of this name is a CUDA driver.
        let functions = unsafe { Functions::find(&library) };
        // SAFETY: a CUDA driver, whose functions of these names describe a status.
        let words = unsafe { Words::find(&library) };
        let mut api = Self { functions, words, version: 0, _library: ManuallyDrop::new(library) };
        // SAFETY: the first call, as the driver wants it.
        unsafe { api.init(0) }.map_err(does_not_start)?;
        // SAFETY: the driver returns its version, whatever its state.
        api.version = unsafe { api.driver_get_version() }.unwrap_or(0);
        Ok(api)
    }

    /// Returns the driver's version: 1000 * major + 10 * minor, or 0 if it is not known.
    pub(crate) fn version(&self) -> c_int {
        self.version
    }

    /// Whether the driver can return parameters of kernels.
    pub(crate) fn has_param_info(&self) -> bool {
        self.functions.func_get_param_info.is_some()
    }

    /// Whether the driver has a call for many copies: since CUDA 12.8.
    pub(crate) fn has_copy_batches(&self) -> bool {
        self.functions.memcpy_batch_async.is_some()
    }

    /// Whether the driver has a call for many prefetches: since CUDA 13.0.
    pub(crate) fn has_prefetch_batches(&self) -> bool {
        self.functions.mem_prefetch_batch_async.is_some()
    }

    /// Whether the driver can save processes.
    pub(crate) fn has_checkpoints(&self) -> bool {
        self.functions.checkpoint_lock.is_some()
    }

    fn outcome(&self, call: &'static str, status: c_int) -> Outcome {
        if status == 0 {
            return Ok(());
        }
        Err(Failure::Status { call, status, words: self.words })
    }

    #[cold]
    fn missing(&self, call: &'static str) -> Failure {
        Failure::Missing { call, version: self.version }
    }
}
