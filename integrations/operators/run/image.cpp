// The bytes of the module of kernel/kernel.cpp; CMake names the file.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".global portacl_operators_kernel\n"
    ".hidden portacl_operators_kernel\n"
    "portacl_operators_kernel:\n"
    ".incbin \"" PORTACL_OPERATORS_KERNEL
    "\"\n"
    ".global portacl_operators_kernel_end\n"
    ".hidden portacl_operators_kernel_end\n"
    "portacl_operators_kernel_end:\n"
    ".previous\n");
