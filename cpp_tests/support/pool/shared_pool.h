// Pools that two processes share.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <fstream>

#include "support/pool/mem_pool.h"
#include "support/two_processes.h"

namespace portacl_test {

// A session, from aclInit to aclFinalize, with a device set.
class Session {
  public:
    explicit Session(int32_t device = 0) {
        ExpectOk("aclInit", aclInit(nullptr));
        ExpectOk("aclrtSetDevice", aclrtSetDevice(device));
    }
    ~Session() { ExpectOk("aclFinalize", aclFinalize()); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

// Whether the device is a GPU. NVIDIA's driver has its own rules about pools of ended processes; the test double
// follows the library's.
inline bool OnGpu() {
    static void* const driver = OnCpu() ? nullptr : dlopen("libcuda.so.1", RTLD_NOW);
    return driver && !dlsym(driver, "fakeCudaFail");
}

// Returns a descriptor in the form that the import takes.
inline void* Handle(int descriptor) {
    return reinterpret_cast<void*>(static_cast<intptr_t>(descriptor));
}

// A descriptor that is closed with this object.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) { EXPECT_GE(number, 0); }
    ~Descriptor() { close(number_); }
    Descriptor(const Descriptor&) = delete;
    operator int() const { return number_; }

  private:
    int number_;
};

inline aclrtMemPoolProps SharedProps(int32_t device = 0) {
    aclrtMemPoolProps props = PoolProps(static_cast<uint32_t>(device));
    props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    return props;
}

// A pool that is destroyed with this object, unless the test has destroyed it.
class SharedPool {
  public:
    explicit SharedPool(const aclrtMemPoolProps& props = SharedProps()) {
        ExpectOk("aclrtMemPoolCreate", aclrtMemPoolCreate(&handle_, &props));
    }
    // Imports the pool of another process by this descriptor, which is then closed.
    static SharedPool Import(int descriptor) {
        aclrtMemPool handle = nullptr;
        ExpectOk("portaclMemPoolImportFromShareableHandle",
                 portaclMemPoolImportFromShareableHandle(&handle, Handle(descriptor), ACL_MEM_HANDLE_TYPE_POSIX, 0));
        close(descriptor);
        return SharedPool(handle);
    }
    ~SharedPool() { Destroy(); }
    SharedPool(SharedPool&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    SharedPool& operator=(SharedPool&&) = delete;

    operator aclrtMemPool() const { return handle_; }

    void Destroy() {
        if (handle_) ExpectOk("aclrtMemPoolDestroy", aclrtMemPoolDestroy(handle_));
        handle_ = nullptr;
    }

    // Gives the pool up: it is destroyed already, or the test destroys it.
    aclrtMemPool Release() { return std::exchange(handle_, nullptr); }

    // Returns a new descriptor, which the caller closes.
    int Export() const {
        int descriptor = -1;
        ExpectOk("portaclMemPoolExportToShareableHandle",
                 portaclMemPoolExportToShareableHandle(&descriptor, handle_, ACL_MEM_HANDLE_TYPE_POSIX, 0));
        return descriptor;
    }

    // Allocates memory that is usable on any stream or none: the allocation is complete.
    void* Malloc(size_t size) const {
        void* ptr = nullptr;
        ExpectOk("aclrtMemPoolMallocAsync", aclrtMemPoolMallocAsync(&ptr, size, handle_, nullptr));
        ExpectOk("aclrtSynchronizeStream", aclrtSynchronizeStream(nullptr));
        return ptr;
    }

  private:
    explicit SharedPool(aclrtMemPool handle) : handle_(handle) {}

    aclrtMemPool handle_ = nullptr;
};

// Frees memory and waits for the free.
inline void FreeAndWait(void* ptr, aclrtStream stream = nullptr) {
    Free(ptr, stream);
    Synchronize(stream);
}

using ExportData = portaclMemPoolPtrExportData;

inline ExportData ExportPointer(void* ptr) {
    ExportData data{};
    data.size = sizeof data;
    ExpectOk("portaclMemPoolExportPointer", portaclMemPoolExportPointer(&data, ptr));
    return data;
}

inline void* ImportPointer(aclrtMemPool pool, const ExportData& data) {
    void* ptr = nullptr;
    ExpectOk("portaclMemPoolImportPointer", portaclMemPoolImportPointer(&ptr, pool, &data));
    return ptr;
}

inline void Set(void* ptr, size_t size, int value) {
    ExpectOk("aclrtMemset", aclrtMemset(ptr, size, value, size));
}

inline testing::AssertionResult Holds(const void* ptr, size_t size, int value) {
    std::vector<unsigned char> bytes(size, static_cast<unsigned char>(~value));
    const aclError code = aclrtMemcpy(bytes.data(), size, ptr, size, ACL_MEMCPY_DEVICE_TO_HOST);
    if (code != 0) return Returned("aclrtMemcpy", code, 0);
    for (size_t i = 0; i < size; ++i)
        if (bytes[i] != value) return testing::AssertionFailure() << "byte " << i << " is " << int{bytes[i]};
    return testing::AssertionSuccess();
}

// Returns what this process has open: the targets of its descriptors, and its shared mappings of memory files.
inline std::vector<std::string> Belongings() {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const auto target = std::filesystem::read_symlink(entry.path(), gone);
        // The descriptor of the listing itself is closed by now.
        if (!gone) all.push_back(target.string());
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        for (const char* name : {"memfd:portacl-shared", "memfd:fake_cuda"})
            if (line.find(name) != std::string::npos) all.push_back("a mapping");
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace portacl_test
