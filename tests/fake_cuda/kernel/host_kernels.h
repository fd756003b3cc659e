// The CUDA source of the kernels, compiled for the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Returns the content of dst after the kernel `name` of the source, run by `grid` times `block` threads one after
// another. `offset` is the offset of both buffers from a 16-byte boundary.
std::vector<uint8_t> run_source(const std::string& name, const std::vector<uint8_t>& dst,
                                const std::vector<uint8_t>& src, size_t element, size_t offset, unsigned grid,
                                unsigned block);
