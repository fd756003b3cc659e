# Every test program runs once per backend; the ctest label says which.
#
#   cpu        the CPU as a device
#   cpu-async  the same, with work on other threads and with delays, which reveals missing synchronization
#   cpu-guard  the CPU with device memory inaccessible to the host: host accesses fault
#   cuda-fake  the CUDA backend on tests/fake_cuda, a stand-in for the driver, for machines without a GPU
#   cuda       the CUDA backend on this machine's GPU (PORTACL_TEST_GPU=ON)
#
# Other labels:
#   checked    the programs of cpu once more, under PORTACL_CHECK
#   long       beside another one: ./dev test leaves the test out, ./dev test rest runs it

set(portacl_test_labels cpu cpu-async cpu-guard)
if(TARGET fake_cuda)
    list(APPEND portacl_test_labels cuda-fake)
endif()
if(PORTACL_TEST_GPU)
    list(APPEND portacl_test_labels cuda)
    # Builds what ./dev gpu packs, without the rest of the suite: the programs of the label, benches, and what
    # ./dev gpu --try needs.
    add_custom_target(gpu_pack)
    if(TARGET fake_cuda)
        add_dependencies(gpu_pack fake_cuda)
    endif()
endif()

# What ./dev test builds: the programs of the tests of cpu and cuda-fake that are not long.
add_custom_target(portacl_short)
if(TARGET fake_cuda)
    add_dependencies(portacl_short fake_cuda fake_cuda_old)
endif()

# portacl_is_long(TEST...)
function(portacl_is_long)
    set_property(TEST ${ARGN} APPEND PROPERTY LABELS long)
endfunction()

# Variables of a developer's shell must not change the meaning of a label.
set(portacl_env_common
    ASCEND_RT_VISIBLE_DEVICES=unset: PORTACL_BACKEND=unset: PORTACL_CPU_ASYNC=unset: PORTACL_CPU_DEVICES=unset:
    PORTACL_CHECK=unset: PORTACL_CHECK_EXIT=unset: PORTACL_CHECK_LIMIT=unset: PORTACL_CHECK_LOG=unset:
    PORTACL_CHECK_REPORT=unset: PORTACL_CHECK_STACKS=unset: PORTACL_CHECK_SUPPRESS=unset: PORTACL_CHECK_WAIT_MS=unset:
    PORTACL_CPU_MEMORY=unset: PORTACL_CPU_GUARD=unset: PORTACL_FAULT=unset: PORTACL_FAULT_COUNT=unset:
    PORTACL_LEAK_CHECK=unset: PORTACL_MEMORY_HOOK=unset: PORTACL_SCHEDULE=unset: PORTACL_SCHEDULE_LOG=unset:
    FAKE_CUDA_LEAK_CHECK=unset: PORTACL_TEST_NO_SKIPS=unset: PORTACL_TEST_ON_GPU=unset:)
if(PORTACL_SANITIZER STREQUAL "address")
    list(APPEND portacl_env_common
         "ASAN_OPTIONS=set:detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1"
         "LSAN_OPTIONS=set:suppressions=${PROJECT_SOURCE_DIR}/cpp_tests/support/lsan.supp:print_suppressions=0")
elseif(PORTACL_SANITIZER STREQUAL "thread")
    list(APPEND portacl_env_common
         "TSAN_OPTIONS=set:halt_on_error=0:exitcode=66:second_deadlock_stack=1:allocator_may_return_null=1:suppressions=${PROJECT_SOURCE_DIR}/cpp_tests/support/tsan.supp")
elseif(PORTACL_SANITIZER STREQUAL "undefined")
    list(APPEND portacl_env_common "UBSAN_OPTIONS=set:print_stacktrace=1")
endif()

set(portacl_env_cpu PORTACL_BACKEND=set:cpu)
set(portacl_env_cpu-async PORTACL_BACKEND=set:cpu PORTACL_CPU_ASYNC=set:always)
set(portacl_env_cpu-guard PORTACL_BACKEND=set:cpu PORTACL_CPU_GUARD=set:1)
set(portacl_env_cuda-fake
    PORTACL_BACKEND=set:cuda FAKE_CUDA_LEAK_CHECK=set:1 FAKE_CUDA_STRICT=set:1 PORTACL_TEST_NO_SKIPS=set:1
    "LD_LIBRARY_PATH=path_list_prepend:$<TARGET_FILE_DIR:fake_cuda>")
set(portacl_env_cuda PORTACL_BACKEND=set:cuda PORTACL_TEST_NO_SKIPS=set:1 PORTACL_TEST_ON_GPU=set:1)

# portacl_add_backend_tests(NAME noun COMMAND program [argument...] [TIMEOUT seconds] [LABELS label...] [LONG [label...]])
# One ctest test LABEL.noun per label (all of them unless LABELS says otherwise), which is long on the labels that LONG lists.
# GoogleTest programs leave their counts in test-results/.
function(portacl_add_backend_tests)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "COMMAND;LABELS;LONG")
    set(words ${arg_COMMAND})
    # A link to the program of a folder is no target (cmake/PortaclSuite.cmake).
    foreach(word IN LISTS words)
        string(REGEX REPLACE "^[$]<TARGET_FILE:(.+)>$" "\\1" program "${word}")
        get_property(suite GLOBAL PROPERTY "portacl_program_of_${program}")
        if(suite)
            list(TRANSFORM arg_COMMAND REPLACE "^([$]<TARGET_FILE:)?${program}>?$" "${CMAKE_BINARY_DIR}/cpp_tests/${program}")
            list(APPEND words ${suite})
        endif()
    endforeach()
    if(NOT arg_LABELS)
        set(arg_LABELS ${portacl_test_labels})
    endif()
    # The modes of the CPU backend, and the GPU of this machine.
    list(APPEND arg_LONG cpu-async cpu-guard cuda)
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 180)
    endif()
    if(PORTACL_SANITIZER)
        math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
    endif()
    foreach(label IN LISTS arg_LABELS)
        set(test "${label}.${arg_NAME}")
        add_test(NAME "${test}" COMMAND ${arg_COMMAND})
        set_tests_properties("${test}" PROPERTIES
            LABELS "${label}"
            TIMEOUT ${arg_TIMEOUT}
            ENVIRONMENT "GTEST_OUTPUT=json:${CMAKE_BINARY_DIR}/test-results/${test}.json"
            ENVIRONMENT_MODIFICATION "${portacl_env_common};${portacl_env_${label}}")
        if(label IN_LIST arg_LONG)
            portacl_is_long("${test}")
        endif()
    endforeach()
    set(short_labels ${arg_LABELS})
    list(REMOVE_ITEM short_labels ${arg_LONG})
    list(TRANSFORM words REPLACE "^[$]<TARGET_FILE:(.+)>$" "\\1")
    foreach(word IN LISTS words)
        if(TARGET "${word}" AND "cuda" IN_LIST arg_LABELS)
            add_dependencies(gpu_pack ${word})
        endif()
        if(TARGET "${word}" AND short_labels)
            add_dependencies(portacl_short ${word})
        endif()
    endforeach()
endfunction()

# portacl_add_checked_test(NAME noun COMMAND program [argument...] [SETTINGS NAME=value...])
# The test cpu.checked.noun: under PORTACL_CHECK the program reports nothing. What it does is ordered, and written before it
# is read. cpp_tests/check/on_purpose.tsv lists the tests that do otherwise on purpose; they are left out. No call fails but
# those of ACL_FAILS; programs of cpp_tests/check/misuses.txt, which look at codes themselves, run without that check. Redundant
# waits do not count: many tests call each kind of wait on an idle device.
set(portacl_checking PORTACL_CHECK=races,init,sync,bounds,misuse PORTACL_CHECK_EXIT=99 PORTACL_CPU_GUARD=1
    "PORTACL_CHECK_SUPPRESS=${PROJECT_SOURCE_DIR}/cpp_tests/check/on_purpose.supp")
function(portacl_add_checked_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "COMMAND;SETTINGS")
    list(POP_FRONT arg_COMMAND program)
    set(on_purpose "${PROJECT_SOURCE_DIR}/cpp_tests/check/on_purpose.tsv")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${on_purpose}")
    file(STRINGS "${on_purpose}" rows REGEX "^${arg_NAME}\t")
    list(TRANSFORM rows REPLACE "^[^\t]+\t([^\t]+)\t.*" "\\1")
    list(JOIN rows ":" left_out)
    set(misuses "${PROJECT_SOURCE_DIR}/cpp_tests/check/misuses.txt")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${misuses}")
    file(STRINGS "${misuses}" misused REGEX "^${arg_NAME}$")
    if(misused)
        list(APPEND arg_SETTINGS PORTACL_CHECK=races,init,sync,bounds)
    endif()
    if(rows)
        list(APPEND arg_COMMAND "--gtest_filter=-${left_out}")
    endif()
    portacl_add_backend_tests(NAME checked.${arg_NAME} LABELS cpu LONG cpu COMMAND
        "${CMAKE_COMMAND}" -E env ${portacl_checking} ${arg_SETTINGS} $<TARGET_FILE:${program}> ${arg_COMMAND})
    set_tests_properties(cpu.checked.${arg_NAME} PROPERTIES LABELS "checked;long")
endfunction()
