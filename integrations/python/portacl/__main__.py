"""usage: python -m portacl COMMAND

  run [--check LIST] PROGRAM [ARGUMENT...]
                              runs a Python program, as `python PROGRAM ARGUMENT...`, with the libraries of portacl.
                              LIST: checks of PORTACL_CHECK, as in races,init. Their reports name the lines of Python
  env                         prints the variables of `run` for a shell: eval "$(python -m portacl env)"
  doctor                      says which torch, torch_npu and libraries there are, and what is missing
  demo                        trains a small model on the device, and prints its loss beside the CPU's
"""

import os
import pathlib
import shlex
import sys

from portacl import HOME, LIBRARIES, PROFILER, doctor


def ascend_home():
    """The variables for torch_npu, which warns without them. A folder of portacl that the caller chose stays; the one of
    another toolkit would bring its libraries."""
    chosen = pathlib.Path(os.environ.get("ASCEND_HOME_PATH") or HOME)
    home = chosen if (chosen / "ascend_portacl_install.info").exists() else HOME
    return {"ASCEND_HOME_PATH": str(home), "ASCEND_OPP_PATH": str(home / "opp")} if home.exists() else {}


def environment():
    """The variables that programs need. The loader reads the path when a process begins. torch_npu's thread that submits
    operators is off, unless the caller has set it: it costs more than it hides where the device is the same processor, and
    no line of Python is on its stack. torch_npu.profiler finds msprof by PATH."""
    return {"LD_LIBRARY_PATH": first_in("LD_LIBRARY_PATH", LIBRARIES), "PATH": first_in("PATH", PROFILER), **ascend_home(),
            "TASK_QUEUE_ENABLE": os.environ.get("TASK_QUEUE_ENABLE", "0")}


def first_in(variable, folder):
    """The variable, a list of folders, with this one in front."""
    rest = [part for part in os.environ.get(variable, "").split(":") if part]
    return ":".join(dict.fromkeys([str(folder), *rest]))


def python(*arguments, **variables):
    """Continues as another Python with the libraries."""
    os.execve(sys.executable, [sys.executable, *arguments], {**os.environ, **environment(), **variables})


def main(arguments):
    command = arguments[0] if arguments else ""
    if command == "run" and arguments[1:2] == ["--check"] and len(arguments) > 3:
        python(*arguments[3:], PORTACL_CHECK=arguments[2])
    elif command == "run" and len(arguments) > 1 and arguments[1] != "--check":
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
