# Everything in the public headers is documented, and Doxygen has nothing to complain about.
check() { mkdir -p build && doxygen Doxyfile; }
sabotage() { sed -i 's/^aclError aclrtGetVersion(/aclError aclUndocumented(int);\n&/' include/acl/acl_rt.h; }
