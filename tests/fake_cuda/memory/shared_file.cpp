#include "memory/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "memory/memory.h"

namespace fake {

struct SharedSlot {
    // The generation of the block, or 0 if the slot is free.
    uint64_t number;
    uint64_t offset;
    uint64_t size;
};

struct SharedHeader {
    static constexpr size_t kSlots = 4096;

    char magic[16];
    uint64_t pool;
    int device;
    uint64_t last_number;
    SharedSlot slots[kSlots];
};

namespace {

constexpr char kMagic[16] = "fake_cuda file1";
// The length of the header, which precedes the memory on separate pages.
constexpr size_t kHeaderSize = (sizeof(SharedHeader) + 4095) & ~size_t{4095};

// Queries the lock on the first byte.
bool request_lock(int descriptor, int request, struct flock* lock) {
    *lock = {};
    lock->l_type = F_WRLCK;
    lock->l_whence = SEEK_SET;
    lock->l_len = 1;
    return fcntl(descriptor, request, lock) == 0;
}

// Opens the file again and takes the lock. Returns -1 if that fails.
int lock_door(int descriptor) {
    const std::string path = "/proc/thread-self/fd/" + std::to_string(descriptor);
    const int door = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock;
    if (door >= 0 && !request_lock(door, F_OFD_SETLK, &lock)) {
        close(door);
        return -1;
    }
    return door;
}

SharedHeader* map_header(int descriptor) {
    void* const start = mmap(nullptr, kHeaderSize, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return start == MAP_FAILED ? nullptr : static_cast<SharedHeader*>(start);
}

bool map_at(Context& context, uint64_t address, size_t size, int descriptor, uint64_t offset) {
    return mmap(context.device->arena.alias(address), size, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor, static_cast<off_t>(offset)) != MAP_FAILED;
}

}  // namespace

std::shared_ptr<SharedFile> SharedFile::create(const Context& context) {
    const int descriptor = memfd_create("fake_cuda memory", MFD_CLOEXEC);
    if (descriptor < 0) return nullptr;
    uint64_t pool = 0;
    const auto size = static_cast<off_t>(kHeaderSize + context.device->arena.size());
    SharedHeader* const header = getrandom(&pool, sizeof pool, 0) == sizeof pool && ftruncate(descriptor, size) == 0
                                     ? map_header(descriptor)
                                     : nullptr;
    if (header == nullptr) {
        close(descriptor);
        return nullptr;
    }
    memcpy(header->magic, kMagic, sizeof kMagic);
    header->pool = pool;
    header->device = context.ordinal;
    std::shared_ptr<SharedFile> file(new SharedFile(descriptor, header));
    file->door_ = lock_door(descriptor);
    return file->door_ < 0 ? nullptr : file;
}

std::shared_ptr<SharedFile> SharedFile::open(int descriptor) {
    struct stat status {};
    char magic[sizeof kMagic];
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size < static_cast<off_t>(kHeaderSize) || pread(descriptor, magic, sizeof magic, 0) != sizeof magic ||
        memcmp(magic, kMagic, sizeof kMagic) != 0) {
        return nullptr;
    }
    const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    SharedHeader* const header = own < 0 ? nullptr : map_header(own);
    if (header == nullptr) {
        close(own);
        return nullptr;
    }
    std::shared_ptr<SharedFile> file(new SharedFile(own, header));
    return file->is_door_open() ? file : nullptr;
}

SharedFile::~SharedFile() {
    close_door();
    munmap(header_, kHeaderSize);
    close(descriptor_);
}

void SharedFile::close_door() {
    if (door_ >= 0) close(door_);
    door_ = -1;
}

bool SharedFile::is_door_open() const {
    struct flock lock;
    return request_lock(descriptor_, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

int SharedFile::duplicate() const {
    return dup(descriptor_);
}

int SharedFile::device() const {
    return header_->device;
}

bool SharedFile::back(Context& context, uint64_t address, size_t size) const {
    return map_at(context, address, size, descriptor_, kHeaderSize + context.device->arena.offset(address));
}

void SharedFile::unback(Context& context, uint64_t address, size_t size) const {
    context.device->file->back(context, address, size);
    // Importers that still have it read zeros; its content is undefined.
    discard(context, address, size);
}

void SharedFile::discard(const Context& context, uint64_t address, size_t size) const {
    const uint64_t start = round_up(address, 4096);
    const uint64_t end = (address + size) & ~uint64_t{4095};
    if (start < end) {
        fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(kHeaderSize + context.device->arena.offset(start)),
                  static_cast<off_t>(end - start));
    }
}

bool SharedFile::name(const Block& block, SharedName* out) {
    auto found = slots_.find(block.address);
    if (found == slots_.end()) {
        uint64_t free = 0;
        while (free < SharedHeader::kSlots && header_->slots[free].number != 0) ++free;
        if (free == SharedHeader::kSlots) return false;
        SharedSlot& slot = header_->slots[free];
        slot.offset = kHeaderSize + block.context->device->arena.offset(block.address);
        slot.size = block.size;
        __atomic_store_n(&slot.number, ++header_->last_number, __ATOMIC_RELEASE);
        found = slots_.emplace(block.address, free).first;
    }
    memcpy(out->magic, kMagic, sizeof kMagic);
    out->pool = header_->pool;
    out->slot = found->second;
    out->number = header_->slots[found->second].number;
    return true;
}

void SharedFile::forget(uint64_t address) {
    const auto found = slots_.find(address);
    if (found == slots_.end()) return;
    __atomic_store_n(&header_->slots[found->second].number, 0, __ATOMIC_RELEASE);
    slots_.erase(found);
}

bool SharedFile::find(const SharedName& name, SharedRange* out) const {
    if (memcmp(name.magic, kMagic, sizeof kMagic) != 0 || name.pool != header_->pool ||
        name.slot >= SharedHeader::kSlots || name.number == 0 || !is_door_open()) {
        return false;
    }
    const SharedSlot& slot = header_->slots[name.slot];
    if (__atomic_load_n(&slot.number, __ATOMIC_ACQUIRE) != name.number) return false;
    *out = {slot.offset, slot.size};
    return true;
}

bool SharedFile::map(Context& context, uint64_t address, SharedRange range) const {
    return map_at(context, address, range.size, descriptor_, range.offset);
}

Window::~Window() {
    context.device->file->back(context, address, size);
    context.device->arena.free(address, size);
}

}  // namespace fake
