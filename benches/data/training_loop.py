#!/usr/bin/env python3
"""Writes the allocations of a training-like loop as a log (docs/allocation_log.md) to standard output.

A small transformer: parameters and optimiser state for good; in each iteration a batch that a second
thread loads in a stream of its own, activations that the backward pass frees in reverse order,
workspaces for single operations, gradients in buckets that a third stream reduces. Sequences have
different lengths, and every fifth iteration only evaluates. The same log each time.
"""

import json
import random

LAYERS, WIDTH, HEADS, BATCH, VOCABULARY = 6, 256, 4, 8, 8192
ITERATIONS = 10
COMPUTE, LOADER, REDUCER = "0x1", "0x2", "0x3"
MAIN, LOADING = 1, 2
FLOAT, HALF = 4, 2


class Log:
    """Hands out addresses, lowest free one first, and notes what happens when."""

    def __init__(self):
        self.time = 0
        self.free_ranges = [(0x7F00_0000_0000, 1 << 40)]
        self.sizes = {}
        self.random = random.Random(7)

    def note(self, event, pointer, stream, thread, **more):
        self.time += self.random.randrange(2_000, 40_000)
        print(json.dumps({"event": event, "time": self.time, "pointer": hex(pointer), **more,
                          "stream": stream, "thread": thread, "device": 0, "kind": "pool"}))

    def malloc(self, size, stream=COMPUTE, thread=MAIN):
        whole = -(-size // 512) * 512
        at, (start, length) = next((i, r) for i, r in enumerate(self.free_ranges) if r[1] >= whole)
        self.free_ranges[at] = (start + whole, length - whole)
        self.sizes[start] = whole
        self.note("malloc", start, stream, thread, size=size)
        return start

    def free(self, pointer, stream=COMPUTE, thread=MAIN):
        self.note("free", pointer, stream, thread)
        merged = []
        for start, length in sorted([*self.free_ranges, (pointer, self.sizes.pop(pointer))]):
            if merged and sum(merged[-1]) == start:
                merged[-1] = (merged[-1][0], merged[-1][1] + length)
            elif length:
                merged.append((start, length))
        self.free_ranges = merged


def parameters():
    """Elements of each tensor of the model, layer by layer."""
    yield [VOCABULARY * WIDTH]
    for _ in range(LAYERS):
        yield [3 * WIDTH * WIDTH, WIDTH * WIDTH, 4 * WIDTH * WIDTH, 4 * WIDTH * WIDTH, WIDTH, WIDTH]


def forward(log, length, keep):
    """The activations that the backward pass needs, a list for each layer."""
    tokens = BATCH * length
    kept = []
    for _ in range(LAYERS):
        layer = [log.malloc(tokens * 3 * WIDTH * HALF), log.malloc(BATCH * HEADS * length * length * HALF)]
        workspace = log.malloc(BATCH * HEADS * length * FLOAT * 32)
        layer.append(log.malloc(tokens * WIDTH * HALF))
        log.free(workspace)
        layer += [log.malloc(tokens * 4 * WIDTH * HALF), log.malloc(tokens * WIDTH * HALF), log.malloc(tokens * FLOAT)]
        if keep:
            kept.append(layer)
            continue
        for pointer in layer:
            log.free(pointer)
    return kept


def backward(log, length, kept):
    tokens = BATCH * length
    upstream = log.malloc(tokens * WIDTH * HALF)
    for layer in reversed(kept):
        gradient = [log.malloc(elements * HALF) for elements in (3 * WIDTH * WIDTH, WIDTH * WIDTH, 8 * WIDTH * WIDTH)]
        for pointer in reversed(layer):
            workspace = log.malloc(log.random.choice((64 << 10, 256 << 10, 1 << 20, 3 << 20)))
            log.free(pointer)
            log.free(workspace)
        # The bucket is filled in the one stream and reduced in the other, which frees it.
        bucket = log.malloc(12 * WIDTH * WIDTH * FLOAT, REDUCER)
        for pointer in gradient:
            log.free(pointer)
        following = log.malloc(tokens * WIDTH * HALF)
        log.free(upstream)
        upstream = following
        log.free(bucket, REDUCER)
    log.free(upstream)


def main():
    log = Log()
    for layer in parameters():
        for elements in layer:
            for width in (HALF, FLOAT, FLOAT, FLOAT):
                log.malloc(elements * width)
    for iteration in range(ITERATIONS):
        length = log.random.choice((64, 96, 128, 192, 256))
        batch = [log.malloc(BATCH * length * width, LOADER, LOADING) for width in (8, 8, 1)]
        training = iteration % 5 != 4
        kept = forward(log, length, training)
        logits = log.malloc(BATCH * length * VOCABULARY * HALF)
        loss = log.malloc(4)
        if training:
            backward(log, length, kept)
        log.free(logits)
        log.free(loss)
        for pointer in batch:
            log.free(pointer, COMPUTE)


if __name__ == "__main__":
    main()
