// Damaged shared objects are refused, or load: the process goes on. Each file is loaded in a forked process, so this
// one makes no call of the library.
#include <acl/acl.h>
#include <gtest/gtest.h>

#include <elf.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "support/own_process.h"

namespace {

using portacl_test::ProgramDirectory;

using Bytes = std::vector<unsigned char>;

Bytes Kernels() {
    std::ifstream file(ProgramDirectory() / "kernels.so", std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

template <typename T>
std::vector<T> Table(const Bytes& bytes, size_t offset, size_t count) {
    std::vector<T> table(count);
    std::memcpy(table.data(), bytes.data() + offset, count * sizeof(T));
    return table;
}

// Whether the loader checks nothing itself in these bytes of a section, and no reader can: which of the object's own
// places a relocation changes, with which symbol, and which of its functions are the first and the last.
bool IsOwnAffair(const Bytes& bytes, const Elf64_Shdr& section, size_t at) {
    if (section.sh_type == SHT_RELA) return at % sizeof(Elf64_Rela) / 4 != 2;
    if (section.sh_type != SHT_DYNAMIC || at % sizeof(Elf64_Dyn) < 8) return false;
    const auto entry = Table<Elf64_Dyn>(bytes, section.sh_offset + at / sizeof(Elf64_Dyn) * sizeof(Elf64_Dyn), 1)[0];
    return entry.d_tag == DT_INIT || entry.d_tag == DT_FINI;
}

// Returns the places of all bytes that the loader reads as tables.
std::vector<size_t> PlacesOfTables(const Bytes& bytes) {
    const auto header = Table<Elf64_Ehdr>(bytes, 0, 1)[0];
    const auto sections = Table<Elf64_Shdr>(bytes, header.e_shoff, header.e_shnum);
    std::vector<size_t> places;
    for (size_t at = 0; at < sizeof header + header.e_phnum * sizeof(Elf64_Phdr); ++at) places.push_back(at);
    for (const Elf64_Shdr& section : sections) {
        switch (section.sh_type) {
            case SHT_DYNAMIC:
            case SHT_DYNSYM:
            case SHT_STRTAB:
            case SHT_HASH:
            case SHT_GNU_HASH:
            case SHT_GNU_versym:
            case SHT_GNU_verneed:
            case SHT_GNU_verdef:
            case SHT_NOTE:
            case SHT_RELA:
                break;
            default:
                continue;
        }
        if ((section.sh_flags & SHF_ALLOC) == 0) continue;
        for (size_t at = 0; at < section.sh_size; ++at)
            if (!IsOwnAffair(bytes, section, at)) places.push_back(section.sh_offset + at);
    }
    return places;
}

// Loads the file in a process of its own. Returns the signal that ends it, or 0.
int SignalOf(const Bytes& bytes) {
    const pid_t child = fork();
    if (child == 0) {
        // No core file, and no report of a sanitizer.
        for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) signal(number, SIG_DFL);
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
        alarm(60);
        aclrtBinHandle binary = nullptr;
        if (aclrtSetDevice(0) != ACL_SUCCESS) _exit(1);
        if (aclrtBinaryLoadFromData(bytes.data(), bytes.size(), nullptr, &binary) == ACL_SUCCESS) {
            aclrtFuncHandle kernel = nullptr;
            for (const char* name : {"mark", "add_step", "no_such_kernel"})
                aclrtBinaryGetFunction(binary, name, &kernel);
            aclrtBinaryUnLoad(binary);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

long Number(const char* name, long fallback) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::atol(text) : fallback;
}

TEST(DamagedBinary, NoTableOfTheLoaderEndsTheProcess) {
    const Bytes whole = Kernels();
    ASSERT_GT(whole.size(), sizeof(Elf64_Ehdr));
    ASSERT_EQ(SignalOf(whole), 0);
    const std::vector<size_t> places = PlacesOfTables(whole);
    const long files = Number("PORTACL_TEST_DAMAGED_FILES", 500);
    std::mt19937_64 random(static_cast<uint64_t>(Number("PORTACL_TEST_DAMAGED_SEED", 49)));
    for (long file = 0; file < files && !HasFailure(); ++file) {
        Bytes damaged = whole;
        std::string what;
        for (uint64_t count = 1 + random() % 4; count > 0; --count) {
            const size_t at = places[random() % places.size()];
            const unsigned char values[] = {0, 0xff, static_cast<unsigned char>(random()),
                                            static_cast<unsigned char>(damaged[at] ^ 1u << random() % 8)};
            damaged[at] = values[random() % 4];
            what += " " + std::to_string(at) + "=" + std::to_string(damaged[at]);
        }
        EXPECT_EQ(SignalOf(damaged), 0) << "file " << file << " with the bytes" << what;
    }
}

TEST(DamagedBinary, AFileThatIsCutOffIsRefused) {
    const Bytes whole = Kernels();
    for (size_t part = 0; part < 16; ++part)
        EXPECT_EQ(SignalOf(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * part / 16))),
                  0)
            << part;
}

}  // namespace
