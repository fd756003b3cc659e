# Tests name no files in folders that all processes share: process ids come again, and other users can take a name first.
repair="use portacl_test::TemporaryFolder or InOwnFolder (cpp_tests/support)"
check() {
    ! git grep -nE '"/tmp/|temp_directory_path\(\)|TempDir\(\)' -- cpp_tests \
        ':!cpp_tests/support/own_process.h' ':!cpp_tests/support/process/temporary_folder.h'
}
sabotage() { echo 'const char* const kFile = "/tmp/portacl.json";' >>cpp_tests/memory/bounds_test.cpp; }
