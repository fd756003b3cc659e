// Cache blocks that move to the host and back: batched copies, and 2D copies.
//
// A server keeps the state of its conversations in equal blocks of device memory. It moves some of
// them to the host when memory is short, and back when they are needed. The blocks are at arbitrary
// addresses. One aclrtMemcpyBatch moves them all: the arrays contain destinations, sources and
// sizes, an attribute names the device, and on an error `failIndex` is the index of the failed
// copy. Of one block only a few columns are needed: aclrtMemcpy2d copies rows with gaps.
//
// usage: 07_cache_blocks [BLOCKS]     default: 512 blocks of 64 KiB

#include <acl/acl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

// A block is a matrix: for each of 128 tokens 512 bytes.
constexpr size_t kTokens = 128;
constexpr size_t kTokenBytes = 512;
constexpr size_t kBlock = kTokens * kTokenBytes;

// Ends the program with the library's text if a call failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

aclrtMemLocation Host() {
    aclrtMemLocation location{};
    location.type = ACL_MEM_LOCATION_TYPE_HOST;
    return location;
}

aclrtMemLocation Device(uint32_t id) {
    aclrtMemLocation location{};
    location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    location.id = id;
    return location;
}

// The copies of one call.
struct CopyBatch {
    std::vector<void*> to, from;
    std::vector<size_t> room, sizes;

    void Add(void* destination, void* source, size_t size) {
        to.push_back(destination);
        from.push_back(source);
        room.push_back(size);
        sizes.push_back(size);
    }

    // Runs all copies synchronously.
    void Copy(aclrtMemLocation destination, aclrtMemLocation source) {
        aclrtMemcpyBatchAttr attribute{};
        attribute.dstLoc = destination;
        attribute.srcLoc = source;
        size_t first = 0, blamed = 0;
        const aclError code = aclrtMemcpyBatch(to.data(), room.data(), from.data(), sizes.data(), sizes.size(),
                                               &attribute, &first, 1, &blamed);
        if (code != ACL_SUCCESS && blamed != SIZE_MAX)
            std::fprintf(stderr, "copy %zu of %zu is to blame\n", blamed, sizes.size());
        CHECK(code);
    }
};

double MillisecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The contents of block `number`.
unsigned char Content(size_t number, size_t at) {
    return static_cast<unsigned char>(number * 31 + at / kTokenBytes + at % kTokenBytes);
}

size_t CountWrong(const unsigned char* block, size_t number) {
    size_t wrong = 0;
    for (size_t at = 0; at < kBlock; ++at) wrong += block[at] != Content(number, at);
    return wrong;
}

// Columns `column` to `column + width` of a block in device memory.
std::vector<unsigned char> Columns(void* block, size_t column, size_t width) {
    std::vector<unsigned char> columns(kTokens * width);
    CHECK(aclrtMemcpy2d(columns.data(), width, static_cast<char*>(block) + column, kTokenBytes, width, kTokens,
                        ACL_MEMCPY_DEVICE_TO_HOST));
    return columns;
}

size_t BlocksFrom(int argc, char** argv) {
    if (argc < 2) return 512;
    char* end = nullptr;
    const unsigned long long count = std::strtoull(argv[1], &end, 10);
    const bool number = end != argv[1] && *end == '\0' && argv[1][0] != '-';
    if (argc > 2 || !number || count == 0 || count > SIZE_MAX / kBlock / 4) {
        std::fprintf(stderr, "usage: %s [BLOCKS]\nBLOCKS is a whole number, at least 1\n", argv[0]);
        std::exit(EXIT_FAILURE);
    }
    return count;
}

}  // namespace

int main(int argc, char** argv) {
    const size_t count = BlocksFrom(argc, argv);
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));

    void* pinned = nullptr;
    CHECK(aclrtMallocHost(&pinned, count * kBlock));
    auto* const host = static_cast<unsigned char*>(pinned);
    std::vector<void*> blocks(count);
    for (void*& block : blocks) CHECK(aclrtMalloc(&block, kBlock, ACL_MEM_MALLOC_NORMAL_ONLY));

    // The order of the host's list scatters the blocks over the device memory.
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
    CopyBatch in, out;
    for (size_t number = 0; number < count; ++number) {
        for (size_t at = 0; at < kBlock; ++at) host[number * kBlock + at] = Content(number, at);
        in.Add(blocks[number], host + number * kBlock, kBlock);
        out.Add(host + number * kBlock, blocks[number], kBlock);
    }
    in.Copy(Device(0), Host());
    std::memset(host, 0, count * kBlock);

    auto start = std::chrono::steady_clock::now();
    for (size_t number = 0; number < count; ++number)
        CHECK(aclrtMemcpy(host + number * kBlock, kBlock, blocks[number], kBlock, ACL_MEMCPY_DEVICE_TO_HOST));
    const double one_by_one = MillisecondsSince(start);
    std::memset(host, 0, count * kBlock);
    start = std::chrono::steady_clock::now();
    out.Copy(Host(), Device(0));
    const double at_once = MillisecondsSince(start);

    size_t wrong = 0;
    for (size_t number = 0; number < count; ++number) wrong += CountWrong(host + number * kBlock, number);
    std::printf("%zu blocks of %zu KiB to the host\n", count, kBlock / 1024);
    std::printf("one call for each block  %9.3f ms\n", one_by_one);
    std::printf("one call for all blocks  %9.3f ms\n", at_once);

    constexpr size_t kColumn = 96, kWidth = 16;
    const std::vector<unsigned char> columns = Columns(blocks.back(), kColumn, kWidth);
    for (size_t token = 0; token < kTokens; ++token)
        for (size_t i = 0; i < kWidth; ++i)
            wrong += columns[token * kWidth + i] != Content(count - 1, token * kTokenBytes + kColumn + i);
    std::printf("columns %zu to %zu of the last block: %zu rows of %zu bytes\n", kColumn, kColumn + kWidth, kTokens,
                kWidth);

    for (void* block : blocks) CHECK(aclrtFree(block));
    CHECK(aclrtFreeHost(pinned));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    if (wrong != 0) {
        std::fprintf(stderr, "%zu bytes are wrong\n", wrong);
        return EXIT_FAILURE;
    }
    std::printf("all bytes are right\n");
    return EXIT_SUCCESS;
}
