# The C++ suite under ThreadSanitizer, on every backend that needs no GPU. Takes minutes: --deep only.
repair="order the two accesses that the report names"
check() { sanitized_suite thread; }
sabotage() { sanitizer_sabotage c_files; }
source tools/sanitizers.sh
