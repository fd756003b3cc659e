// Ranks of one process: each has a thread, a stream, and a communicator.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "plugin_under_test.h"
#include "support/gate.h"

namespace paddle_test {

// The bytes by which ranks find each other.
class UniqueId {
  public:
    UniqueId() {
        std::size_t size = 0;
        EXPECT_EQ(Plugin().xccl_get_unique_id_size(&size), C_SUCCESS);
        bytes_.resize(size);
        id_ = {size, bytes_.data()};
        EXPECT_EQ(Plugin().xccl_get_unique_id(&id_), C_SUCCESS);
    }
    UniqueId(const UniqueId&) = delete;
    UniqueId& operator=(const UniqueId&) = delete;
    C_CCLRootId* get() { return &id_; }

  private:
    std::vector<unsigned char> bytes_;
    C_CCLRootId id_{};
};

// Device memory of numbers.
template <typename Number>
class Numbers {
  public:
    Numbers(int device, const std::vector<Number>& values)
        : device_{device}, count_(values.size()), memory_(device, Bytes() + 1) {
        EXPECT_EQ(Plugin().memory_copy_h2d(&device_, memory_.At(), values.data(), Bytes()), C_SUCCESS);
    }
    void* get(std::size_t index = 0) const { return memory_.At(index * sizeof(Number)); }
    std::vector<Number> values() const {
        std::vector<Number> values(count_);
        C_Device_st device = device_;
        EXPECT_EQ(Plugin().memory_copy_d2h(&device, values.data(), memory_.At(), Bytes()), C_SUCCESS);
        return values;
    }

  private:
    std::size_t Bytes() const { return count_ * sizeof(Number); }

    C_Device_st device_;
    std::size_t count_;
    Memory memory_;
};

struct Rank {
    std::size_t rank;
    std::size_t size;
    int device;
    C_CCLComm comm = nullptr;
    C_Stream stream = nullptr;

    C_Status Synchronize() const {
        C_Device_st on{device};
        return Plugin().synchronize_stream(&on, stream);
    }
};

// Runs a function for each rank. They share the devices.
inline void RunRanks(std::size_t size, const std::function<void(const Rank&)>& body) {
    UniqueId id;
    const int devices = DeviceCount();
    const auto run = [&](std::size_t rank) {
        Rank own{rank, size, static_cast<int>(rank) % devices};
        C_Device_st device{own.device};
        EXPECT_EQ(Plugin().init_device(&device), C_SUCCESS);
        const PluginStream stream(own.device);
        own.stream = stream;
        // Collectives use the device of the stream.
        C_Device_st other{(own.device + 1) % devices};
        EXPECT_EQ(Plugin().set_device(&other), C_SUCCESS);
        EXPECT_EQ(Plugin().xccl_comm_init_rank(size, id.get(), rank, &own.comm), C_SUCCESS);
        body(own);
        EXPECT_EQ(Plugin().xccl_destroy_comm(own.comm), C_SUCCESS);
    };
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < size; ++rank) threads.emplace_back(run, rank);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace paddle_test
