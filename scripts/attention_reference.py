#!/usr/bin/python3
"""PyTorch's own attention on document 003's batches: what the lab's experiment `reference` is compared with.

Usage: scripts/attention_reference.py DATA [DIRECTORY]      (DIRECTORY: tests/golden; needs Debian's python3-torch)

DATA is a folder that holds banking77/ (scripts/fetch_banking77.sh). Writes DIRECTORY/attention.safetensors, all F32.
Calls torch.nn.functional.scaled_dot_product_attention, or its private predecessor in PyTorch 1.13.

  random.{query,key,value} [3,12,8]  standard normal; random.lengths [3]: the real tokens, the rest is padding
  random.{none,padding,flipped,causal,both} [3,12,8]  the outputs; `flipped` has the padding mask the wrong way round,
                                     so that the padding alone takes part; `both` is causal and padding
  lesson.{padding,flipped,causal,both} [32,48,2]  the first 2 of 16 numbers of each output: the first 32 validation
                                     queries of Banking77 through the embedding and projections of seed 42
  lab2.{padding,both} [64,48,2]      the first two of 32, for the first 64 queries

Two runs on one machine write the same bytes. The queries are Banking77's (Casanueva and others, 2020, CC BY 4.0).
"""
import collections
import csv
import json
import os
import re
import struct
import sys

import numpy
import torch
from torch import nn
import torch.nn.functional as F

LONGEST = 48
VALIDATION = 2000
SEED = 42
KEPT = 2


def attention(q, k, v, attend=None, causal=False):
    """PyTorch's own; `attend` is True where a key takes part."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=attend, is_causal=causal)
    return F._scaled_dot_product_attention(q, k, v, attn_mask=attend, is_causal=causal)[0]


def outputs(q, k, v, pad):
    """By name, for the padding pad [B,n] of queries, keys and values [B,n,d]."""
    n = q.shape[1]
    later = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    blocked = pad.unsqueeze(1).expand(-1, n, -1)
    return {
        "none": attention(q, k, v),
        "padding": attention(q, k, v, ~blocked),
        "flipped": attention(q, k, v, blocked),
        "causal": attention(q, k, v, causal=True),
        "both": attention(q, k, v, ~(blocked | later)),
    }


def tokenize(text):
    return re.findall(r"\w+|[^\w\s]", text.lower())


def validation_ids(path, count):
    """The first validation queries as ids [count,48], 0 behind their end: document 003's split and vocabulary."""
    with open(path, encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    order = numpy.random.RandomState(SEED).permutation(len(texts))
    words = collections.Counter(word for i in sorted(order[VALIDATION:]) for word in tokenize(texts[i]))
    ids = {word: i for i, (word, _) in enumerate(words.most_common(), 2)}
    rows = [[ids.get(word, 1) for word in tokenize(texts[i])][:LONGEST] for i in order[:count]]
    return torch.tensor([row + [0] * (LONGEST - len(row)) for row in rows]), len(ids) + 2


def batch(ids, vocabulary_size, width):
    torch.manual_seed(SEED)
    embed = nn.Embedding(vocabulary_size, width, padding_idx=0)
    projections = [nn.Linear(width, width) for _ in range(3)]
    with torch.no_grad():
        q, k, v = (projection(embed(ids)) for projection in projections)
        return {name: out[:, :, :KEPT] for name, out in outputs(q, k, v, ids == 0).items()}


def write_safetensors(path, tensors, metadata):
    """8-byte little-endian length, JSON header padded with spaces to 64 bytes in all, then the data as F32."""
    header, offset = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        size = 4 * tensor.numel()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            values = tensor.detach().float().flatten().tolist()
            file.write(struct.pack("<%df" % len(values), *values))


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    directory = sys.argv[2] if len(sys.argv) == 3 else os.path.join(os.path.dirname(__file__), "..", "tests", "golden")
    os.makedirs(directory, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    q, k, v = (torch.randn(3, 12, 8) for _ in range(3))
    lengths = torch.tensor([11, 5, 1])
    tensors = {"random.query": q, "random.key": k, "random.value": v, "random.lengths": lengths}
    small = outputs(q, k, v, torch.arange(12) >= lengths.unsqueeze(1))
    tensors.update({"random." + name: out for name, out in small.items()})
    ids, vocabulary_size = validation_ids(os.path.join(sys.argv[1], "banking77", "train.csv"), 64)
    lesson, lab2 = batch(ids[:32], vocabulary_size, 16), batch(ids, vocabulary_size, 32)
    tensors.update({"lesson." + name: lesson[name] for name in ("padding", "flipped", "causal", "both")})
    tensors.update({"lab2." + name: lab2[name] for name in ("padding", "both")})
    write_safetensors(os.path.join(directory, "attention.safetensors"), tensors, {"torch": torch.__version__})


if __name__ == "__main__":
    main()
