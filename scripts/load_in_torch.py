#!/usr/bin/python3
"""Load a soliloquy checkpoint into the lecture's PyTorch class and print its validation loss.

Usage: scripts/load_in_torch.py [--double] MODEL [DATA]

MODEL is a .safetensors file or a run directory (its best.safetensors). DATA is the text the model was trained on; by
default the path that the checkpoint names, taken from the current directory. The validation split is what follows the
first int((1 - validation_fraction) * n) characters. It is cut into non-overlapping windows of the context's length, the
last one shorter, and the loss is the mean over all of its predictions, in nats. Needs Debian's python3-torch.
"""
import argparse
import json
import os
import struct
import sys

import torch

sys.dont_write_bytecode = True  # leaves no __pycache__ beside the scripts
from reference import LanguageModel  # noqa: E402

WINDOWS_AT_ONCE = 64


def read_safetensors(path):
    """The metadata and the tensors of a file of F32 and F64 tensors."""
    with open(path, "rb") as file:
        content = file.read()
    start = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:start])
    metadata, tensors = header.pop("__metadata__", {}), {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        dtype = {"F32": torch.float32, "F64": torch.float64}[entry["dtype"]]
        data = bytearray(content[start + begin:start + end])
        tensors[name] = torch.frombuffer(data, dtype=dtype).reshape(entry["shape"])
    return metadata, tensors


def fill(model, tensors):
    """Every trained tensor must be there. The model's constants (sinusoids, uniform mixing's zeros) stay its own."""
    parameters = dict(model.named_parameters())
    unknown = [name for name in tensors if name not in parameters and not name.startswith("adam.")]
    if unknown:
        sys.exit("the checkpoint holds tensors that the class has not: " + ", ".join(unknown))
    with torch.no_grad():
        for name, parameter in parameters.items():
            if not parameter.requires_grad:
                continue
            if name not in tensors:
                sys.exit("the checkpoint lacks " + name)
            if tensors[name].shape != parameter.shape:
                sys.exit(f"{name} is {list(tensors[name].shape)}, the class wants {list(parameter.shape)}")
            parameter.copy_(tensors[name])


def encode(path, vocabulary, as_bytes):
    """The ids of a text, or of a file's bytes; line ends are kept, a byte-order mark at the start is not."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        symbols = list(content) if as_bytes else [ord(c) for c in content.decode("utf-8-sig")]
    except (OSError, ValueError) as problem:
        sys.exit(f"{path}: not a text this can read: {problem}")
    index = {symbol: i for i, symbol in enumerate(vocabulary)}
    try:
        return torch.tensor([index[symbol] for symbol in symbols])
    except KeyError as unknown:
        sys.exit(f"{path}: symbol {unknown} is not in the model's vocabulary; is this the text it was trained on?")


def validation_loss(model, ids, context):
    """The mean loss over the len(ids) - 1 predictions of the split: window w reads ids[wT, wT + T)."""
    predictions = len(ids) - 1
    whole = predictions // context
    inputs = ids[:whole * context].view(whole, context).split(WINDOWS_AT_ONCE)
    targets = ids[1:whole * context + 1].view(whole, context).split(WINDOWS_AT_ONCE)
    batches = list(zip(inputs, targets)) if whole > 0 else []
    if whole * context < predictions:
        batches.append((ids[None, whole * context:-1], ids[None, whole * context + 1:]))
    with torch.no_grad():
        total = sum(model(x, y)[1].item() * x.numel() for x, y in batches)
    return total / predictions, predictions


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", metavar="MODEL")
    options.add_argument("data", metavar="DATA", nargs="?")
    options.add_argument("--double", action="store_true", help="compute in float64")
    options = options.parse_args()
    path = os.path.join(options.model, "best.safetensors") if os.path.isdir(options.model) else options.model
    torch.set_default_dtype(torch.float64 if options.double else torch.float32)

    try:
        metadata, tensors = read_safetensors(path)
        config, vocabulary, training = (json.loads(metadata[name]) for name in ("config", "vocabulary", "training"))
    except (OSError, ValueError, KeyError, struct.error) as problem:
        sys.exit(f"{path}: not a checkpoint this can read: {problem!r}")
    model = LanguageModel(config)
    fill(model, tensors)
    ids = encode(options.data or training["data"], vocabulary, config["bytes"])
    held_out = ids[int((1.0 - training["validation_fraction"]) * len(ids)):]
    if len(held_out) < 2:
        sys.exit(f"{path}: a validation split of {len(held_out)} symbols has nothing to predict")
    loss, predictions = validation_loss(model, held_out, config["context"])
    print(f"validation loss {loss:.6f} over {predictions} predictions ({options.model})")


if __name__ == "__main__":
    main()
