// A hostile program. It is linked with segments that lie 2 MiB apart, and the memory between them cannot be read.
#include <portacl/kernel.h>

extern "C" {

#define EXPORT __attribute__((visibility("default")))

EXPORT void mark(const void*, const portaclBlock*) {}
EXPORT void add_step(const void*, const portaclBlock*) {}

// The parameters of `mark` lie behind the segment of this constant, and in front of the next one.
const portaclParameter before_the_gap[1] = {{0, 8, 0}};
extern EXPORT const portaclKernel mark_portacl_kernel;
const portaclKernel mark_portacl_kernel = {1, 8, 1, before_the_gap + (1 << 20) / sizeof(portaclParameter)};

// The description of `add_step` is the last byte of its segment, and of a page.
__asm__(
    ".pushsection .bss.last, \"aw\", @nobits\n"
    ".balign 65536\n"
    ".space 65535\n"
    ".globl add_step_portacl_kernel\n"
    ".type add_step_portacl_kernel, @object\n"
    ".size add_step_portacl_kernel, 1\n"
    "add_step_portacl_kernel:\n"
    ".space 1\n"
    ".popsection\n");
}
