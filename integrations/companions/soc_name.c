// Programs that compile operators choose the formats of tensors by the name of the SoC. With the default name torch_npu
// chooses formats for convolutions that only those devices have; with this one, formats that every device has.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/auxv.h>

__attribute__((constructor)) static void choose(void) {
    // With raised privileges the library reads no variable, and reports those that are set.
    if (getauxval(AT_SECURE) != 0) return;
    const char* chosen = secure_getenv("PORTACL_SOC_NAME");
    if (chosen == NULL || *chosen == 0) setenv("PORTACL_SOC_NAME", "Ascend910_9391", 1);
}
