# Changes one fact at a time in a copy of tests/data and expects the compilers to fail.
#   cmake -DSOURCE= -DDATA= -DINCLUDE= -DWORK= -DCC= -DCXX= -P selftest.cmake

cmake_minimum_required(VERSION 3.22)

# Compiles the checks of the header in C and C++, with the data in WORK/data; returns "accepted" or
# "refused".
function(compile id language result)
    file(REMOVE_RECURSE "${WORK}/out")
    execute_process(COMMAND "${CMAKE_COMMAND}" "-DABI_DATA=${WORK}/data" "-DABI_OUT=${WORK}/out"
                    -P "${SOURCE}/generate.cmake" COMMAND_ERROR_IS_FATAL ANY)
    set(flags -fsyntax-only "-I${INCLUDE}" "-DABI_HEADER=\"acl/${id}.h\""
        "-DABI_TABLE=\"${WORK}/out/${id}.inc\"")
    if(language STREQUAL "C")
        set(command "${CC}" -std=c11 ${flags} "${SOURCE}/abi.c")
    else()
        set(command "${CXX}" -std=c++11 ${flags} "${SOURCE}/abi.cpp")
    endif()
    execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
    if(status EQUAL 0)
        set(${result} "accepted" PARENT_SCOPE)
    elseif(errors MATCHES "static assertion failed")
        set(${result} "refused" PARENT_SCOPE)
    else()
        message(FATAL_ERROR "${id}, ${language}: fails for another reason:\n${errors}")
    endif()
endfunction()

# expect_refusal(id file "as it is" "as it is not" language...)
function(expect_refusal id file right wrong)
    file(REMOVE_RECURSE "${WORK}/data")
    file(COPY "${DATA}/" DESTINATION "${WORK}/data")
    file(READ "${WORK}/data/${file}" text)
    string(REPLACE "${right}" "${wrong}" changed "${text}")
    if(changed STREQUAL text)
        message(FATAL_ERROR "${file} has no '${right}'")
    endif()
    file(WRITE "${WORK}/data/${file}" "${changed}")
    foreach(language IN LISTS ARGN)
        compile(${id} ${language} outcome)
        if(NOT outcome STREQUAL "refused")
            message(FATAL_ERROR "${language} accepts '${wrong}' in ${file}")
        endif()
        message(STATUS "${language} refuses '${wrong}'")
    endforeach()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(COPY "${DATA}/" DESTINATION "${WORK}/data")
foreach(language C CXX)
    compile(acl_base_rt ${language} outcome)
    if(NOT outcome STREQUAL "accepted")
        message(FATAL_ERROR "${language} refuses the unchanged data")
    endif()
endforeach()

string(ASCII 9 tab)
expect_refusal(acl_base_rt acl-constants.tsv "ACL_BF16${tab}27" "ACL_BF16${tab}28" C CXX)
expect_refusal(acl_base_rt acl-constants.tsv "ACL_ERROR_FAILURE${tab}500001"
               "ACL_ERROR_FAILURE${tab}500002" CXX)
expect_refusal(acl_base_rt acl-constants.tsv "enum aclMemType${tab}ACL_MEMTYPE_HOST"
               "enum aclLogLevel${tab}ACL_MEMTYPE_HOST" CXX)
expect_refusal(acl_prof acl-constants.tsv "ACL_PROF_ACL_API${tab}0x0001ULL"
               "ACL_PROF_ACL_API${tab}0x0001U" C CXX)
expect_refusal(acl_prof acl-types.tsv "aclprofTensor${tab}48" "aclprofTensor${tab}44" C CXX)
expect_refusal(acl_prof acl-types.tsv "shapeDim@12" "shapeDim@8" C CXX)
expect_refusal(acl_prof acl-types.tsv "uint32_t shapeDim@12" "int32_t shapeDim@12" C CXX)
expect_refusal(acl_base_rt acl-types.tsv "aclFloat16${tab}${tab}uint16_t" "aclFloat16${tab}${tab}int16_t"
               C CXX)
expect_refusal(acl_base_rt acl-functions.tsv "const aclDataBuffer * dataBuffer" "aclDataBuffer * dataBuffer"
               C CXX)
expect_refusal(acl_base_rt acl-functions.tsv "aclGetDataBufferSize${tab}acl_base_rt.h${tab}uint32_t"
               "aclGetDataBufferSize${tab}acl_base_rt.h${tab}uint64_t" C CXX)
