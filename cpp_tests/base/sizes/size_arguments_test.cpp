// Sizes that are compared with what exists: every call of the table, with 0, the largest size, and larger ones up to
// SIZE_MAX. A system that overcommits would promise memory that no machine has.

#include "base/sizes/more_rows.h"
#include "base/sizes/rows.h"

#include <gtest/gtest.h>

#include "support/own_process.h"

namespace {

using namespace portacl_test;

std::vector<SizeRow> AllRows() {
    std::vector<SizeRow> all = kRowsOfAllocations;
    std::vector<std::vector<SizeRow>> more = {kRowsOfMemory, kRowsOfArrays, kRowsOfVariants, kRowsOfQueries};
    if (OnCpu()) more.push_back(kRowsOfCpus);
    for (const auto& rows : more) all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

// Makes the call, and checks its result and the text of a failure.
void Expect(const SizeRow& row, World& world, size_t size, aclError wanted) {
    SCOPED_TRACE(std::string(row.call) + ": " + row.argument + " is " + std::to_string(size));
    (void)aclGetRecentErrMsg();
    const aclError code = row.run(world, size);
    const char* text = aclGetRecentErrMsg();
    const std::string said = text ? text : "";
    EXPECT_EQ(code, wanted) << said << " (the bound is " << row.bound << ")";
    if (code == ACL_SUCCESS) return;
    EXPECT_NE(said.find(row.call), std::string::npos) << said;
    const auto says = [&](const std::string& words) { return said.find(words) != std::string::npos; };
    // A range is named by its first byte and its length, an array by its members.
    const std::string value = std::to_string(size);
    const bool is_range = says("runs past the end of its allocation") || says("beyond the end of the address space");
    EXPECT_TRUE(is_range || says(row.argument) || says(value + " bytes") || says(value + " needed")) << said;
    EXPECT_TRUE(is_range || says(value)) << said;
}

OWN_PROCESS_TEST(SizeArguments, AreComparedWithWhatExists, {"PORTACL_CPU_MEMORY", "64M"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        World world;
        for (const SizeRow& row : AllRows()) {
            Expect(row, world, 0, row.zero);
            std::vector<size_t> beyond = {size_t{1} << 62, size_t{1} << 63, SIZE_MAX - 63, SIZE_MAX};
            if (row.most != 0) {
                Expect(row, world, row.most, kOk);
                // The readable tail of an allocation is less than a page.
                if (row.most >= 4096) beyond.push_back(row.most + 4096);
            }
            for (const size_t size : beyond) {
                if (size % row.unit == 0) Expect(row, world, size, row.beyond);
            }
            if (!IsIdle(world.stream)) {
                ACL_OK(aclrtSynchronizeStream(world.stream));
            }
        }
    }
    ACL_OK(aclFinalize());
}

}  // namespace
