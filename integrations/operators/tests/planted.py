"""planted.py PROGRAM: PORTACL_CHECK reports the planted fault of each program of planted.cpp and of each pair below, and
nothing about its corrected twin."""

import os
import subprocess
import sys

# What has no order is the program's to find: torch_npu queues what the program says.
TORCH = """
import sys
import device
import torch

is_fixed = sys.argv[1] == "fixed"
side = torch.npu.Stream()
x = torch.ones(1000, device="npu")
y = x * 2
if is_fixed:
    side.wait_stream(torch.npu.current_stream())
with torch.npu.stream(side):
    z = y + 1
torch.npu.synchronize()
print(z.sum().item())
"""


def reports(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                          env={**os.environ, "PORTACL_CHECK": "races,init", "PORTACL_CHECK_EXIT": "99"})
    found = [line for line in done.stderr.splitlines() if line.startswith("portacl: ")]
    assert done.returncode == (99 if found else 0), f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}"
    # The last line counts.
    return found[:-1], done.stderr


def check(name, want, *command):
    found, text = reports(*command, "faulty")
    assert len(found) == 1 and found[0].startswith("portacl: " + want), f"{name}: wanted {want!r}, got\n{text}"
    found, text = reports(*command, "fixed")
    assert "portacl: " not in text, f"{name}, corrected:\n{text}"
    print(f"ok: {name}", flush=True)


def main(program):
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(listed) >= 9, listed
    for name, want in (line.split("|") for line in listed):
        check(name, want, program, name)
    check("torch", "race: aclnnAdds reads memory that aclnnMuls writes", sys.executable, "-c", TORCH)
    print(f"{len(listed) + 1} passed, 0 failed")


main(sys.argv[1])
