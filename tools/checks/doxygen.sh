# Everything in the public headers is documented, and Doxygen reports nothing.
repair="document the function in src/ffi, then ./dev headers"
check() { mkdir -p build && doxygen Doxyfile; }
sabotage() { sed -i 's/^aclError aclrtGetVersion(/aclError aclUndocumented(int);\n&/' include/acl/acl_rt.h; }
