#!/usr/bin/env python3
"""The cost of memory hooks when none is registered: the instructions in an optimised archive that check for hooks.

usage: hook_cost.py [DISASSEMBLY | ARCHIVE]     (x86-64; a disassembly is what `objdump -dr --no-show-raw-insn` writes)

Each check must be one plain load and a branch, of at most 3 instructions together, and a function has at most one for each
of two moments: memory is handed to the program, and memory comes from a device. Code that only runs where a hook exists may
read the number again. Each of KINDS must have a check, else this script has lost its object.
"""

import re
import subprocess
import sys

COUNTER = "memory_hook8registry5COUNT"
# Functions that only run where a hook exists, or that register and remove hooks.
BEHIND = ("11memory_hook", "7request6seldom", "memory..request..Named", "hooks16event_of_address", "portaclMemoryHookRegister",
          "portaclMemoryHookUnregister")
# How the bit of the library's own watcher is set: once, in whichever function the compiler put it.
SETS_BIT = re.compile(r"lock or\s+%\w+,")
MOST = 3
MOMENTS = 2
# The functions by which a program allocates and frees, whether inlined into their entries or not.
KINDS = {
    "device memory": ("13device_memory6malloc", "13device_memory8allocate", "aclrtMalloc"),
    "release of device memory": ("13device_memory4free", "13device_memory12free_checked", "aclrtFree"),
    "page-locked memory": ("13pinned_memory11malloc_host", "13pinned_memory23malloc_host_with_config", "aclrtMallocHost"),
    "release of page-locked memory": ("13pinned_memory9free_host", "aclrtFreeHost"),
    "managed memory": ("14managed_memory5alloc", "aclrtMemAllocManaged"),
    "memory of pools": ("8mem_pool7current11malloc_from", "aclrtMemPoolMallocAsync", "portaclMallocAsync"),
    "release of memory of pools": ("8mem_pool10free_async", "aclrtMemPoolFreeAsync"),
    "memory of pools in captures": ("captured..Recording$GT$6malloc",),
    "release of memory of graphs": ("8mem_pool7request13free_of_graph", "11GraphMemory3end"),
    "memory of other processes": ("3ipc6import", "aclrtIpcMemImportByKey", "portaclMemPoolImportPointer"),
    "release of memory of other processes": ("3ipc5close", "aclrtIpcMemClose"),
    "memory without an address": ("8physical6malloc", "aclrtMallocPhysical"),
    "release of memory without an address": ("8physical4free", "aclrtFreePhysical"),
}
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(.+?)\s*(?:#.*)?$")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")


def functions(lines):
    """Each function that refers to the counter: its name, and its instructions, with the references marked."""
    name, body, speaks = None, [], False
    for line in lines:
        if found := FUNCTION.match(line):
            if speaks:
                yield name, body
            name, body, speaks = found[1], [], False
        elif COUNTER in line and body and "R_X86_64" in line:
            body[-1] = (body[-1][0], True)
            speaks = True
        elif found := INSTRUCTION.match(line):
            body.append((found[1], False))
    if speaks:
        yield name, body


def look(name, body, at):
    """The instructions of one check; none for one that leaves out the bit of the watcher, or asks for it alone."""
    first = body[at][0]
    if first.startswith("cmp"):
        taken = [text for text, _ in body[at : at + 2]]
    elif load := re.match(r"mov\s.*,(%\w+)$", first):
        # Instructions that the compiler scheduled in between belong to other code. `or` combines the number with other
        # reasons to leave the fast path, for one branch.
        register, taken = load[1], [first]
        for text, _ in body[at + 1 : at + 12]:
            if re.match(rf"(shl\s+{register}$|test\s+(?!{register})%\w+,{register}$|jn?s\s)", text):
                return []
            if re.match(rf"(test\s+{register},{register}|cmp\s+\$0x0,{register}|or\s+({register},%\w+|%\w+,{register}))$", text):
                taken.append(text)
            elif len(taken) == 2 and re.match(r"(j|set|cmov)[a-z]+\s", text):
                taken.append(text)
                break
    else:
        sys.exit(f"{name}: '{first}' is no plain load of the number of hooks")
    if len(taken) > MOST or not re.match(r"(j|set|cmov)[a-z]+\s", taken[-1]):
        sys.exit(f"{name}: {taken} is more than a load and a branch")
    return taken


def checks(name, body, places):
    """The checks of a function, in their order."""
    found = [look(name, body, at) for at in places]
    if not found[0]:
        sys.exit(f"{name} asks which hooks exist before it knows that there is one")
    found = [taken for taken in found if taken]
    if len(found) > MOMENTS:
        sys.exit(f"{name} checks {len(found)} times for hooks, at most {MOMENTS} are allowed")
    return found


def is_of(name, part):
    """Whether a function is the one of KINDS: API names are whole, others are parts of mangled names."""
    return part == name if part.startswith(("acl", "portacl")) else part in name


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    if path.endswith(".a"):
        objdump = subprocess.Popen(["objdump", "-dr", "--no-show-raw-insn", path], stdout=subprocess.PIPE, text=True)
        lines = objdump.stdout
    else:
        lines = open(path, encoding="utf-8")
    looks, watches = {}, []
    for name, body in functions(lines):
        places = [at for at, (_, marked) in enumerate(body) if marked]
        if len(places) == 1 and SETS_BIT.match(body[places[0]][0]):
            watches.append(name)
        elif not any(part in name for part in BEHIND):
            looks[name] = checks(name, body, places)
    if len(watches) != 1:
        sys.exit(f"{len(watches)} functions set the watcher's bit, where one must: {watches}")
    for kind, names in KINDS.items():
        found = [name for name in looks if any(is_of(name, part) for part in names)]
        if not found:
            sys.exit(f"no function checks for hooks where a program allocates or frees {kind}: {sorted(looks)}")
        for name in found:
            for taken in looks[name]:
                print(f"{kind}: {len(taken)} instructions ({'; '.join(taken)})")
    print(f"{max(len(taken) for found in looks.values() for taken in found)} instructions at most in "
          f"{len(looks)} functions that check for hooks")


if __name__ == "__main__":
    main()
