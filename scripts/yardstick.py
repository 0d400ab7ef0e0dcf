#!/usr/bin/python3
"""The same training in PyTorch on the CPU, and how many times faster soliloquy does it on this machine.

Usage: scripts/yardstick.py PROGRAM [NAME...] [--seconds S]      (in the project's folder; needs Debian's python3-torch)

NAME is a training workload of `PROGRAM bench`; by default lecture, default and wide. A step is a batch drawn from the
text, the model in float32 forward and back, and Adam, written as lean as PyTorch allows. It is measured in a process of
its own on one thread and in another on all that PROGRAM uses; the faster counts. The time is the best mean over five
tries of S seconds, after a few steps to warm up; the program is measured by its own bench right before, with products
in float and in bf16. The text is data/tinyshakespeare.txt, or data/sample.txt where that is missing.
"""
import argparse
import json
import os
import subprocess
import sys
import time

TEXTS = "data/tinyshakespeare.txt", "data/sample.txt"
WARM_UP, TRIES = 3, 5


def lean_model(vocabulary, context, channels, head_size):
    """Parameters and loss of the head: tensors and functions only, so that little but arithmetic is measured."""
    import torch
    from torch.nn import functional

    embedding = torch.nn.Embedding(vocabulary, channels)
    position = torch.nn.Embedding(context, channels)
    query, key, value = (torch.nn.Linear(channels, head_size, bias=False) for _ in range(3))
    lm_head = torch.nn.Linear(head_size, vocabulary)
    parts = embedding, position, query, key, value, lm_head
    future = torch.ones(context, context, dtype=torch.bool).triu(1)
    minus_infinity, scale = float("-inf"), head_size ** -0.5

    def loss(inputs, targets):
        x = embedding(inputs) + position.weight
        scores = (query(x) @ key(x).transpose(1, 2) * scale).masked_fill(future, minus_infinity)
        logits = lm_head(functional.softmax(scores, dim=2) @ value(x))
        return functional.cross_entropy(logits.view(-1, vocabulary), targets.view(-1))

    return [weight for part in parts for weight in part.parameters()], loss


def measure(workload, path, seconds):
    """The version of PyTorch, and its characters a second on as many threads as the environment says."""
    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    symbols = {symbol: i for i, symbol in enumerate(sorted(set(text)))}
    ids = torch.tensor([symbols[symbol] for symbol in text])
    batch_size, shape = workload["batch_size"], workload["config"]
    context = shape["context"]
    parameters, loss = lean_model(len(symbols), context, shape["channels"], shape["head_size"])
    adam = torch.optim.Adam(parameters, lr=1e-3)

    def step():
        starts = torch.randint(len(ids) - context, (batch_size,)).tolist()
        inputs = torch.stack([ids[start:start + context] for start in starts])
        targets = torch.stack([ids[start + 1:start + context + 1] for start in starts])
        adam.zero_grad(set_to_none=True)
        loss(inputs, targets).backward()
        adam.step()

    def timed():
        steps, begin = 0, time.perf_counter()
        while steps == 0 or time.perf_counter() - begin < seconds:
            step()
            steps += 1
        return (time.perf_counter() - begin) / steps

    for _ in range(WARM_UP):
        step()
    return torch.__version__, batch_size * context / min(timed() for _ in range(TRIES))


def measure_apart(workload, path, seconds, threads):
    """The same in a new process: the libraries below PyTorch read their number of threads as they start."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
    words = [sys.executable, __file__, "--measure", json.dumps([workload, path, seconds])]
    return json.loads(subprocess.run(words, env=environment, check=True, stdout=subprocess.PIPE).stdout)


def bench(program, name, precision):
    words = [program, "bench", name, "--json", "--precision", precision]
    workload = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)[0]
    if "config" not in workload:
        sys.exit(f"yardstick: {name} is not a training; choose another workload")
    return workload


def rate(number):
    for unit in "", " k", " M":
        if number < 999.5:
            return f"{number:.3g}{unit}" if number < 99.95 else f"{number:.0f}{unit}"
        number /= 1000
    return f"{number:.3g} G"


def compare(program, names, seconds):
    path = TEXTS[0] if os.access(TEXTS[0], os.R_OK) else TEXTS[1]
    print(f"the same training in PyTorch on the CPU, text {path}, in characters/s", flush=True)
    print(f"{'workload':<18} {'PyTorch':>8} {'threads':>8} {'float':>8} {'times':>6} {'bf16':>8} {'times':>6}", flush=True)
    version = None
    for name in names:
        runs = {precision: bench(program, name, precision) for precision in ("float", "bf16")}
        theirs = {}
        for threads in sorted({1, runs["float"]["threads"]}):
            version, theirs[threads] = measure_apart(runs["float"], path, seconds, threads)
        best = max(theirs, key=theirs.get)
        ours = "".join(f" {rate(run['tokens_per_second']):>8} {run['tokens_per_second'] / theirs[best]:>6.1f}"
                       for run in runs.values())
        print(f"{name:<18} {rate(theirs[best]):>8} {best:>8}{ours}", flush=True)
    print(f"PyTorch {version}, the best of 1 thread and of all; soliloquy on all")


def main():
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*json.loads(sys.argv[2]))))
        return
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", metavar="PROGRAM")
    options.add_argument("names", metavar="NAME", nargs="*", default=["lecture", "default", "wide"])
    options.add_argument("--seconds", metavar="S", type=float, default=0.3, help="of a try [default 0.3]")
    options = options.parse_args()
    try:
        compare(options.program, options.names, options.seconds)
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"yardstick: {problem}")


if __name__ == "__main__":
    main()
