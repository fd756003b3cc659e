#include <functional>
#include <numeric>

#include "plugin_under_test.h"

using namespace paddle_test;

namespace {

class Copy : public WithTwoDevices {
  protected:
    static std::vector<unsigned char> Pattern(std::size_t size) {
        std::vector<unsigned char> bytes(size);
        std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
        return bytes;
    }
};

// From the host, within a device, to the other device, and back.
struct CopyChain {
    explicit CopyChain(std::size_t size) : first(0, size), second(0, size), third(1, size) {}
    const Memory first, second, third;
};

// Small copies can run on the calling thread, large copies do not.
constexpr std::size_t kSizes[] = {1, 64, 4097, 5 << 20};

TEST_F(Copy, AtOnceInEveryDirection) {
    for (const std::size_t size : kSizes) {
        SCOPED_TRACE(size);
        const auto source = Pattern(size);
        std::vector<unsigned char> back(size);
        const auto [first, second, third] = CopyChain(size);
        EXPECT_EQ(Plugin().memory_copy_h2d(device(), first.At(), source.data(), size), C_SUCCESS);
        EXPECT_EQ(Plugin().memory_copy_d2d(device(), second.At(), first.At(), size), C_SUCCESS);
        EXPECT_EQ(Plugin().memory_copy_p2p(other(), device(), third.At(), second.At(), size), C_SUCCESS);
        EXPECT_EQ(Plugin().memory_copy_d2h(other(), back.data(), third.At(), size), C_SUCCESS);
        EXPECT_EQ(back, source);
    }
}

TEST_F(Copy, InStreamsInEveryDirection) {
    for (const std::size_t size : kSizes) {
        SCOPED_TRACE(size);
        const auto source = Pattern(size);
        std::vector<unsigned char> back(size);
        const auto [first, second, third] = CopyChain(size);
        PluginStream here(0);
        PluginStream there(1);
        EXPECT_EQ(Plugin().async_memory_copy_h2d(device(), here, first.At(), source.data(), size), C_SUCCESS);
        EXPECT_EQ(Plugin().async_memory_copy_d2d(device(), here, second.At(), first.At(), size), C_SUCCESS);
        EXPECT_EQ(Plugin().async_memory_copy_p2p(other(), device(), there, third.At(), second.At(), size), C_SUCCESS);
        EXPECT_EQ(Plugin().async_memory_copy_d2h(other(), there, back.data(), third.At(), size), C_SUCCESS);
        EXPECT_EQ(there.Synchronize(), C_SUCCESS);
        EXPECT_EQ(back, source);
    }
}

TEST_F(Copy, WithinOneDeviceByTheCallForTwo) {
    const Memory from(0, 4096, 7);
    const Memory to(0, 4096, 1);
    PluginStream stream(0);
    EXPECT_EQ(Plugin().async_memory_copy_p2p(device(), device(), stream, to.At(), from.At(), 4096), C_SUCCESS);
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(to.Holds(7));
}

TEST_F(Copy, InTheDefaultStream) {
    const Memory memory(0, 4096);
    const auto source = Pattern(4096);
    EXPECT_EQ(Plugin().async_memory_copy_h2d(device(), nullptr, memory.At(), source.data(), 4096), C_SUCCESS);
    EXPECT_EQ(Plugin().synchronize_stream(device(), nullptr), C_SUCCESS);
    EXPECT_EQ(memory.Read(), source);
}

// Each copy as dst, src, size, by name.
struct CopyCall {
    const char* name;
    std::function<C_Status(C_Device, void*, const void*, std::size_t)> run;
};

std::vector<CopyCall> Calls(C_Device source, C_Stream stream) {
    const Callbacks& p = Plugin();
    const auto queued = [stream](decltype(Callbacks::async_memory_copy_h2d) copy) {
        return [=](C_Device device, void* dst, const void* src, std::size_t size) {
            return copy(device, stream, dst, src, size);
        };
    };
    return {
        {"memory_copy_h2d", p.memory_copy_h2d},
        {"memory_copy_d2h", p.memory_copy_d2h},
        {"memory_copy_d2d", p.memory_copy_d2d},
        {"memory_copy_p2p", [=](C_Device device, void* dst, const void* src,
                                std::size_t size) { return p.memory_copy_p2p(device, source, dst, src, size); }},
        {"async_memory_copy_h2d", queued(p.async_memory_copy_h2d)},
        {"async_memory_copy_d2h", queued(p.async_memory_copy_d2h)},
        {"async_memory_copy_d2d", queued(p.async_memory_copy_d2d)},
        {"async_memory_copy_p2p",
         [=](C_Device device, void* dst, const void* src, std::size_t size) {
             return p.async_memory_copy_p2p(device, source, stream, dst, src, size);
         }},
    };
}

TEST_F(Copy, BadArgumentsAreRefusedInWords) {
    const Memory memory(0, 4096, 5);
    std::vector<unsigned char> host(1 << 16, 3);
    PluginStream stream(0);
    C_Device_st source{0};
    for (const CopyCall& call : Calls(&source, stream)) {
        SCOPED_TRACE(call.name);
        const std::string name = call.name;
        const bool from_host = name.find("h2d") != std::string::npos;
        const bool to_host = name.find("d2h") != std::string::npos;
        void* dst = to_host ? host.data() : memory.At();
        const void* src = from_host ? host.data() : memory.At(2048);
        ErrorOutput output;
        EXPECT_EQ(call.run(nullptr, dst, src, 16), C_ERROR);
        EXPECT_EQ(call.run(device(), nullptr, src, 16), C_ERROR);
        EXPECT_EQ(call.run(device(), dst, nullptr, 16), C_ERROR);
        EXPECT_EQ(call.run(device(), dst, src, 1 << 15), C_ERROR) << "past the end of device memory";
        C_Device_st wrong{DeviceCount()};
        EXPECT_EQ(call.run(&wrong, dst, src, 16), C_ERROR);
        if (from_host || to_host) {
            EXPECT_EQ(call.run(device(), host.data(), host.data() + 64, 16), C_ERROR) << "host to host";
        }
        EXPECT_NE(output.Take().find(name), std::string::npos);
    }
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(memory.Holds(5)) << "a refused copy wrote";
    ErrorOutput output;
    EXPECT_EQ(Plugin().memory_copy_p2p(device(), nullptr, memory.At(), memory.At(64), 16), C_ERROR);
    EXPECT_EQ(Plugin().async_memory_copy_p2p(device(), nullptr, stream, memory.At(), memory.At(64), 16), C_ERROR);
}

TEST_F(Copy, AStreamThatIsNoneOrOfAnotherDeviceIsRefused) {
    const Memory memory(0, 4096, 5);
    std::vector<unsigned char> host(4096, 3);
    C_Stream dead = nullptr;
    ASSERT_EQ(Plugin().create_stream(device(), &dead), C_SUCCESS);
    ASSERT_EQ(Plugin().destroy_stream(device(), dead), C_SUCCESS);
    PluginStream other_device(1);
    int local = 0;
    ErrorOutput output;
    for (const C_Stream stream : {dead, static_cast<C_Stream>(other_device), reinterpret_cast<C_Stream>(&local)}) {
        EXPECT_EQ(Plugin().async_memory_copy_h2d(device(), stream, memory.At(), host.data(), 16), C_ERROR);
        EXPECT_EQ(Plugin().async_memory_copy_p2p(device(), other(), stream, memory.At(), memory.At(64), 16), C_ERROR);
    }
    EXPECT_TRUE(memory.Holds(5));
}

}  // namespace
