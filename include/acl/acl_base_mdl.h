/* SPDX-License-Identifier: Apache-2.0 */
/* Made from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Belongs to the model layer, which this library does not have: it declares nothing.
 */

#ifndef PORTACL_ACL_BASE_MDL_H
#define PORTACL_ACL_BASE_MDL_H

#endif  /* PORTACL_ACL_BASE_MDL_H */
