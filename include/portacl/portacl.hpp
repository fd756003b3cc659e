/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The C++ face of portacl: C++17, header-only, over the C API, with which it mixes freely (get()
 * and release() of every owner). Failures are exceptions of class portacl::Error; nothing throws
 * from a destructor. Objects are as thread-safe as the handles behind them: one may be used by
 * several threads, and is moved and destroyed by one while no other uses it.
 */

#ifndef PORTACL_PORTACL_HPP
#define PORTACL_PORTACL_HPP

#include "async_buffer.hpp"
#include "buffer.hpp"
#include "copy.hpp"
#include "device.hpp"
#include "error.hpp"
#include "mem_pool.hpp"
#include "memory_hook.hpp"
#include "pinned_memory_resource.hpp"
#include "span.hpp"
#include "stream.hpp"

#endif /* PORTACL_PORTACL_HPP */
