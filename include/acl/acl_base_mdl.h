/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * The model layer, which this library does not have: declares nothing.
 */

#ifndef PORTACL_ACL_BASE_MDL_H
#define PORTACL_ACL_BASE_MDL_H

#endif  /* PORTACL_ACL_BASE_MDL_H */
