// Damages of a shared object that its reader can see: lost entries, changed sizes and places, cut tables.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace portacl_test {

using Bytes = std::vector<unsigned char>;

template <typename T>
std::vector<T> Table(const Bytes& bytes, size_t offset, size_t count) {
    std::vector<T> table(count);
    std::memcpy(table.data(), bytes.data() + offset, count * sizeof(T));
    return table;
}

// The parts of the file that the damages of whole entries change.
struct Parts {
    Elf64_Ehdr header;
    Elf64_Shdr dynamic;
    std::vector<Elf64_Shdr> relocations;
    std::vector<Elf64_Shdr> functions;
    std::vector<Elf64_Shdr> filled;
};

inline Parts PartsOf(const Bytes& bytes) {
    Parts parts{Table<Elf64_Ehdr>(bytes, 0, 1)[0], {}, {}, {}, {}};
    for (const Elf64_Shdr& section : Table<Elf64_Shdr>(bytes, parts.header.e_shoff, parts.header.e_shnum)) {
        if (section.sh_type == SHT_DYNAMIC) parts.dynamic = section;
        if (section.sh_type == SHT_RELA) parts.relocations.push_back(section);
        if (section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_FINI_ARRAY) parts.functions.push_back(section);
        const bool is_in_memory = (section.sh_flags & SHF_ALLOC) != 0 && section.sh_type != SHT_NOBITS;
        // No reader can see damaged code, and which place a relocation changes.
        if (!is_in_memory || (section.sh_flags & SHF_EXECINSTR) != 0 || section.sh_type == SHT_RELA) continue;
        if (section.sh_type != SHT_DYNAMIC) parts.filled.push_back(section);
    }
    return parts;
}

// Makes the damages of one file. Each returns a text about the damage.
class Damage {
  public:
    Damage(const Bytes& whole, uint64_t seed) : bytes(whole), whole_(whole), parts_(PartsOf(whole)), random_(seed) {}

    std::string One() {
        switch (random_() % 9) {
            case 0:
                return LoseEntry();
            case 1:
                return ChangeTag();
            case 2:
            case 3:
                return ChangeValue();
            case 4:
            case 5:
                return ChangeSegment();
            case 6:
                return CutTable();
            case 7:
                return ChangeRelocation();
            default:
                return FlipBits();
        }
    }

    Bytes bytes;

  private:
    size_t EntryCount() const { return parts_.dynamic.sh_size / sizeof(Elf64_Dyn); }
    size_t PlaceOfEntry(size_t index) const { return parts_.dynamic.sh_offset + index * sizeof(Elf64_Dyn); }
    Elf64_Dyn Entry(size_t index) const { return Table<Elf64_Dyn>(bytes, PlaceOfEntry(index), 1)[0]; }

    // Whether there is the address of a first or last function. Any code of the object can be one.
    bool IsFunction(uint64_t place) const {
        return std::any_of(parts_.functions.begin(), parts_.functions.end(),
                           [&](const Elf64_Shdr& section) { return place - section.sh_addr < section.sh_size; });
    }

    template <typename T>
    void Write(size_t place, const T& value) {
        std::memcpy(bytes.data() + place, &value, sizeof value);
    }

    // A value near the old one, one of the file, or any.
    uint64_t Near(uint64_t old) {
        const uint64_t some[] = {0,
                                 1,
                                 old + 1,
                                 old - 1,
                                 old + 8,
                                 old - 8,
                                 old / 2,
                                 old * 2,
                                 old + 4096,
                                 random_() % whole_.size(),
                                 random_() % whole_.size() / 8 * 8,
                                 ~uint64_t{0},
                                 uint64_t{1} << random_() % 64,
                                 random_()};
        return some[random_() % std::size(some)];
    }

    // An entry of the dynamic section becomes one that nothing knows, or goes.
    std::string LoseEntry() {
        const size_t index = random_() % EntryCount();
        const std::string what =
            " lost entry " + std::to_string(index) + " of tag " + std::to_string(Entry(index).d_tag);
        if (random_() % 2 == 0) {
            Write<int64_t>(PlaceOfEntry(index), 0x6ffffef0);
            return what + " by its tag";
        }
        for (size_t at = index; at + 1 < EntryCount(); ++at) Write(PlaceOfEntry(at), Entry(at + 1));
        return what;
    }

    std::string ChangeTag() {
        const size_t index = random_() % EntryCount();
        const int64_t tag = random_() % 2 == 0 ? static_cast<int64_t>(random_() % 40)
                                               : Entry(random_() % EntryCount()).d_tag ^ (random_() % 2 == 0 ? 1 : 0);
        const std::string what = " tag " + std::to_string(Entry(index).d_tag) + " is " + std::to_string(tag);
        Write(PlaceOfEntry(index), tag);
        return what;
    }

    std::string ChangeValue() {
        const size_t index = random_() % EntryCount();
        const Elf64_Dyn entry = Entry(index);
        // Any code of the object can be its first and its last function.
        if (entry.d_tag == DT_INIT || entry.d_tag == DT_FINI) return "";
        const uint64_t value = random_() % 4 == 0 ? Entry(random_() % EntryCount()).d_un.d_val : Near(entry.d_un.d_val);
        Write(PlaceOfEntry(index) + 8, value);
        return " value of tag " + std::to_string(entry.d_tag) + " is " + std::to_string(value);
    }

    std::string ChangeSegment() {
        const size_t index = random_() % parts_.header.e_phnum;
        const size_t place = parts_.header.e_phoff + index * sizeof(Elf64_Phdr);
        if (random_() % 8 == 0) {
            const uint32_t types[] = {PT_NULL, PT_LOAD, PT_DYNAMIC, PT_TLS, PT_PHDR, PT_GNU_RELRO, PT_INTERP};
            const uint32_t type = types[random_() % std::size(types)];
            Write(place, type);
            return " segment " + std::to_string(index) + " has type " + std::to_string(type);
        }
        // The fields of 8 bytes: offset, address, physical address, sizes, alignment.
        size_t field = 1 + random_() % 6;
        const auto flags = Table<uint32_t>(bytes, place + offsetof(Elf64_Phdr, p_flags), 1)[0];
        // At another place the segment has other code, which no reader can see.
        if ((flags & PF_X) != 0 && field <= 2) field = 4;
        const uint64_t value = Near(Table<uint64_t>(bytes, place + field * 8, 1)[0]);
        Write(place + field * 8, value);
        return " segment " + std::to_string(index) + " has word " + std::to_string(field) + " = " +
               std::to_string(value);
    }

    // Another kind, or another value that is added to the place of the object or of the symbol.
    std::string ChangeRelocation() {
        const Elf64_Shdr& section = parts_.relocations[random_() % parts_.relocations.size()];
        const size_t place =
            section.sh_offset + random_() % (section.sh_size / sizeof(Elf64_Rela)) * sizeof(Elf64_Rela);
        auto entry = Table<Elf64_Rela>(bytes, place, 1)[0];
        if (random_() % 2 == 0)
            entry.r_info = ELF64_R_INFO(ELF64_R_SYM(entry.r_info), random_() % 40);
        else if (!IsFunction(entry.r_offset))
            entry.r_addend = static_cast<Elf64_Sxword>(Near(static_cast<uint64_t>(entry.r_addend)));
        Write(place, entry);
        return " relocation at " + std::to_string(place) + " has kind " + std::to_string(ELF64_R_TYPE(entry.r_info)) +
               " and value " + std::to_string(entry.r_addend);
    }

    // The rest of a table is zero, or the file ends there.
    std::string CutTable() {
        const Elf64_Shdr& section = parts_.filled[random_() % parts_.filled.size()];
        if (section.sh_size == 0) return "";
        const size_t at = section.sh_offset + random_() % section.sh_size;
        if (random_() % 4 != 0) {
            std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                      bytes.begin() + static_cast<std::ptrdiff_t>(section.sh_offset + section.sh_size),
                      static_cast<unsigned char>(random_() % 2 == 0 ? 0 : random_()));
            return " filled from " + std::to_string(at);
        }
        // The sections are behind the tables. Without them the file is not seen to be cut off.
        std::memset(bytes.data() + offsetof(Elf64_Ehdr, e_shoff), 0, sizeof(Elf64_Off));
        std::memset(bytes.data() + offsetof(Elf64_Ehdr, e_shnum), 0, sizeof(Elf64_Half));
        std::memset(bytes.data() + offsetof(Elf64_Ehdr, e_shstrndx), 0, sizeof(Elf64_Half));
        if (random_() % 2 == 0) return " without sections";
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), static_cast<unsigned char>(0));
        return " zero from " + std::to_string(at);
    }

    // Bits of the tables and the data.
    std::string FlipBits() {
        const Elf64_Shdr& section = parts_.filled[random_() % parts_.filled.size()];
        if (section.sh_size == 0) return "";
        std::string what;
        for (uint64_t count = 1 + random_() % 8; count > 0; --count) {
            const size_t at = section.sh_offset + random_() % section.sh_size;
            bytes[at] ^= static_cast<unsigned char>(1u << random_() % 8);
            what += " " + std::to_string(at) + "=" + std::to_string(bytes[at]);
        }
        return what;
    }

    const Bytes& whole_;
    const Parts parts_;
    std::mt19937_64 random_;
};

}  // namespace portacl_test
