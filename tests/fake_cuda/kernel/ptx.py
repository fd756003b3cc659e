#!/usr/bin/env python3
"""Translates PTX texts to C++, which the test double compiles and runs when a program launches their kernels.

usage: ptx.py OUTPUT FILE...

It knows the instructions that portacl's kernels have, and fails at any other one. A thread of the device is a call of a
function: its registers are variables, and memory is accessed by device addresses (ptx.h). The output has the entries,
parameters and variables of each text beside its kernels, found by a hash of the text.
"""

import re
import sys
from pathlib import Path

TYPES = {"b8": "uint8_t", "u8": "uint8_t", "s8": "int8_t", "b16": "uint16_t", "u16": "uint16_t", "s16": "int16_t",
         "b32": "uint32_t", "u32": "uint32_t", "s32": "int32_t", "b64": "uint64_t", "u64": "uint64_t",
         "s64": "int64_t", "f32": "float", "pred": "bool"}
SIZES = {"uint8_t": 1, "int8_t": 1, "uint16_t": 2, "int16_t": 2, "uint32_t": 4, "int32_t": 4, "uint64_t": 8,
         "int64_t": 8, "float": 4}
UNSIGNED = {"int8_t": "uint8_t", "int16_t": "uint16_t", "int32_t": "uint32_t", "int64_t": "uint64_t"}
WIDER = {"uint16_t": "uint32_t", "uint32_t": "uint64_t", "int16_t": "int32_t", "int32_t": "int64_t"}
SIGNS = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "mul": "*", "div": "/"}
ORDERED = {"eq": "{a} == {b}", "ne": "{a} < {b} || {a} > {b}", "lt": "{a} < {b}", "le": "{a} <= {b}",
           "gt": "{a} > {b}", "ge": "{a} >= {b}", "nan": "std::isnan({a}) || std::isnan({b})"}
UNORDERED = {"equ": "ne", "neu": "eq", "ltu": "ge", "leu": "gt", "gtu": "le", "geu": "lt"}


class Unknown(Exception):
    """Something that is not translated."""


def normalized(text):
    """The text without comments, and with single spaces."""
    return " ".join(re.sub(r"//[^\n]*", "", text).split())


def hash_of(text):
    """FNV-1a of the normalized text, as in ptx.cpp."""
    value = 0xCBF29CE484222325
    for byte in normalized(text).encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def name_of(register):
    return register[1:].replace("$", "")


class Kernel:
    """One entry: `lines` is its C++."""

    def __init__(self, parameters, body):
        self.parameters = {name: (offset, size) for name, offset, size in parameters}
        self.registers = {}
        self.variables = set()
        prefixes = {prefix: TYPES[kind] for kind, prefix in re.findall(r"\.reg\s+\.(\w+)\s+%(\w+?)<\d+>", body)}
        for register in sorted(set(re.findall(r"%[a-z]+\d+", body))):
            self.registers[register] = prefixes[re.match(r"%([a-z]+)", register)[1]]
        self.lines = [self.statement(one) for one in re.findall(r"\$?\w+:|[^;:]+;", body)]

    def value(self, operand, kind):
        """An operand as a value of a C++ type."""
        operand = operand.strip()
        if special := re.fullmatch(r"%(tid|ntid|ctaid|nctaid)\.([xyz])", operand):
            return f"thread.{special[1]}[{'xyz'.index(special[2])}]"
        if operand in self.registers:
            have = self.registers[operand]
            is_real = "float" in (have, kind)
            cast = "bits" if is_real else "static_cast"
            return name_of(operand) if have == kind else f"{cast}<{kind}>({name_of(operand)})"
        if number := re.fullmatch(r"0[fF]([0-9A-Fa-f]{8})", operand):
            return f"bits<float>(uint32_t{{0x{number[1]}}})"
        if re.fullmatch(r"-?\d+", operand):
            return f"static_cast<{kind}>({int(operand) % (1 << 64)}u)"
        if re.fullmatch(r"[A-Za-z_]\w*", operand):
            self.variables.add(operand)
            return f"address_of_{operand}"
        raise Unknown(f"the operand {operand}")

    def address(self, operand):
        """Of `[%rd1+8]` or `[variable]`."""
        base, _, offset = operand.strip()[1:-1].partition("+")
        return f"{self.value(base, 'uint64_t')} + {int(offset or 0)}u"

    def assign(self, register, value, kind=""):
        """Gives a register a value, which keeps its bits if only one of the two is a floating-point number."""
        have = self.registers[register]
        if kind and (have == "float") != (kind == "float"):
            return f"{name_of(register)} = bits<{have}>(static_cast<{kind}>({value}));"
        return f"{name_of(register)} = static_cast<{have}>({value});"

    def statement(self, text):
        text = text.strip()
        if text.endswith(":"):
            return f"{text.replace('$', 'at_')};"
        text = text[:-1].strip()
        if text.startswith("."):
            if not text.startswith((".reg", ".pragma")):
                raise Unknown(text)
            return ""
        guard, instruction, operands = re.fullmatch(r"(?:@(!?%\w+)\s+)?([a-z][\w.]*)\s*(.*)", text, re.DOTALL).groups()
        operands = [one.strip() for one in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,{}\[\]\s][^,]*", operands)]
        code = self.instruction(instruction.split("."), operands)
        return f"if ({guard.replace('%', '')}) {{ {code} }}" if guard else code

    def instruction(self, words, operands):
        """An instruction as C++. `words` are the parts of its name."""
        name, modifiers, kind = words[0], words[1:-1], TYPES.get(words[-1])
        if name == "ret" and not operands:
            return "return;"
        if name == "trap":
            return "throw CUresult{CUDA_ERROR_LAUNCH_FAILED};"
        if name == "bra" and words[1:] in ([], ["uni"]):
            return f"goto {operands[0].replace('$', 'at_')};"
        if name in ("ld", "st"):
            return self.access(name, modifiers, kind, operands)
        if name == "cvt":
            return self.assign(operands[0], self.conversion(words, operands[1]))
        if kind is None:
            raise Unknown(".".join(words))
        if name == "cvta":
            return self.assign(operands[0], self.value(operands[1], kind))
        result = "" if name == "setp" or modifiers == ["wide"] else kind
        return self.assign(operands[0], self.expression(name, modifiers, kind, operands[1:]), result)

    def access(self, name, modifiers, kind, operands):
        """A load or a store, of one register or of two or four."""
        registers, place = operands if name == "ld" else operands[::-1]
        registers = [one.strip() for one in registers.strip("{}").split(",")]
        spaces = [word for word in modifiers if word not in ("v2", "v4")]
        count = {"v2": 2, "v4": 4}.get(modifiers[-1] if modifiers else "", 1)
        if kind is None or count != len(registers) or spaces not in ([], ["global"], ["param"]):
            raise Unknown(f"{name}.{'.'.join(modifiers)}")
        size = SIZES[kind]
        if spaces == ["param"]:
            base, _, offset = place[1:-1].partition("+")
            start = f"parameters + {self.parameters[base][0] + int(offset or 0)}"
        else:
            start = f"memory.at({self.address(place)}, {size * count})"
        each = []
        for index, register in enumerate(registers):
            at = f"start + {index * size}"
            each.append(self.assign(register, f"load<{kind}>({at})", kind) if name == "ld" else
                        f"store<{kind}>({at}, {self.value(register, kind)});")
        return f"{{ {'const ' if name == 'ld' else ''}uint8_t* const start = {start}; {' '.join(each)} }}"

    def conversion(self, words, operand):
        to, source = words[-2], words[-1]
        modes = words[1:-2]
        if (modes, to, source) == ([], "f32", "f16"):
            return f"single_of_half({self.value(operand, 'uint16_t')})"
        if (modes, to, source) == (["rn"], "f16", "f32"):
            return f"half_of_single({self.value(operand, 'float')})"
        if modes == ["rn"] and to == "f32" and source in ("u32", "s32"):
            return f"static_cast<float>({self.value(operand, TYPES[source])})"
        if (modes, to, source) == (["rzi"], "u64", "f32"):
            return f"truncated({self.value(operand, 'float')})"
        if modes or "f" in to + source:
            raise Unknown(".".join(words))
        return f"static_cast<{TYPES[to]}>({self.value(operand, TYPES[source])})"

    def expression(self, name, modifiers, kind, operands):
        """The value of an instruction with a result."""
        is_real = kind == "float"
        shape = name, *modifiers
        if shape == ("mov",):
            return self.value(operands[0], kind)
        if shape == ("selp",):
            return f"{name_of(operands[2])} ? {self.value(operands[0], kind)} : {self.value(operands[1], kind)}"
        if shape == ("neg",) and is_real:
            return f"-{self.value(operands[0], kind)}"
        if name == "setp" and len(modifiers) == 1:
            a, b = (self.value(one, kind) for one in operands)
            compare = modifiers[0]
            if is_real and compare in UNORDERED:
                return f"!({ORDERED[UNORDERED[compare]].format(a=a, b=b)})"
            if compare in ORDERED and (is_real or compare != "nan"):
                return ORDERED[compare].format(a=a, b=b)
        if shape in (("shl",), ("shr",)):
            return f"{name}<{kind}>({self.value(operands[0], kind)}, {self.value(operands[1], 'uint32_t')})"
        if name in ("bfe", "bfi") and not modifiers:
            values = [self.value(one, kind) for one in operands[:-2]]
            places = [self.value(one, "uint32_t") for one in operands[-2:]]
            return f"{name}<{kind}>({', '.join(values + places)})"
        values = [self.value(one, kind) for one in operands]
        if shape == ("prmt",):
            return f"prmt({', '.join(values)})"
        if shape in (("min",), ("max",)):
            return f"std::{name}<{kind}>({', '.join(values)})" if not is_real else f"{name}imum({', '.join(values)})"
        if is_real and shape == ("sqrt", "rn"):
            return f"canonical(std::sqrt({values[0]}))"
        if is_real and modifiers == ["rn"] and name in ("add", "sub", "mul", "div"):
            return f"canonical({values[0]} {SIGNS[name]} {values[1]})"
        if kind == "bool" and shape in (("and",), ("or",), ("xor",)):
            return f"{values[0]} {SIGNS[name]} {values[1]}"
        if not is_real and kind != "bool":
            return self.integers(shape, kind, operands)
        raise Unknown(".".join(shape))

    def integers(self, shape, kind, operands):
        """Arithmetic of integers, which wraps around."""
        values = [self.value(one, kind) for one in operands]
        wrapping = [f"static_cast<uint64_t>({value})" for value in values]
        if shape in (("add",), ("sub",), ("and",), ("or",), ("xor",)):
            return f"{wrapping[0]} {SIGNS[shape[0]]} {wrapping[1]}"
        if shape == ("mul", "lo"):
            return f"{wrapping[0]} * {wrapping[1]}"
        if shape == ("mad", "lo"):
            return f"{wrapping[0]} * {wrapping[1]} + {wrapping[2]}"
        if shape == ("mul", "wide") and kind in WIDER:
            wide = WIDER[kind]
            return f"static_cast<{wide}>({values[0]}) * static_cast<{wide}>({values[1]})"
        if shape == ("mul", "hi") and kind == "uint64_t":
            return f"static_cast<unsigned __int128>({values[0]}) * {values[1]} >> 64"
        if shape == ("div",) and kind not in UNSIGNED:
            return f"{values[0]} / {values[1]}"
        raise Unknown(".".join(shape))


def parameters_of(text):
    """Name, offset and size of each parameter."""
    found, end = [], 0
    pattern = r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([\w$]+)(?:\[(\d+)\])?"
    for alignment, kind, name, count in re.findall(pattern, text):
        size = SIZES[TYPES[kind]]
        alignment = int(alignment or size)
        offset = (end + alignment - 1) // alignment * alignment
        found.append((name, offset, size * int(count or 1)))
        end = offset + size * int(count or 1)
    return found


def variables_of(text):
    """Name and bytes of each variable."""
    pattern = r"\.(?:global|const)\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+([\w$]+)\s*(?:\[\s*(\d+)\s*\])?\s*(?:=\s*([^;]*))?;"
    for kind, name, count, values in re.findall(pattern, text):
        size = SIZES[TYPES[kind]]
        numbers = [int(one[2:], 16) if one.lower().startswith("0f") else int(one)
                   for one in re.findall(r"0[fF][0-9A-Fa-f]{8}|-?\d+", values)]
        data = b"".join((number % (1 << 8 * size)).to_bytes(size, "little") for number in numbers)
        yield name, data.ljust(size * int(count or 1), b"\0")


def translate(path, index):
    """The C++ of one text, and its row in the table."""
    text = path.read_text()
    code = normalized(text)
    version = re.search(r"\.version (\d+)\.(\d+)", code)
    first = code.index(".entry")
    functions, entries = [], []
    entry = r"\.entry\s+(\w+)\s*\(([^)]*)\)\s*(?:\.maxntid\s+(\d+)[^{]*)?\{(.*?)\}\s*(?=(?:\.visible\s+)?\.entry|$)"
    for name, parameters, threads, body in re.findall(entry, code):
        places = parameters_of(parameters)
        try:
            kernel = Kernel(places, body)
        except Unknown as what:
            sys.exit(f"{path}: {name}: cannot translate {what}; teach {Path(__file__).name}")
        registers = "".join(f"    [[maybe_unused]] {kind} {name_of(one)}{{}};\n"
                            for one, kind in kernel.registers.items())
        variables = "".join(f"    const uint64_t address_of_{one} = memory.variable(\"{one}\");\n"
                            for one in sorted(kernel.variables))
        functions.append(f"void run_{index}_{name}([[maybe_unused]] const Thread& thread, [[maybe_unused]] const "
                         f"uint8_t* parameters, [[maybe_unused]] Accessor& memory) {{\n{variables}{registers}    "
                         + "\n    ".join(line for line in kernel.lines if line) + "\n}\n")
        listed = ", ".join(f"{{{offset}, {size}}}" for _, offset, size in places)
        entries.append(f"{{\"{name}\", {{{{{listed}}}, {threads or 1024}, run_{index}_{name}}}}}")
    variables = ", ".join(f"{{\"{name}\", {{{{{', '.join(map(str, data))}}}, 0}}}}"
                          for name, data in variables_of(code[:first]))
    row = (f"{{0x{hash_of(text):016x}u, {{{int(version[1]) * 10 + int(version[2])}, {{{', '.join(entries)}}}, "
           f"{{{variables}}}}}}}")
    if len(functions) != code.count(".entry"):
        sys.exit(f"{path}: {code.count('.entry')} entries, {len(functions)} of them found")
    return "\n".join(functions), row


def main(output, *files):
    translated = [translate(Path(file), index) for index, file in enumerate(files)]
    functions, rows = zip(*translated)
    Path(output).write_text(
        "// Generated by ptx.py.\n#include \"kernel/ptx.h\"\n\nnamespace fake {\nnamespace {\n\n" + "\n".join(functions)
        + "\n}  // namespace\n\nconst std::map<uint64_t, PtxProgram>& translated_programs() {\n"
        "    static const auto* const all = new std::map<uint64_t, PtxProgram>{\n        "
        + ",\n        ".join(rows) + "};\n    return *all;\n}\n\n}  // namespace fake\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
