#!/usr/bin/env python3
"""The cost of memory hooks when none is registered: the instructions in an optimised archive that check for hooks.

usage: hook_cost.py [DISASSEMBLY | ARCHIVE]     (x86-64; a disassembly is what `objdump -dr --no-show-raw-insn` writes)

Each check must be one plain load and a branch, of at most 3 instructions together. No function may check twice, and only
those in which a program enters may check: functions that they call get the result. All of these must exist, else this
script has lost its object.
"""

import re
import subprocess
import sys

COUNTER = "memory_hook8registry5COUNT"
# Functions that count hooks may write; those that list them do nothing else.
WRITERS = ("registry8register", "registry10unregister", "portaclMemoryHookRegister", "portaclMemoryHookUnregister")
MOST = 3
# The functions by which a program allocates and frees, whether inlined into their entries or not.
KINDS = {
    "device memory": ("13device_memory8allocate", "6memory6malloc", "aclrtMalloc", "6memory18malloc_with_config"),
    "release of device memory": ("13device_memory12free_checked", "6memory4free", "aclrtFree"),
    "page-locked memory": ("4host23malloc_host_with_config", "4host11malloc_host", "aclrtMallocHost"),
    "release of page-locked memory": ("4host9free_host", "aclrtFreeHost"),
    "managed memory": ("14managed_memory5alloc", "aclrtMemAllocManaged"),
    "memory of pools": (
        "8mem_pool12malloc_async",
        "aclrtMemPoolMallocAsync",
        "7current12malloc_async",
        "portaclMallocAsync",
    ),
    "release of memory of pools": ("8mem_pool10free_async", "aclrtMemPoolFreeAsync"),
    "memory of pools in captures": ("6memory15captured_malloc",),
    "release of memory of graphs": ("6memory9give_back",),
    "memory of other processes": (
        "7sharing8hand_out",
        "3ipc6import",
        "aclrtIpcMemImportByKey",
        "7sharing14import_pointer",
        "portaclMemPoolImportPointer",
    ),
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
    """The instructions of one check."""
    first = body[at][0]
    if first.startswith("cmp"):
        taken = [text for text, _ in body[at : at + 2]]
    elif load := re.match(r"mov\s.*,(%\w+)$", first):
        # Instructions that the compiler scheduled in between belong to other code.
        register, taken = load[1], [first]
        for text, _ in body[at + 1 : at + 12]:
            if re.match(rf"(test\s+{register},{register}|cmp\s+\$0x0,{register})$", text):
                taken.append(text)
            elif len(taken) == 2 and re.match(r"(j|set|cmov)[a-z]+\s", text):
                taken.append(text)
                break
    else:
        sys.exit(f"{name}: '{first}' is no plain load of the number of hooks")
    if len(taken) > MOST or not re.match(r"(j|set|cmov)[a-z]+\s", taken[-1]):
        sys.exit(f"{name}: {taken} is more than a load and a branch")
    return taken


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    if path.endswith(".a"):
        objdump = subprocess.Popen(["objdump", "-dr", "--no-show-raw-insn", path], stdout=subprocess.PIPE, text=True)
        lines = objdump.stdout
    else:
        lines = open(path, encoding="utf-8")
    looks = {}
    for name, body in functions(lines):
        if any(writer in name for writer in WRITERS):
            continue
        places = [at for at, (_, marked) in enumerate(body) if marked]
        if len(places) != 1:
            sys.exit(f"{name} checks {len(places)} times for hooks")
        looks[name] = look(name, body, places[0])
    known = [part for names in KINDS.values() for part in names]
    for name in looks:
        if not any(part in name for part in known):
            sys.exit(f"{name} checks for hooks, too: its caller has checked already, or tools/hook_cost.py does not list it")
    for kind, names in KINDS.items():
        found = [name for name in looks if any(part in name for part in names)]
        if not found:
            sys.exit(f"no function checks for hooks where a program allocates or frees {kind}: {sorted(looks)}")
        for name in found:
            print(f"{kind}: {len(looks[name])} instructions ({'; '.join(looks[name])})")
    print(f"{max(map(len, looks.values()))} instructions at most in {len(looks)} functions that check for hooks")


if __name__ == "__main__":
    main()
