/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Common parts of the API: error codes, data types, data buffers.
 */

#ifndef PORTACL_ACL_BASE_H
#define PORTACL_ACL_BASE_H

#include "error_codes/rt_error_codes.h"
#include "error_codes/ge_error_codes.h"
#include "acl_base_rt.h"
#include "acl_base_mdl.h"

#endif  /* PORTACL_ACL_BASE_H */
