# The commands that README.md and docs/install.md print lead a new user from a clone to a program, in a root of Debian that has
# only git, certificates and sudo: linked by CMake, by pkg-config, and with Debian packages.
repair="correct the block of the page that is named above, or what it runs; tools/first_minute.py --quick repeats it"
check() {
    tools/setup.sh release || { echo "what makes roots of Debian cannot be installed"; return 77; }
    tools/first_minute.py --quick
}
sabotage() { sed -i 's/^c++ hello\/hello.cpp/c++ hello\/helo.cpp/' docs/install.md; }
