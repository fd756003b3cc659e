# The C++ suite under AddressSanitizer, on every backend that needs no GPU. Takes minutes: --deep only.
repair="mend the access that the report names"
check() { sanitized_suite address; }
sabotage() { sanitizer_sabotage rust; }
source tools/sanitizers.sh
