// Shared objects that cannot be loaded: damaged ones are refused, or load, and the process goes on; without /proc none
// loads. Each file is loaded in a forked process, so this one makes no call of the library.
#include <acl/acl.h>
#include <gtest/gtest.h>

#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/kernel/damage.h"
#include "support/own_process.h"

namespace {

using portacl_test::Bytes;
using portacl_test::Damage;
using portacl_test::ProgramDirectory;
using portacl_test::Table;

Bytes Contents(const char* name) {
    std::ifstream file(ProgramDirectory() / name, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

Bytes Kernels() {
    return Contents("kernels.so");
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
    const auto segments = Table<Elf64_Phdr>(bytes, header.e_phoff, header.e_phnum);
    for (size_t at = 0; at < header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr); ++at) {
        const size_t field = at < header.e_phoff ? 0 : (at - header.e_phoff) % sizeof(Elf64_Phdr);
        const bool is_place = field >= offsetof(Elf64_Phdr, p_offset) && field < offsetof(Elf64_Phdr, p_paddr);
        // At another place the segment has other code, which no reader can see.
        if (is_place && (segments[(at - header.e_phoff) / sizeof(Elf64_Phdr)].p_flags & PF_X) != 0) continue;
        places.push_back(at);
    }
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

#ifdef __aarch64__
constexpr uint32_t kRelative = R_AARCH64_RELATIVE, kUnusual = R_AARCH64_PREL64;
#else
constexpr uint32_t kRelative = R_X86_64_RELATIVE, kUnusual = R_X86_64_SIZE64;
#endif

// Loads the file in a process of its own. Returns the signal that ends it, or 0. Kernels that are found are bits of
// `found`.
int SignalOf(const Bytes& bytes, bool* is_loaded = nullptr, int* found = nullptr) {
    constexpr int kRefused = 7, kLoaded = 8;
    const pid_t child = fork();
    if (child == 0) {
        // No core file, and no report of a sanitizer.
        for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) signal(number, SIG_DFL);
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
        alarm(60);
        aclrtBinHandle binary = nullptr;
        if (aclrtSetDevice(0) != ACL_SUCCESS) _exit(1);
        if (aclrtBinaryLoadFromData(bytes.data(), bytes.size(), nullptr, &binary) != ACL_SUCCESS) _exit(kRefused);
        int has = 0, bit = 1;
        for (const char* name : {"mark", "add_step", "no_such_kernel"}) {
            aclrtFuncHandle kernel = nullptr;
            if (aclrtBinaryGetFunction(binary, name, &kernel) == ACL_SUCCESS) has |= bit;
            bit <<= 1;
        }
        aclrtBinaryUnLoad(binary);
        _exit(kLoaded + has);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const bool is_refused = WIFEXITED(status) && WEXITSTATUS(status) == kRefused;
    const bool has_loaded = WIFEXITED(status) && WEXITSTATUS(status) >= kLoaded;
    if (is_loaded != nullptr) *is_loaded = !is_refused;
    if (found != nullptr) *found = has_loaded ? WEXITSTATUS(status) - kLoaded : 0;
    if (is_refused || has_loaded) return 0;
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
    const long files = Number("PORTACL_TEST_DAMAGED_FILES", 300);
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

// Each file is made by its own number, so that one file can be tried again: PORTACL_TEST_DAMAGED_SEED is the first.
TEST(DamagedBinary, NoLostEntryOrChangedSizeEndsTheProcess) {
    const Bytes whole = Kernels();
    const long files = Number("PORTACL_TEST_DAMAGED_FILES", 300);
    const auto first = static_cast<uint64_t>(Number("PORTACL_TEST_DAMAGED_SEED", 49));
    for (uint64_t seed = first; seed < first + static_cast<uint64_t>(files); ++seed) {
        Damage damage(whole, seed);
        std::string what;
        for (uint64_t count = 1 + seed % 3; count > 0; --count) what += damage.One();
        EXPECT_EQ(SignalOf(damage.bytes), 0) << "file " << seed << " with" << what;
    }
}

// The file with a change of one entry of the dynamic section.
Bytes WithEntry(Bytes bytes, int64_t tag, const std::function<void(Elf64_Dyn&)>& change) {
    const auto header = Table<Elf64_Ehdr>(bytes, 0, 1)[0];
    for (const Elf64_Shdr& section : Table<Elf64_Shdr>(bytes, header.e_shoff, header.e_shnum)) {
        if (section.sh_type != SHT_DYNAMIC) continue;
        for (size_t at = section.sh_offset; at < section.sh_offset + section.sh_size; at += sizeof(Elf64_Dyn)) {
            auto entry = Table<Elf64_Dyn>(bytes, at, 1)[0];
            if (entry.d_tag == tag) change(entry);
            std::memcpy(bytes.data() + at, &entry, sizeof entry);
        }
    }
    return bytes;
}

// The file with a change of the first relocation of the last table, that of functions of other libraries.
Bytes WithJump(Bytes bytes, const std::function<void(Elf64_Rela&)>& change) {
    const auto header = Table<Elf64_Ehdr>(bytes, 0, 1)[0];
    size_t place = 0;
    for (const Elf64_Shdr& section : Table<Elf64_Shdr>(bytes, header.e_shoff, header.e_shnum))
        if (section.sh_type == SHT_RELA) place = section.sh_offset;
    auto entry = Table<Elf64_Rela>(bytes, place, 1)[0];
    change(entry);
    std::memcpy(bytes.data() + place, &entry, sizeof entry);
    return bytes;
}

TEST(DamagedBinary, WhatTheLoaderAssumesIsRefused) {
    const Bytes whole = Kernels();
    const auto lose = [](Elf64_Dyn& entry) { entry.d_tag = 0x6ffffef0; };
    const auto to = [](uint64_t value) { return [value](Elf64_Dyn& entry) { entry.d_un.d_val = value; }; };
    uint64_t dynamic = 0;
    const auto header = Table<Elf64_Ehdr>(whole, 0, 1)[0];
    Bytes moved = whole;
    const auto segments = Table<Elf64_Phdr>(whole, header.e_phoff, header.e_phnum);
    for (size_t index = 0; index < segments.size(); ++index) {
        if (segments[index].p_type == PT_DYNAMIC) dynamic = segments[index].p_vaddr;
        if (segments[index].p_type != PT_GNU_EH_FRAME) continue;
        const uint32_t type = PT_PHDR;
        std::memcpy(moved.data() + header.e_phoff + index * sizeof(Elf64_Phdr), &type, sizeof type);
    }
    const std::pair<const char*, Bytes> files[] = {
        {"jumps without a table", WithEntry(WithEntry(whole, DT_JMPREL, lose), DT_PLTRELSZ, lose)},
        {"jumps without a size", WithEntry(whole, DT_PLTRELSZ, lose)},
        {"jumps without a kind", WithEntry(whole, DT_PLTREL, lose)},
        {"relocations without a size", WithEntry(whole, DT_RELASZ, lose)},
        {"relocations without a place", WithEntry(whole, DT_RELA, lose)},
        {"symbols without strings", WithEntry(whole, DT_STRTAB, lose)},
        {"first functions at zeros", WithEntry(whole, DT_INIT_ARRAY, to(24))},
        {"last functions at zeros", WithEntry(whole, DT_FINI_ARRAY, to(8))},
        {"program headers at another place", moved},
        {"a relocation of the dynamic section", WithJump(whole, [&](Elf64_Rela& entry) { entry.r_offset = dynamic; })},
        {"a jump to the object's beginning",
         WithJump(whole, [](Elf64_Rela& entry) { entry.r_info = ELF64_R_INFO(ELF64_R_SYM(entry.r_info), kRelative); })},
        {"a jump to a size",
         WithJump(whole, [](Elf64_Rela& entry) { entry.r_info = ELF64_R_INFO(ELF64_R_SYM(entry.r_info), kUnusual); })},
    };
    for (const auto& [what, bytes] : files) {
        bool is_loaded = true;
        EXPECT_EQ(SignalOf(bytes, &is_loaded), 0) << what;
        EXPECT_FALSE(is_loaded) << what;
    }
}

TEST(DamagedBinary, ADescriptionOutsideOfSegmentsIsRefused) {
    int found = 0;
    ASSERT_EQ(SignalOf(Kernels(), nullptr, &found), 0);
    EXPECT_EQ(found, 3) << "mark and add_step";
    bool is_loaded = false;
    EXPECT_EQ(SignalOf(Contents("gap.so"), &is_loaded, &found), 0);
    EXPECT_TRUE(is_loaded);
    EXPECT_EQ(found, 0);
}

// The file, in which the range that the loader makes read-only ends `more` bytes after the last page of its segment.
Bytes WithProtectedEnd(Bytes bytes, uint64_t more) {
    const auto header = Table<Elf64_Ehdr>(bytes, 0, 1)[0];
    auto segments = Table<Elf64_Phdr>(bytes, header.e_phoff, header.e_phnum);
    for (Elf64_Phdr& range : segments) {
        if (range.p_type != PT_GNU_RELRO) continue;
        for (const Elf64_Phdr& segment : segments) {
            if (segment.p_type != PT_LOAD || range.p_vaddr - segment.p_vaddr >= segment.p_memsz) continue;
            const uint64_t end = (segment.p_vaddr + segment.p_memsz + 4095) / 4096 * 4096;
            range.p_memsz = end + more - range.p_vaddr;
        }
    }
    std::memcpy(bytes.data() + header.e_phoff, segments.data(), segments.size() * sizeof segments[0]);
    return bytes;
}

// As lld before version 18 rounds it.
TEST(DamagedBinary, AProtectedRangeMayEndWithTheLastPage) {
    const Bytes whole = Contents("gap.so");
    EXPECT_NE(WithProtectedEnd(whole, 0), whole);
    bool is_loaded = false;
    EXPECT_EQ(SignalOf(WithProtectedEnd(whole, 0), &is_loaded), 0);
    EXPECT_TRUE(is_loaded);
    EXPECT_EQ(SignalOf(WithProtectedEnd(whole, 4096), &is_loaded), 0);
    EXPECT_FALSE(is_loaded);
}

TEST(DamagedBinary, AFileThatIsCutOffIsRefused) {
    const Bytes whole = Kernels();
    for (size_t part = 0; part < 16; ++part)
        EXPECT_EQ(SignalOf(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * part / 16))),
                  0)
            << part;
}

// Replaces what is mounted at /proc for this process alone.
bool HidesProc() {
    return unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
}

TEST(UnloadableBinary, WithoutProcTheTextNamesIt) {
    const Bytes whole = Kernels();
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        constexpr char kNone[] = "refused";
        const bool is_hidden = HidesProc();
        const char* text = kNone;
        aclrtBinHandle binary = nullptr;
        if (is_hidden) {
            if (aclrtSetDevice(0) != ACL_SUCCESS) _exit(1);
            if (aclrtBinaryLoadFromData(whole.data(), whole.size(), nullptr, &binary) == ACL_SUCCESS) _exit(2);
            text = aclGetRecentErrMsg();
        }
        _exit(text != nullptr && write(ends[1], text, std::strlen(text)) > 0 ? 0 : 3);
    }
    close(ends[1]);
    std::string text;
    char buffer[1024];
    for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (text == "refused") GTEST_SKIP() << "needs a kernel that lets this process replace /proc";
    EXPECT_EQ(status, 0) << text;
    EXPECT_NE(text.find("/proc is not mounted"), std::string::npos) << text;
    EXPECT_NE(text.find("mount -t proc proc /proc"), std::string::npos) << text;
    EXPECT_EQ(text.find("LD_LIBRARY_PATH"), std::string::npos) << text;
}

}  // namespace
