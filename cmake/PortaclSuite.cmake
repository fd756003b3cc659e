# The programs of cpp_tests: each folder is one program, FOLDER_tests, which has a link NOUN_test for each of its sources
# NOUN_test.cpp. By the name of the link it runs the tests of that source (cpp_tests/support/suite/of_source.h), so each source
# has a process of its own. Sources are compiled a few at once (cpp_tests/support/suite/unit.py).
set(PORTACL_TEST_UNIT 12 CACHE STRING "How many sources of one folder of cpp_tests are compiled at once; 1: each alone")

# The folder of the programs, of their links, and of what they load.
set(portacl_programs "${CMAKE_BINARY_DIR}/cpp_tests")

# portacl_test_program_options(TARGET): for each program of the suite.
function(portacl_test_program_options target)
    # Names and lines, for call stacks.
    target_compile_options(${target} PRIVATE -g1)
    target_link_libraries(${target} PRIVATE portacl_test_support)
endfunction()

# portacl_test_objects(TARGET SOURCE...): objects of programs of the suite. They need headers only, so they are compiled while
# the library is. They use one precompiled header.
function(portacl_test_objects target)
    add_library(${target} OBJECT ${ARGN})
    target_compile_options(${target} PRIVATE -g1)
    target_link_libraries(${target} PRIVATE portacl_test_headers)
endfunction()

# portacl_test_folder(FOLDER SOURCE...): the program FOLDER_tests, and the target NOUN_test for each source.
function(portacl_test_folder folder)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(units "")
    set(unit "")
    set(place "")
    set(sources ${ARGN})
    foreach(source IN LISTS sources ITEMS end)
        get_filename_component(directory "${source}" DIRECTORY)
        list(LENGTH unit length)
        if(unit AND (NOT directory STREQUAL place OR length GREATER_EQUAL PORTACL_TEST_UNIT))
            list(GET unit 0 first)
            get_filename_component(first "${first}" NAME_WE)
            set(file "${CMAKE_CURRENT_BINARY_DIR}/units/${first}.cpp")
            add_custom_command(OUTPUT "${file}" DEPENDS ${unit} "${PROJECT_SOURCE_DIR}/cpp_tests/support/suite/unit.py"
                COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cpp_tests/support/suite/unit.py" "${file}" ${unit} VERBATIM)
            list(APPEND units "${file}")
            set(unit "")
        endif()
        set(place "${directory}")
        list(APPEND unit "${source}")
    endforeach()

    set(links "")
    foreach(source IN LISTS sources)
        get_filename_component(program "${source}" NAME_WE)
        list(APPEND links "${program}")
    endforeach()
    list(TRANSFORM links REPLACE "(.+)" "COMMAND;ln;-sf;${folder}_tests;\\1" OUTPUT_VARIABLE link_commands)
    portacl_test_objects(${folder}_objects ${units})
    # Fixtures in unnamed namespaces of an included file.
    target_compile_options(${folder}_objects PRIVATE -Wno-subobject-linkage)
    target_precompile_headers(${folder}_objects REUSE_FROM portacl_precompiled)
    add_executable(${folder}_tests $<TARGET_OBJECTS:${folder}_objects>)
    portacl_test_program_options(${folder}_tests)
    add_custom_command(TARGET ${folder}_tests POST_BUILD ${link_commands}
        WORKING_DIRECTORY "${portacl_programs}" BYPRODUCTS ${links} VERBATIM)
endfunction()

# What the programs of the folders share: cpp_tests/support/suite/precompiled.h.
file(CONFIGURE OUTPUT precompiled.cpp CONTENT "// Its header is what it is for.\n")
portacl_test_objects(portacl_precompiled "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp")
target_precompile_headers(portacl_precompiled PRIVATE "${PROJECT_SOURCE_DIR}/cpp_tests/support/suite/precompiled.h")
