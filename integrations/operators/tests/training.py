"""training.py MODEL [STEPS]: the model trains on the device as on the CPU, in single precision and with autocast."""

import sys

import device  # noqa: F401
import models
import torch

BOUNDS = {None: 1e-5, torch.bfloat16: 1e-2, torch.float16: 1e-2}


def main(kind, steps=30):
    count = 0
    for optimizer in models.OPTIMIZERS:
        for half, bound in BOUNDS.items():
            want = models.train("cpu", kind, optimizer, half, int(steps))
            got = models.train("npu", kind, optimizer, half, int(steps))
            difference = max(abs(a - b) for a, b in zip(want, got))
            what = f"{kind}, {optimizer}, {'float32' if half is None else f'autocast to {half}'}"
            print(f"{what}: loss {got[0]:.4f} to {got[-1]:.4f}, at most {difference:.1e} from the CPU's", flush=True)
            assert difference <= bound, what
            count += 1
    print(f"{count} passed, 0 failed")


main(*sys.argv[1:])
