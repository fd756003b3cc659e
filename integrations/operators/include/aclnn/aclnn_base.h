/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Operators in two phases. `aclnnXGetWorkspaceSize` checks the arguments, keeps what it needs of them, and returns an
 * executor. `aclnnX` enqueues the operator in a stream. The workspace is always 0 bytes.
 *
 * An executor is for one call of the second phase, which consumes it. One that is never used is dropped when more than
 * a thousand newer ones wait for theirs.
 */

#ifndef PORTACL_ACLNN_ACLNN_BASE_H
#define PORTACL_ACLNN_ACLNN_BASE_H

#include <acl/acl_rt.h>

#include "acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** Both are optional. */
aclnnStatus aclnnInit(const char* configPath);
aclnnStatus aclnnFinalize(void);

/** The executor serves any number of calls of the second phase, until aclDestroyAclOpExecutor. */
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor);
/** Work that is enqueued still runs. */
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor);
/** Tensor number `index` of a repeatable executor, counted over the tensors of the arguments in order, is at another
 * address in later calls of the second phase. `tensor` is the tensor of the first phase, and is not read. */
aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* PORTACL_ACLNN_ACLNN_BASE_H */
