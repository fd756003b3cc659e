/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The C++ interface of portacl: C++17, header-only, over the C API. Both can be mixed (get() and
 * release() of every owner). Errors of calls are exceptions of class portacl::Error
 * (PinnedMemoryResource also throws std::bad_alloc); destructors do not
 * throw. Objects are as thread-safe as their handles: several threads may use one, but only one
 * thread may move or destroy it while no other uses it.
 */

#ifndef PORTACL_PORTACL_HPP
#define PORTACL_PORTACL_HPP

#include "async_buffer.hpp"
#include "binary.hpp"
#include "buffer.hpp"
#include "copy.hpp"
#include "copy_2d.hpp"
#include "copy_batch.hpp"
#include "device.hpp"
#include "error.hpp"
#include "graph.hpp"
#include "mem_pool.hpp"
#include "memory_hook.hpp"
#include "notify.hpp"
#include "pinned_memory_resource.hpp"
#include "reduce.hpp"
#include "span.hpp"
#include "stream.hpp"
#include "task.hpp"

#endif /* PORTACL_PORTACL_HPP */
