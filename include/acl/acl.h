/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Most of the API. Memory pools (acl_rt_memory_soma.h) and profiling (acl_prof.h) are separate.
 */

#ifndef PORTACL_ACL_H
#define PORTACL_ACL_H

#include "acl_rt.h"
#include "acl_op.h"
#include "acl_mdl.h"

#endif  /* PORTACL_ACL_H */
