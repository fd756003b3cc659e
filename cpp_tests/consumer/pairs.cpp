// The same work with the C API and with the C++ wrappers, one function each. run.sh compares the
// generated code and the executed instructions.
#include <portacl/portacl.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct FloatBuffer {
    void* data;
    size_t size;
};

[[noreturn, gnu::cold, gnu::noinline]] void Fail(aclError code, const char* file, int line) {
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %d: %s\n", file, line, code, text ? text : "");
    std::exit(1);
}

inline void Check(aclError code, int line) {
    if (code != ACL_SUCCESS) Fail(code, __FILE__, line);
}

}  // namespace

// Global functions, so that objdump and valgrind show plain names.
extern "C" {

[[gnu::noinline]] void c_copy_on_device(const FloatBuffer& dst, const FloatBuffer& src, aclrtStream stream) {
    Check(aclrtMemcpyAsync(dst.data, dst.size * sizeof(float), src.data, src.size * sizeof(float),
                           ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
          __LINE__);
}
[[gnu::noinline]] void cpp_copy_on_device(const portacl::DeviceBuffer<float>& dst,
                                          const portacl::DeviceBuffer<float>& src, portacl::StreamRef stream) {
    portacl::copy_async(dst, src, stream);
}

[[gnu::noinline]] void c_copy_to_device(const FloatBuffer& dst, const FloatBuffer& src, aclrtStream stream) {
    Check(aclrtMemcpyAsync(dst.data, dst.size * sizeof(float), src.data, src.size * sizeof(float),
                           ACL_MEMCPY_HOST_TO_DEVICE, stream),
          __LINE__);
}
[[gnu::noinline]] void cpp_copy_to_device(const portacl::DeviceBuffer<float>& dst,
                                          const portacl::HostBuffer<float>& src, portacl::StreamRef stream) {
    portacl::copy_async(dst, src, stream);
}

[[gnu::noinline]] void c_copy_and_wait(const FloatBuffer& dst, const FloatBuffer& src) {
    Check(
        aclrtMemcpy(dst.data, dst.size * sizeof(float), src.data, src.size * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST),
        __LINE__);
}
[[gnu::noinline]] void cpp_copy_and_wait(const portacl::HostBuffer<float>& dst,
                                         const portacl::DeviceBuffer<float>& src) {
    portacl::copy(dst, src);
}

[[gnu::noinline]] void c_synchronize(aclrtStream stream) {
    Check(aclrtSynchronizeStream(stream), __LINE__);
}
[[gnu::noinline]] void cpp_synchronize(portacl::StreamRef stream) {
    stream.synchronize();
}
}

// usage: pairs c|cpp ROUNDS
int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const bool cpp = std::strcmp(argv[1], "cpp") == 0;
    const int rounds = std::atoi(argv[2]);
    const portacl::Runtime runtime;
    const portacl::Device device;
    const portacl::Stream stream;
    const portacl::DeviceBuffer<float> first(64), second(64);
    const portacl::HostBuffer<float> host(64), back(64);
    const FloatBuffer c_first{first.data(), 64}, c_second{second.data(), 64}, c_host{host.data(), 64},
        c_back{back.data(), 64};
    for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i);
    for (int round = 0; round < rounds; ++round) {
        if (cpp) {
            cpp_copy_to_device(first, host, stream);
            cpp_copy_on_device(second, first, stream);
            cpp_synchronize(stream);
            cpp_copy_and_wait(back, second);
        } else {
            c_copy_to_device(c_first, c_host, stream.get());
            c_copy_on_device(c_second, c_first, stream.get());
            c_synchronize(stream.get());
            c_copy_and_wait(c_back, c_second);
        }
    }
    return std::equal(host.begin(), host.end(), back.begin()) ? 0 : 1;
}
