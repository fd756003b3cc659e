// Ranks of one world as threads of a test.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace hccl {

// Runs a function for each rank, each on a thread. Returns what each threw, or an empty text.
inline std::vector<std::string> RunRanks(uint32_t size, const std::function<void(uint32_t)>& body) {
    std::vector<std::string> texts(size);
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < size; rank++) {
        threads.emplace_back([&, rank] {
            try {
                body(rank);
            } catch (const std::exception& error) {
                texts[rank] = error.what();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    return texts;
}

}  // namespace hccl
