# The C++ suite under AddressSanitizer, on every backend that needs no GPU. Minutes: --deep only.
check() { sanitized_suite address; }
sabotage() { sanitizer_sabotage; }
source tools/sanitizers.sh
