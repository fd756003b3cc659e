// The types of Paddle's custom-device interface: from the header of the installed wheel, or, on
// machines without Paddle, declared here. With a wheel, conformance.cpp checks that both are equal.
// The table of callbacks has no type here: slots.inc has the offsets of its slots.
#pragma once

#ifdef PORTACL_PADDLE_HEADER
#include <paddle/phi/backends/device_ext.h>
#else

#include <array>
#include <cstddef>
#include <cstdint>

extern "C" {

typedef enum { C_SUCCESS = 0, C_WARNING, C_FAILED, C_ERROR, C_INTERNAL_ERROR } C_Status;

typedef enum {
    UNDEFINED = 0,
    BOOL,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    INT8,
    INT16,
    INT32,
    INT64,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    BFLOAT16,
    COMPLEX64,
    COMPLEX128
} C_DataType;

struct C_Device_st {
    int id;
};
typedef struct C_Device_st* C_Device;
typedef struct C_Stream_st* C_Stream;
typedef struct C_Event_st* C_Event;
typedef struct C_Profiler_st* C_Profiler;

typedef struct {
    std::size_t sz;
    void* data;
} C_CCLRootId;
typedef struct C_CCLComm_st* C_CCLComm;
typedef enum { SUM = 0, AVG, MAX, MIN, PRODUCT } C_CCLReduceOp;

typedef void (*C_Callback)(C_Device device, C_Stream stream, void* user_data, C_Status* status);

struct C_DeviceInterface {
    std::size_t size;  // of the table; the callbacks follow
};

struct CustomRuntimeVersion {
    std::size_t major, minor, patch;
};

struct CustomRuntimeParams {
    std::size_t size;
    C_DeviceInterface* interface;
    CustomRuntimeVersion version;
    char* device_type;
    char* sub_device_type;
    void* pir_default_passes;
    char reserved[32];
};

void InitPlugin(CustomRuntimeParams* params);

}  // extern "C"

#endif
