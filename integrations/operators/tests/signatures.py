"""The rows of operators have the parameters that ../signatures.tsv states from public call sites."""

import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
KINDS = {"const aclTensor*": "tensor", "const aclScalar*": "scalar", "const aclIntArray*": "ints",
         "const aclFloatArray*": "floats", "const aclBoolArray*": "flags", "const aclTensorList*": "tensors",
         "const aclScalarList*": "scalars", "aclDataType": "type", "const char*": "text", "int64_t": "int", "int8_t": "int8"}
# As the head of the table says.
SOURCES = {"call", "none"}


def operators():
    path = HERE.parents[2] / "tools/operators.py"
    spec = importlib.util.spec_from_file_location("operators", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    lines = [line for line in (HERE.parent / "signatures.tsv").read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "operator\tparameters\tsources", lines[0]
    table = {}
    for line in lines[1:]:
        name, parameters, sources = line.split("\t")
        assert name not in table and set(sources.split()) <= SOURCES and sources, line
        table[name] = parameters.split()
    rows = {f"aclnn{name}": [KINDS.get(kind, kind) for kind, _ in parameters] for name, parameters in operators().rows()}
    assert list(table) == sorted(rows), f"rows without a signature, or the other way: {set(table) ^ set(rows)}"
    wrong = [f"{name} takes {rows[name]}; callers pass {table[name]}" for name in rows if rows[name] != table[name]]
    assert not wrong, "\n".join(wrong)
    print(f"{len(table)} passed, 0 failed")


if __name__ == "__main__":
    sys.exit(main())
