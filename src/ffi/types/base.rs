//! Types of `acl_base_rt.h`: handles, data types, formats.

use std::ffi::{c_int, c_void};

/// A stream: an in-order queue of a device.
pub type aclrtStream = *mut c_void;

/// A task of a graph.
pub type aclmdlRITask = *mut c_void;

/// An event: a point in a stream's work.
pub type aclrtEvent = *mut c_void;

/// A context: a device with a default stream.
pub type aclrtContext = *mut c_void;

/// A notify: a signal between streams, consumed by the wait.
pub type aclrtNotify = *mut c_void;

/// A counted notify.
pub type aclrtCntNotify = *mut c_void;

/// A label: a branch target in a stream of a graph.
pub type aclrtLabel = *mut c_void;

/// A list of labels.
pub type aclrtLabelList = *mut c_void;

/// A buffer for queues.
pub type aclrtMbuf = *mut c_void;

/// An error code; 0 is success.
pub type aclError = c_int;

/// A half-precision number, as its bits.
pub type aclFloat16 = u16;

/// An address and a size, accessed by functions.
pub struct aclDataBuffer([u8; 0]);

/// The description of an allocator.
pub type aclrtAllocatorDesc = *mut c_void;

/// An allocator of the program: the first argument of its functions.
pub type aclrtAllocator = *mut c_void;

/// A block of an allocator of the program.
pub type aclrtAllocatorBlock = *mut c_void;

/// An address near which an allocator should allocate.
pub type aclrtAllocatorAddr = *mut c_void;

/// A group of captured tasks that can be updated.
pub type aclrtTaskGrp = *mut c_void;

/// The type of an element.
#[repr(C)]
pub enum aclDataType {
    /// No type.
    ACL_DT_UNDEFINED = -1,
    /// Single precision, 4 bytes.
    ACL_FLOAT = 0,
    /// Half precision, 2 bytes.
    ACL_FLOAT16 = 1,
    /// Signed, 1 byte.
    ACL_INT8 = 2,
    /// Signed, 4 bytes.
    ACL_INT32 = 3,
    /// Unsigned, 1 byte.
    ACL_UINT8 = 4,
    /// Signed, 2 bytes.
    ACL_INT16 = 6,
    /// Unsigned, 2 bytes.
    ACL_UINT16 = 7,
    /// Unsigned, 4 bytes.
    ACL_UINT32 = 8,
    /// Signed, 8 bytes.
    ACL_INT64 = 9,
    /// Unsigned, 8 bytes.
    ACL_UINT64 = 10,
    /// Double precision, 8 bytes.
    ACL_DOUBLE = 11,
    /// A truth value, 1 byte.
    ACL_BOOL = 12,
    /// A text.
    ACL_STRING = 13,
    /// Two single-precision numbers.
    ACL_COMPLEX64 = 16,
    /// Two double-precision numbers.
    ACL_COMPLEX128 = 17,
    /// The upper half of a single-precision number, 2 bytes.
    ACL_BF16 = 27,
    /// Signed, half a byte.
    ACL_INT4 = 29,
    /// One bit.
    ACL_UINT1 = 30,
    /// Two half-precision numbers.
    ACL_COMPLEX32 = 33,
    /// 8 bits with a tapered exponent.
    ACL_HIFLOAT8 = 34,
    /// 8 bits: 5 of exponent, 2 of fraction.
    ACL_FLOAT8_E5M2 = 35,
    /// 8 bits: 4 of exponent, 3 of fraction, no infinities.
    ACL_FLOAT8_E4M3FN = 36,
    /// 8 bits, all of exponent: a scale.
    ACL_FLOAT8_E8M0 = 37,
    /// 6 bits: 3 of exponent, 2 of fraction.
    ACL_FLOAT6_E3M2 = 38,
    /// 6 bits: 2 of exponent, 3 of fraction.
    ACL_FLOAT6_E2M3 = 39,
    /// 4 bits: 2 of exponent, 1 of fraction.
    ACL_FLOAT4_E2M1 = 40,
    /// 4 bits: 1 of exponent, 2 of fraction.
    ACL_FLOAT4_E1M2 = 41,
}

/// The order of a tensor's dimensions. N batch, C channels, D depth, H height, W width.
#[repr(C)]
pub enum aclFormat {
    /// No format.
    ACL_FORMAT_UNDEFINED = -1,
    /// Channels before the image.
    ACL_FORMAT_NCHW = 0,
    /// Channels after the image.
    ACL_FORMAT_NHWC = 1,
    /// Any number of dimensions, in the given order.
    ACL_FORMAT_ND = 2,
    /// Channels divided into blocks of C0.
    ACL_FORMAT_NC1HWC0 = 3,
    /// Weights in small blocks.
    ACL_FORMAT_FRACTAL_Z = 4,
    /// The same as ACL_FORMAT_NC1HWC0 with blocks of 4.
    ACL_FORMAT_NC1HWC0_C04 = 12,
    /// Weights with the batch last.
    ACL_FORMAT_HWCN = 16,
    /// Volumes, channels last.
    ACL_FORMAT_NDHWC = 27,
    /// Matrices in small blocks.
    ACL_FORMAT_FRACTAL_NZ = 29,
    /// Volumes, channels first.
    ACL_FORMAT_NCDHW = 30,
    /// Volumes with channels divided into blocks of C0.
    ACL_FORMAT_NDC1HWC0 = 32,
    /// Weights of volumes in small blocks.
    ACL_FRACTAL_Z_3D = 33,
    /// Batch and channels only.
    ACL_FORMAT_NC = 35,
    /// Batch, channels, and one length.
    ACL_FORMAT_NCL = 47,
    /// The same as ACL_FORMAT_FRACTAL_NZ with blocks of 16.
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
    /// The same as ACL_FORMAT_FRACTAL_NZ with blocks of 32.
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
    /// The same as ACL_FORMAT_FRACTAL_NZ with blocks of 2.
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
    /// The same as ACL_FORMAT_FRACTAL_NZ with blocks of 4.
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
    /// The same as ACL_FORMAT_FRACTAL_NZ with blocks of 8.
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,
}

/// The severity of a log line.
#[repr(C)]
pub enum aclLogLevel {
    /// A line for debugging.
    ACL_DEBUG = 0,
    /// Normal operation.
    ACL_INFO = 1,
    /// Unusual, but not a failure.
    ACL_WARNING = 2,
    /// A failure.
    ACL_ERROR = 3,
}

/// The place of a tensor's memory.
#[repr(C)]
pub enum aclMemType {
    /// The device.
    ACL_MEMTYPE_DEVICE = 0,
    /// The host; the memory is known when an operator is compiled.
    ACL_MEMTYPE_HOST = 1,
    /// The host; the memory is not used when an operator is compiled.
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2,
}

/// Options of a context or of the process.
#[repr(C)]
pub enum aclSysParamOpt {
    /// The same input gives bit-identical results.
    ACL_OPT_DETERMINISTIC = 0,
    /// Kernels with checks.
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
    /// The result of a row does not depend on its position in the batch; an older name.
    ACL_OPT_STRONG_CONSISTENCY = 2,
    /// A kernel may start before the previous kernel has ended.
    ACL_OPT_ENABLE_KERNEL_EARLY_START = 3,
}

/// Attributes of the chip and its software.
#[repr(C)]
pub enum aclCannAttr {
    /// None.
    ACL_CANN_ATTR_UNDEFINED = -1,
    /// Infinities and NaN are supported.
    ACL_CANN_ATTR_INF_NAN = 0,
    /// bfloat16 arithmetic is supported.
    ACL_CANN_ATTR_BF16 = 1,
    /// Operators are compiled at run time.
    ACL_CANN_ATTR_JIT_COMPILE = 2,
}

/// Numbers of a chip.
#[repr(C)]
pub enum aclDeviceInfo {
    /// None.
    ACL_DEVICE_INFO_UNDEFINED = -1,
    /// AI cores.
    ACL_DEVICE_INFO_AI_CORE_NUM = 0,
    /// Vector cores.
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
    /// Level-2 cache in bytes.
    ACL_DEVICE_INFO_L2_SIZE = 2,
}
