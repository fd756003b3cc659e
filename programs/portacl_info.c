/* portacl-info: what a program would get in this environment. It prints version, backend, devices with their memory,
 * and the variables that are set. Status 1 if the library does not start; its text is on standard error. */
#include <acl/acl.h>
#include <portacl/portacl.h>

#include <stdio.h>
#include <string.h>

extern char** environ;

static int failed(const char* call) {
    const char* text = aclGetRecentErrMsg();
    fprintf(stderr, "portacl-info: %s failed: %s\n", call, text ? text : "no error text");
    return 1;
}

static double in_gib(size_t bytes) {
    return (double)bytes / (1 << 30);
}

static int print_device(int32_t device) {
    char name[128];
    size_t free_bytes = 0, total = 0;
    if (portaclDeviceName(device, name, sizeof name)) return failed("portaclDeviceName");
    if (aclrtSetDevice(device)) return failed("aclrtSetDevice");
    if (aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total)) return failed("aclrtGetMemInfo");
    printf("  %-3d %-32s %8.2f GiB free of %8.2f GiB\n", (int)device, name, in_gib(free_bytes), in_gib(total));
    if (aclrtResetDevice(device)) return failed("aclrtResetDevice");
    return 0;
}

/* Whether the library or the driver reads a variable with this name. */
static int matters(const char* entry) {
    static const char* const others[] = {
        "ASCEND_RT_VISIBLE_DEVICES=", "ASCEND_GLOBAL_LOG_LEVEL=", "CUDA_VISIBLE_DEVICES="};
    if (strncmp(entry, "PORTACL_", 8) == 0) return 1;
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (strncmp(entry, others[i], strlen(others[i])) == 0) return 1;
    return 0;
}

int main(int argc, char** argv) {
    (void)argv;
    if (argc > 1) {
        fputs(
            "usage: portacl-info\nPrints the version, the backend, the devices with their memory, and the environment "
            "variables for portacl that are set.\n",
            stderr);
        return 2;
    }
    printf("version   %d.%d.%d\n", PORTACL_VERSION_MAJOR, PORTACL_VERSION_MINOR, PORTACL_VERSION_PATCH);
    uint32_t devices = 0;
    if (aclInit(NULL)) return failed("aclInit");
    if (aclrtGetDeviceCount(&devices)) return failed("aclrtGetDeviceCount");
    const char* backend = portaclBackendName();
    printf("backend   %s\n", backend ? backend : "unknown");
    printf("soc name  %s\n", aclrtGetSocName());
    printf("devices   %u\n", (unsigned)devices);
    for (uint32_t device = 0; device < devices; ++device)
        if (print_device((int32_t)device)) return 1;

    int set = 0;
    for (char** entry = environ; *entry; ++entry) {
        if (!matters(*entry)) continue;
        if (set++ == 0) puts("environment variables for portacl that are set (docs/configuration.md describes them):");
        printf("  %s\n", *entry);
    }
    if (set == 0)
        puts("environment variables for portacl that are set: none; the defaults in docs/configuration.md apply");
    return aclFinalize() ? failed("aclFinalize") : 0;
}
