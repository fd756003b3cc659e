#include "plugin_under_test.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "support/suite/events.h"

namespace paddle_test {
namespace {

// Next to the program, as in a pack for another machine, or in this build.
std::string DefaultPath() {
    const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libpaddle-portacl.so";
    return std::filesystem::exists(beside) ? beside.string() : PORTACL_PADDLE_PLUGIN;
}

std::string path = DefaultPath();
void* library = nullptr;
std::unique_ptr<Callbacks> callbacks;

}  // namespace

void SetPath(const std::string& other) {
    path = other;
}

const std::string& Path() {
    return path;
}

std::string Program() {
    return std::filesystem::read_symlink("/proc/self/exe");
}

void Load() {
    if (library == nullptr) library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
}

void Unload() {
    callbacks.reset();
    if (library == nullptr) return;
    EXPECT_EQ(dlclose(library), 0) << dlerror();
    library = nullptr;
}

bool IsLoaded() {
    void* found = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (found != nullptr) dlclose(found);
    return found != nullptr;
}

Table::Table(std::size_t size, std::size_t params_size) : bytes_(size) {
    std::memcpy(bytes_.data(), &size, sizeof size);
    params_.size = params_size;
    params_.interface = reinterpret_cast<C_DeviceInterface*>(bytes_.data());
}

void* Table::At(std::size_t offset) const {
    void* pointer = nullptr;
    std::memcpy(&pointer, bytes_.data() + offset, sizeof pointer);
    return pointer;
}

void Table::Init() {
    Load();
    if (testing::Test::HasFatalFailure()) return;
    const auto init = reinterpret_cast<decltype(&InitPlugin)>(dlsym(library, "InitPlugin"));
    ASSERT_NE(init, nullptr) << dlerror();
    init(&params_);
}

Callbacks Table::In(int column) const {
    Callbacks found;
#define PORTACL_PADDLE_READ(name, ...)                                  \
    if (const std::size_t at = portacl_paddle::slot_of::name[column]) { \
        found.name = reinterpret_cast<decltype(found.name)>(At(at));    \
    }
    PORTACL_PADDLE_CALLBACKS(PORTACL_PADDLE_READ)
#undef PORTACL_PADDLE_READ
    return found;
}

const Callbacks& Plugin() {
    if (callbacks == nullptr) {
        Table table(kColumns - 1);
        table.Init();
        if (table.Params().device_type == nullptr) {
            std::fprintf(stderr, "the plug-in has refused, and has said why\n");
            std::exit(1);
        }
        callbacks = std::make_unique<Callbacks>(table.In(kColumns - 1));
        EXPECT_EQ(callbacks->initialize(), C_SUCCESS);
    }
    return *callbacks;
}

void Finalize() {
    if (callbacks == nullptr) return;
    EXPECT_EQ(callbacks->finalize(), C_SUCCESS);
    callbacks.reset();
}

int DeviceCount() {
    std::size_t count = 0;
    EXPECT_EQ(Plugin().get_device_count(&count), C_SUCCESS);
    return static_cast<int>(count);
}

Memory::Memory(int device, std::size_t size, unsigned char value) : device_{device}, size_(size) {
    EXPECT_EQ(Plugin().device_memory_allocate(&device_, &pointer_, size), C_SUCCESS);
    EXPECT_EQ(Plugin().device_memory_set(&device_, pointer_, value, size), C_SUCCESS);
}

Memory::~Memory() {
    EXPECT_EQ(Plugin().device_memory_deallocate(&device_, pointer_, size_), C_SUCCESS);
}

std::vector<unsigned char> Memory::Read() const {
    std::vector<unsigned char> bytes(size_);
    C_Device_st device = device_;
    EXPECT_EQ(Plugin().memory_copy_d2h(&device, bytes.data(), pointer_, size_), C_SUCCESS);
    return bytes;
}

bool Memory::Holds(unsigned char value) const {
    const std::vector<unsigned char> bytes = Read();
    return std::all_of(bytes.begin(), bytes.end(), [value](unsigned char byte) { return byte == value; });
}

}  // namespace paddle_test

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    bool unload = false;
    for (int at = 1; at < argc; ++at) {
        const std::string argument = argv[at];
        if (argument.rfind("--plugin=", 0) == 0) paddle_test::SetPath(argument.substr(9));
        if (argument == "--unload") unload = true;
    }
    if (unload) return paddle_test::UseAndUnload();
    const int result = portacl_test::RunTests(paddle_test::DeviceCount);
    // Paddle's last call, which the fake driver needs before its leak check.
    paddle_test::Finalize();
    return result;
}
