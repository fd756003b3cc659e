// A program that puts files of its own where the library has descriptors, or where it was started without standard
// streams, and then uses the library on. It fails if one of its files changes, or if a call fails without a reason.
//
// usage: descriptors_child FOLDER KERNELS MOMENT WHICH STREAMS
// FOLDER: for the files, and for the file "report". KERNELS: a file to load. MOMENT: the number of the step after which
// descriptors are replaced, or none. WHICH: the place of one in their order, or all. STREAMS: "files" opens files where
// standard streams are missing; "none" does not.
#include <acl/acl.h>
#include <acl/acl_rt_memory_soma.h>
#include <portacl/portacl.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr size_t kMiB = 1 << 20;
constexpr size_t kLarge = 2 * kMiB;
constexpr off_t kPosition = 1234;

// Returns the lowest number of a descriptor of the library.
int Floor() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > 100 ? 100 : 3;
}

std::string folder, report;
const char* kernels = nullptr;
bool is_lost = false;
int failures = 0;

[[gnu::format(printf, 1, 2)]] void Say(const char* format, ...) {
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report += text;
    report += '\n';
}

[[gnu::format(printf, 1, 2)]] void Fail(const char* format, ...) {
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ++failures;
    Say("FAILED: %s", text);
}

// Whether a call succeeded. It may fail where the backend lacks the function and, if it needs a descriptor, where that
// is lost: then the text says so.
bool Did(const char* call, aclError code, bool needs_descriptor = false) {
    if (code == ACL_SUCCESS) return true;
    const char* text = aclGetRecentErrMsg();
    if (!text) text = "no text";
    const bool is_missing = code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT && !std::strstr(text, "descriptor");
    const bool is_explained = needs_descriptor && is_lost && std::strstr(text, "has closed descriptor");
    if (!is_missing && !is_explained) Fail("%s returned %d: %s", call, code, text);
    return false;
}

#define DID(call) Did(#call, call)
#define MAY_NEED(call) Did(#call, call, true)

// A file of the program at a number.
class ProgramFile {
  public:
    // Opens the file. The number is the lowest free one.
    explicit ProgramFile(const std::string& name) {
        number_ = open((folder + "/" + name).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (number_ < 0) Fail("%s cannot be opened", name.c_str());
        for (size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<char>(i * 7 + name.size());
        if (write(number_, content_.data(), content_.size()) != static_cast<ssize_t>(content_.size()))
            Fail("%s cannot be written", name.c_str());
        lseek(number_, kPosition, SEEK_SET);
        fstat(number_, &state_);
    }

    int number() const { return number_; }

    void MoveTo(int number) {
        if (dup2(number_, number) != number) Fail("descriptor %d cannot be replaced", number);
        close(number_);
        number_ = number;
    }

    void Check() const {
        struct stat now;
        if (fstat(number_, &now) != 0) return Fail("the file at %d was closed", number_);
        if (now.st_ino != state_.st_ino || now.st_dev != state_.st_dev) Fail("descriptor %d is another file", number_);
        if (now.st_size != state_.st_size) Fail("the file at %d has another length", number_);
        if (lseek(number_, 0, SEEK_CUR) != kPosition) Fail("the file at %d has another position", number_);
        std::vector<char> bytes(content_.size());
        if (pread(number_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()) || bytes != content_)
            Fail("the file at %d has another content", number_);
    }

  private:
    int number_ = -1;
    struct stat state_ {};
    std::vector<char> content_ = std::vector<char>(64 << 10);
};

std::set<int> OpenDescriptors() {
    std::set<int> numbers;
    DIR* directory = opendir("/proc/self/fd");
    while (const dirent* entry = readdir(directory)) {
        const int number = std::atoi(entry->d_name);
        if (entry->d_name[0] != '.' && number != dirfd(directory)) numbers.insert(number);
    }
    closedir(directory);
    return numbers;
}

std::vector<ProgramFile> files;
std::set<int> at_start, missing;

// The descriptors of the library. A driver of the backend has others, with lower numbers.
std::vector<int> OfLibrary() {
    std::vector<int> numbers;
    const char* backend = std::getenv("PORTACL_BACKEND");
    const bool on_cpu = backend && std::strcmp(backend, "cpu") == 0;
    for (const int number : OpenDescriptors()) {
        bool is_known = at_start.count(number) != 0;
        for (const ProgramFile& file : files) is_known = is_known || file.number() == number;
        if (is_known) continue;
        char path[256];
        const ssize_t length = readlink(("/proc/self/fd/" + std::to_string(number)).c_str(), path, sizeof path);
        const std::string target(path, length < 0 ? 0 : static_cast<size_t>(length));
        if (number >= Floor())
            numbers.push_back(number);
        else if (on_cpu)
            Fail("descriptor %d is low: %s", number, target.c_str());
        else
            missing.erase(number);
    }
    return numbers;
}

int moment = -1, step = 0;
std::string which;

// Called after each step: checks all descriptors and, at the chosen moment, replaces them.
void After(const char* what) {
    const std::vector<int> numbers = OfLibrary();
    Say("step %d, %s: %zu descriptors", step, what, numbers.size());
    if (step++ != moment) return;
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (which != "all" && which != std::to_string(i)) continue;
        ProgramFile file("replaced" + std::to_string(i));
        file.MoveTo(numbers[i]);
        files.push_back(file);
        is_lost = true;
    }
}

struct AllObjects {
    void* device = nullptr;
    void* host = nullptr;
    void* managed = nullptr;
    void* range = nullptr;
    void* shared = nullptr;
    aclrtDrvMemHandle physical = nullptr;
    aclrtDrvMemHandle on_host = nullptr;
    aclrtDrvMemHandle export_first = nullptr, export_later = nullptr;
    aclrtMemPool pool = nullptr;
    aclrtEvent event = nullptr;
    aclrtNotify notify = nullptr;
    aclrtStream stream = nullptr;
} all;

aclrtPhysicalMemProp PhysicalProps(aclrtMemLocationType type) {
    aclrtPhysicalMemProp props;
    std::memset(&props, 0, sizeof props);
    props.memAttr = ACL_HBM_MEM_HUGE;
    props.location = {0, type};
    return props;
}

// Fills memory with a value and reads it.
void Use(const char* what, void* memory, size_t size, int value) {
    if (!memory) return;
    if (!DID(aclrtMemset(memory, size, value, size))) return;
    std::vector<unsigned char> bytes(size);
    if (!DID(aclrtMemcpy(bytes.data(), size, memory, size, ACL_MEMCPY_DEVICE_TO_HOST))) return;
    if (bytes != std::vector<unsigned char>(size, static_cast<unsigned char>(value))) Fail("%s has other bytes", what);
}

// Checks what Use has left there.
void Check(const char* what, void* memory, size_t size, int value) {
    if (!memory) return;
    std::vector<unsigned char> bytes(size);
    if (!DID(aclrtMemcpy(bytes.data(), size, memory, size, ACL_MEMCPY_DEVICE_TO_HOST))) return;
    if (bytes != std::vector<unsigned char>(size, static_cast<unsigned char>(value)))
        Fail("%s has lost its bytes", what);
}

void Map(aclrtDrvMemHandle memory, size_t offset) {
    if (memory && all.range) DID(aclrtMapMem(static_cast<char*>(all.range) + offset, 2 * kMiB, 0, memory, 0));
}

void Export() {
    char key[65] = {};
    uint64_t number = 0;
    aclrtIpcEventHandle event;
    int descriptor = -1;
    if (all.device) MAY_NEED(aclrtIpcMemGetExportKey(all.device, kLarge, key, sizeof key, 1));
    // A process exports such memory once.
    for (aclrtDrvMemHandle* memory : {&all.export_first, &all.export_later}) {
        if (!*memory) continue;
        MAY_NEED(aclrtMemExportToShareableHandle(*memory, ACL_MEM_HANDLE_TYPE_NONE, 1, &number));
        *memory = nullptr;
        break;
    }
    if (all.event) MAY_NEED(aclrtIpcGetEventHandle(all.event, &event));
    if (all.notify) MAY_NEED(aclrtNotifyGetExportKey(all.notify, key, sizeof key, 2));
    if (all.pool &&
        MAY_NEED(portaclMemPoolExportToShareableHandle(&descriptor, all.pool, ACL_MEM_HANDLE_TYPE_POSIX, 0))) {
        if (descriptor <= STDERR_FILENO) Fail("the program got the number of a stream: %d", descriptor);
        close(descriptor);
    }
}

void Allocate() {
    DID(aclrtMalloc(&all.device, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    DID(aclrtMallocHost(&all.host, kMiB));
    DID(aclrtMemAllocManaged(&all.managed, kLarge, ACL_RT_MEM_ATTACH_GLOBAL));
    DID(aclrtReserveMemAddress(&all.range, 8 * kMiB, 0, nullptr, 1));
    aclrtPhysicalMemProp props = PhysicalProps(ACL_MEM_LOCATION_TYPE_DEVICE);
    DID(aclrtMallocPhysical(&all.physical, 2 * kMiB, &props, 0));
    Map(all.physical, 0);
    props = PhysicalProps(ACL_MEM_LOCATION_TYPE_HOST);
    DID(aclrtMallocPhysical(&all.on_host, 2 * kMiB, &props, 0));
    all.export_first = all.physical, all.export_later = all.on_host;
    aclrtMemPoolProps pool;
    std::memset(&pool, 0, sizeof pool);
    pool.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    pool.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    pool.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    if (DID(aclrtMemPoolCreate(&all.pool, &pool)))
        MAY_NEED(aclrtMemPoolMallocAsync(&all.shared, kLarge, all.pool, nullptr));
    DID(aclrtSynchronizeStream(nullptr));
    DID(aclrtCreateEventExWithFlag(&all.event, ACL_EVENT_IPC));
    DID(aclrtCreateNotify(&all.notify, 0));
    DID(aclrtCreateStream(&all.stream));
    Export();
}

void Copy() {
    Use("device memory", all.device, kLarge, 1);
    Use("managed memory", all.managed, kLarge, 2);
    if (all.physical) Use("mapped memory", all.range, 2 * kMiB, 3);
    Use("memory of a pool", all.shared, kLarge, 4);
    if (all.notify && DID(aclrtRecordNotify(all.notify, all.stream)))
        DID(aclrtWaitAndResetNotify(all.notify, all.stream, 0));
    DID(aclrtRecordEvent(all.event, all.stream));
    DID(aclrtMemsetAsync(all.host, kMiB, 5, kMiB, all.stream));
    DID(aclrtSynchronizeStream(all.stream));
}

// Saves and restores all memory, as far as the backend can.
void TakeSnapshot() {
    const int self = getpid();
    if (!DID(aclrtSnapShotProcessLock(self, nullptr))) return;
    if (MAY_NEED(aclrtSnapShotProcessBackup(self, nullptr))) DID(aclrtSnapShotProcessRestore(self, nullptr));
    DID(aclrtSnapShotProcessUnlock(self, nullptr));
}

void UseOn() {
    Check("device memory", all.device, kLarge, 1);
    Check("managed memory", all.managed, kLarge, 2);
    if (all.physical) Check("mapped memory", all.range, 2 * kMiB, 3);
    Check("memory of a pool", all.shared, kLarge, 4);
    Export();
    Map(all.on_host, 4 * kMiB);
    if (all.physical) DID(aclrtUnmapMem(all.range));
    Map(all.physical, 2 * kMiB);
    if (all.physical && all.range)
        Check("memory at another address", static_cast<char*>(all.range) + 2 * kMiB, 2 * kMiB, 3);
    // Large blocks release their pages, and return without the bytes of others.
    void* block = nullptr;
    for (int i = 0; i < 2; ++i) {
        if (!DID(aclrtMalloc(&block, 8 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST))) break;
        Use("a large block", block, 8 * kMiB, 6 + i);
        DID(aclrtFree(block));
    }
    if (all.shared) DID(aclrtMemPoolFreeAsync(all.shared, nullptr));
    all.shared = nullptr;
    if (all.pool && MAY_NEED(aclrtMemPoolMallocAsync(&all.shared, kLarge, all.pool, nullptr))) {
        DID(aclrtSynchronizeStream(nullptr));
        Use("memory of a pool", all.shared, kLarge, 9);
    }
    aclrtBinHandle binary = nullptr;
    if (DID(aclrtBinaryLoadFromFile(kernels, nullptr, &binary))) DID(aclrtBinaryUnLoad(binary));
    DID(aclrtMemcpy(all.device, kMiB, all.host, kMiB, ACL_MEMCPY_HOST_TO_DEVICE));
    Use("device memory", all.device, kLarge, 1);
    TakeSnapshot();
    Check("device memory", all.device, kLarge, 1);
    aclAppLog(ACL_ERROR, "main", "descriptors_child.cpp", 1, "a line of the log");
}

// Frees some of the objects; the reset ends the others.
void Release() {
    DID(aclrtFreeHost(all.host));
    DID(aclrtFree(all.managed));
    DID(aclrtDestroyEvent(all.event));
    if (all.notify) DID(aclrtDestroyNotify(all.notify));
}

void Run() {
    DID(aclInit(nullptr));
    After("aclInit");
    DID(aclrtSetDevice(0));
    After("aclrtSetDevice");
    Allocate();
    After("allocations");
    Copy();
    After("copies");
    UseOn();
    After("further use");
    Release();
    DID(aclrtResetDevice(0));
    all = {};
    DID(aclrtSetDevice(0));
    DID(aclrtMalloc(&all.device, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    Use("device memory", all.device, kLarge, 1);
    After("another opening");
    Check("device memory", all.device, kLarge, 1);
    DID(aclFinalize());
    for (const int number : OfLibrary()) Say("left: %d", number);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    folder = argv[1];
    kernels = argv[2];
    if (std::strcmp(argv[3], "none") != 0) moment = std::atoi(argv[3]);
    which = argv[4];
    at_start = OpenDescriptors();
    for (int number = 0; number <= STDERR_FILENO; ++number) {
        if (at_start.count(number)) continue;
        missing.insert(number);
        if (std::strcmp(argv[5], "files") != 0) continue;
        files.emplace_back("stream" + std::to_string(number));
        if (files.back().number() != number) Fail("the file has number %d, not %d", files.back().number(), number);
    }
    if (!files.empty()) missing.clear();
    Run();
    for (const ProgramFile& file : files) file.Check();
    for (const int number : missing)
        if (fcntl(number, F_GETFD) != -1) Fail("descriptor %d was opened", number);
    Say("%d failures", failures);
    const int out = open((folder + "/report").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const bool is_written = write(out, report.data(), report.size()) == static_cast<ssize_t>(report.size());
    std::_Exit(failures || !is_written ? 1 : 0);
}
