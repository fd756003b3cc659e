"""usage: python -m portacl COMMAND

  run PROGRAM [ARGUMENT...]   runs a Python program, as `python PROGRAM ARGUMENT...`, with the libraries of portacl
  env                         prints what a shell has to set for the same: eval "$(python -m portacl env)"
  doctor                      says which torch, torch_npu and libraries there are, and what is missing
  demo                        trains a small model on the device, and prints its loss beside the CPU's
"""

import os
import shlex
import sys

from portacl import LIBRARIES, doctor


def environment():
    """The variables that programs need. The loader reads the path when a process begins."""
    path = [str(LIBRARIES)] + [part for part in os.environ.get("LD_LIBRARY_PATH", "").split(":") if part]
    return {"LD_LIBRARY_PATH": ":".join(dict.fromkeys(path))}


def python(*arguments):
    """Continues as another Python with the libraries."""
    os.execve(sys.executable, [sys.executable, *arguments], {**os.environ, **environment()})


def main(arguments):
    command = arguments[0] if arguments else ""
    if command == "run" and len(arguments) > 1:
        python(*arguments[1:])
    elif command == "env" and len(arguments) == 1:
        for name, value in environment().items():
            print(f"export {name}={shlex.quote(value)}")
    elif command == "doctor" and len(arguments) == 1:
        return doctor.main()
    elif command == "demo" and len(arguments) == 1:
        python("-m", "portacl.demo")
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
