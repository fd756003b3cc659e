# The C++ suite under UndefinedBehaviorSanitizer, over a library with debug assertions, on every backend that needs no
# GPU. Minutes: --deep only.
check() { sanitized_suite undefined; }
sabotage() { sanitizer_sabotage; }
source tools/sanitizers.sh
