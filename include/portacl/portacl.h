/* SPDX-License-Identifier: Apache-2.0 */
/* Made from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * What portacl offers beyond the Ascend runtime API. Every name begins with portacl.
 */

#ifndef PORTACL_PORTACL_PORTACL_H
#define PORTACL_PORTACL_PORTACL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Which backend this process uses: `"cpu"` or `"cuda"`. Decided by `PORTACL_BACKEND` and the machine when
 * the library opens its backend; this call opens it if nothing has yet.
 *
 * @return a zero-terminated text that stays valid for the life of the process; null if there is no usable
 * backend, or after aclFinalize: aclGetRecentErrMsg says why. Thread-safe.
 */
const char *portaclBackendName(void);

/**
 * Tells what a device is, for a person: the GPU's name, or how many cores the CPU device has.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param name receives a zero-terminated text, cut to `size` where it is longer.
 * @param size room at `name` in bytes, at least 1; 128 is plenty.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `name` is null or `size` is 0;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no
 * usable device, or the driver does not answer. Thread-safe.
 */
aclError portaclDeviceName(int32_t deviceId,
                           char *name,
                           size_t size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_PORTACL_PORTACL_H */
