#include "plugin_under_test.h"
#include "runtime/device_properties.h"

using namespace paddle_test;

namespace {

class Capability : public WithDevice {};

using Getter = C_Status (*)(C_Device, std::size_t*);

std::vector<std::pair<const char*, Getter>> Getters() {
    const Callbacks& plugin = Plugin();
    return {{"get_compute_capability", plugin.get_compute_capability},
            {"get_runtime_version", plugin.get_runtime_version},
            {"get_driver_version", plugin.get_driver_version},
            {"get_multi_process", plugin.get_multi_process},
            {"get_max_threads_per_mp", plugin.get_max_threads_per_mp},
            {"get_max_threads_per_block", plugin.get_max_threads_per_block}};
}

TEST_F(Capability, EveryGetterAnswersAndRefusesNull) {
    for (const auto& [name, get] : Getters()) {
        std::size_t value = 0xdeadbeef;
        EXPECT_EQ(get(device(), &value), C_SUCCESS) << name;
        EXPECT_NE(value, 0xdeadbeef) << name;
        ErrorOutput output;
        EXPECT_EQ(get(device(), nullptr), C_ERROR) << name;
        EXPECT_EQ(get(nullptr, &value), C_ERROR) << name;
        EXPECT_NE(output.Take().find(name), std::string::npos);
    }
}

TEST_F(Capability, ADeviceThatIsNotThereIsRefused) {
    C_Device_st wrong{DeviceCount()};
    ErrorOutput output;
    for (const auto& [name, get] : Getters()) {
        if (std::string(name).find("version") != std::string::npos) continue;  // not a device's
        std::size_t value = 5;
        EXPECT_EQ(get(&wrong, &value), C_ERROR) << name;
        EXPECT_EQ(value, 5u) << name;
    }
    std::array<unsigned, 3> size{7, 7, 7};
    EXPECT_EQ(Plugin().get_max_grid_dim_size(&wrong, &size), C_ERROR);
    EXPECT_EQ(size[0], 7u);
    portacl_paddle::DeviceProperties properties{};
    EXPECT_EQ(Plugin().get_device_properties(&wrong, &properties), C_ERROR);
    EXPECT_EQ(properties.total_memory, 0u);
}

TEST_F(Capability, TheReleaseThatNamesNoDeviceGetsThoseOfTheThreads) {
    Table table(0);
    table.Init();
    const Callbacks old = table.In(0);
    EXPECT_EQ(old.get_compute_capability, nullptr);
    ErrorOutput output;
    for (const auto& [get, of_current] :
         {std::pair{Plugin().get_compute_capability, old.get_compute_capability_of_current},
          std::pair{Plugin().get_runtime_version, old.get_runtime_version_of_current},
          std::pair{Plugin().get_driver_version, old.get_driver_version_of_current}}) {
        ASSERT_NE(of_current, nullptr);
        std::size_t expected = 1;
        std::size_t found = 2;
        EXPECT_EQ(get(device(), &expected), C_SUCCESS);
        EXPECT_EQ(of_current(&found), C_SUCCESS);
        EXPECT_EQ(found, expected);
        EXPECT_EQ(of_current(nullptr), C_ERROR);
    }
}

TEST_F(Capability, ThereAreCoresAndVersions) {
    std::size_t value = 0;
    ASSERT_EQ(Plugin().get_multi_process(device(), &value), C_SUCCESS);
    EXPECT_GT(value, 0u);
    ASSERT_EQ(Plugin().get_runtime_version(device(), &value), C_SUCCESS);
    EXPECT_GT(value, 10000u);
    ASSERT_EQ(Plugin().get_driver_version(device(), &value), C_SUCCESS);
    EXPECT_GT(value, 10000u);
}

TEST_F(Capability, PropertiesAgreeWithTheGetters) {
    portacl_paddle::DeviceProperties properties{};
    ASSERT_EQ(Plugin().get_device_properties(device(), &properties), C_SUCCESS);
    std::size_t total = 0;
    std::size_t free = 0;
    std::size_t processors = 0;
    std::size_t capability = 0;
    ASSERT_EQ(Plugin().device_memory_stats(device(), &total, &free), C_SUCCESS);
    ASSERT_EQ(Plugin().get_multi_process(device(), &processors), C_SUCCESS);
    ASSERT_EQ(Plugin().get_compute_capability(device(), &capability), C_SUCCESS);
    EXPECT_FALSE(properties.name.empty());
    EXPECT_EQ(properties.total_memory, total);
    EXPECT_EQ(static_cast<std::size_t>(properties.processors), processors);
    EXPECT_EQ(static_cast<std::size_t>(properties.major * 100 + properties.minor), capability);
    ErrorOutput output;
    EXPECT_EQ(Plugin().get_device_properties(device(), nullptr), C_ERROR);
    EXPECT_EQ(Plugin().get_device_properties(nullptr, &properties), C_ERROR);
}

TEST_F(Capability, GridBoundsAreWrittenAsAWhole) {
    std::array<unsigned, 3> size{0xdead, 0xdead, 0xdead};
    EXPECT_EQ(Plugin().get_max_grid_dim_size(device(), &size), C_SUCCESS);
    for (const unsigned bound : size) EXPECT_NE(bound, 0xdeadu);
    ErrorOutput output;
    EXPECT_EQ(Plugin().get_max_grid_dim_size(device(), nullptr), C_ERROR);
    EXPECT_EQ(Plugin().get_max_grid_dim_size(nullptr, &size), C_ERROR);
}

TEST_F(Capability, OperatorsAreThoseOfTheCpu) {
    for (const auto supported :
         {Plugin().is_float16_supported, Plugin().is_bfloat16_supported, Plugin().is_dnn_supported}) {
        bool value = true;
        EXPECT_EQ(supported(device(), &value), C_SUCCESS);
        EXPECT_FALSE(value);
        ErrorOutput output;
        EXPECT_EQ(supported(device(), nullptr), C_ERROR);
        EXPECT_EQ(supported(nullptr, &value), C_ERROR);
    }
}

}  // namespace
