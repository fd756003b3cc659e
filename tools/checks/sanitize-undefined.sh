# The C++ suite under UndefinedBehaviorSanitizer, with debug assertions in the library, on every backend that needs no
# GPU. Takes minutes: --deep only.
repair="mend the expression that the report names"
check() { sanitized_suite undefined; }
sabotage() { sanitizer_sabotage c; }
source tools/sanitizers.sh
