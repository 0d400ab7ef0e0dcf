#!/usr/bin/python3
"""What PyTorch's and NumPy's generators draw: the streams behind tests/test_torch_random.c and test_numpy_random.c.

Usage: scripts/streams.py [DIRECTORY]      (default tests/golden/streams; Debian's python3-torch and python3-numpy)

Writes torch.txt and numpy.txt. A stream is a line `NAME COUNT` and its values, the bits of each as a hexadecimal number
(float32: 8 digits, float64 and int64: up to 16). The tests hold the same calls in C beside these names. A stream
NAME_sum is one number over many values: the sum of their bits, each times 1, 3, 5, ..., modulo 2^64. PyTorch is told to
use its code for AVX2, whose normal numbers differ from its other code's in their last bits.
"""
import os
import sys

os.environ["ATEN_CPU_CAPABILITY"] = "avx2"

import numpy as np
import torch
from torch import nn

MANY = 1000000
PER_LINE = 16


def bits_of(values):
    if isinstance(values, torch.Tensor):
        values = values.detach().flatten().numpy()
    return np.ascontiguousarray(values).view({4: np.uint32, 8: np.uint64}[values.dtype.itemsize])


def weighted_sum(values):
    bits = bits_of(values).astype(np.uint64)
    return np.sum(bits * (2 * np.arange(bits.size, dtype=np.uint64) + 1), dtype=np.uint64, keepdims=True)


def write_streams(path, streams):
    with open(path, "w") as file:
        for name, values in streams.items():
            digits = ["%x" % bits for bits in bits_of(values)]
            file.write("%s %d\n" % (name, len(digits)))
            for start in range(0, len(digits), PER_LINE):
                file.write(" ".join(digits[start:start + PER_LINE]) + "\n")


def torch_streams():
    streams = {}

    def draw(name, seed, *calls):
        torch.manual_seed(seed)
        streams[name] = torch.cat([values.detach().flatten() for call in calls for values in call()])

    draw("uniform", 1, lambda: [torch.rand(1000)])
    draw("uniform_range", 2, lambda: [torch.empty(1000).uniform_(-0.3, 0.25)])
    draw("normal", 3, lambda: [torch.randn(1008)])
    draw("normal_ragged", 4, lambda: [torch.randn(n) for n in (16, 17, 31, 936)])
    # Odd and even counts below 16: the second value of a pair waits for the next call.
    draw("normal_small", 5, lambda: [torch.randn(1 + 7 * i % 15) for i in range(125)])
    # ... and is left alone by every other draw.
    draw("normal_mixed", 6, lambda: [values for i in range(40)
                                     for values in (torch.randn(3), torch.randn(20), torch.rand(2))])
    draw("permutation", 7, lambda: [torch.randperm(1000)])
    draw("permutation_small", 8, lambda: [torch.randperm(n) for n in range(45)])
    draw("integers", 9, lambda: [torch.randint(65, (900,)), torch.randint(2 ** 32 - 1, (100,))])
    draw("bits_64", 10, lambda: [torch.empty(1000, dtype=torch.int64).random_(-2 ** 63, None)])
    draw("embedding", 11, lambda: [nn.Embedding(50, 19).weight, nn.Embedding(10, 5, padding_idx=0).weight])
    draw("embedding_small", 12, lambda: [nn.Embedding(3, 5).weight, nn.Embedding(5, 3, padding_idx=0).weight])
    draw("linear", 13, lambda: [value for layer in (nn.Linear(19, 50), nn.Linear(7, 9, bias=False), nn.Linear(5, 3))
                                for value in layer.parameters()])
    draw("linear_widths", 14, lambda: [value for n in range(1, 45) for value in nn.Linear(n, 1).parameters()])
    # A shuffling DataLoader's draws of one epoch, from a generator of its own.
    order = torch.Generator().manual_seed(15)
    loader = torch.utils.data.DataLoader(torch.arange(1000), batch_size=32, shuffle=True, generator=order)
    streams["loader"] = torch.cat([batch for epoch in range(2) for batch in loader])
    torch.manual_seed(16)
    streams["normal_sum"] = weighted_sum(torch.randn(MANY))
    return streams


def numpy_streams():
    streams = {}
    # Among its first 1,000 values are two of the upper tail and one of the lower, a point of the tail refused, and
    # points under the bell outside the layers' common part accepted (11) and refused (8).
    tails = np.random.default_rng(3938).standard_normal(1000)
    assert np.sum(tails > 3.6541528853610088) == 2 and np.sum(tails < -3.6541528853610088) == 1
    streams["normal"] = np.random.default_rng(42).standard_normal(1000)
    streams["normal_tails"] = tails
    seeds = (0, 2 ** 32 - 1, 2 ** 32, 2 ** 64 - 1)
    streams["normal_seeds"] = np.concatenate([np.random.default_rng(seed).standard_normal(10) for seed in seeds])
    streams["normal_sum"] = weighted_sum(np.random.default_rng(1).standard_normal(MANY))
    streams["permutation"] = np.random.RandomState(42).permutation(1000)
    # About every power of two, where the mask changes.
    counts = (0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 255, 256, 257)
    streams["permutation_small"] = np.concatenate([np.random.RandomState(7).permutation(n) for n in counts])
    streams["permutation_sum"] = weighted_sum(np.random.RandomState(2 ** 32 - 1).permutation(100000))
    return streams


def main():
    if len(sys.argv) > 2 or sys.argv[1:] and sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    here = os.path.dirname(__file__)
    directory = sys.argv[1] if len(sys.argv) == 2 else os.path.join(here, "..", "tests", "golden", "streams")
    os.makedirs(directory, exist_ok=True)
    torch.set_num_threads(1)
    write_streams(os.path.join(directory, "torch.txt"), torch_streams())
    write_streams(os.path.join(directory, "numpy.txt"), numpy_streams())


if __name__ == "__main__":
    main()
