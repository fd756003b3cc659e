# Every library has one place and no other, and a program is compiled before anything is built.
foreach(entry acllib/lib64:ascendcl compiler/lib64:graph compiler/lib64:acl_op_compiler)
    string(REPLACE ":" ";" entry "${entry}")
    list(GET entry 0 folder)
    list(GET entry 1 name)
    find_library(found_${name} NAMES ${name} PATHS "$ENV{ASCEND_HOME_PATH}/${folder}" NO_DEFAULT_PATH REQUIRED)
    list(APPEND libraries "${found_${name}}")
endforeach()
find_path(includes NAMES acl/acl.h PATHS "$ENV{ASCEND_HOME_PATH}/include" NO_DEFAULT_PATH REQUIRED)
try_compile(compiles "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}/program.c"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES:STRING=${includes}"
    LINK_LIBRARIES ${libraries} OUTPUT_VARIABLE why)
if(NOT compiles)
    message(FATAL_ERROR "${why}")
endif()
