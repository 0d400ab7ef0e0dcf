#!/usr/bin/python3
"""The lecture's one-head language model in PyTorch, float64: the independent program behind tests/golden.

Usage: scripts/reference.py [DIRECTORY]      (default tests/golden; needs Debian's python3-torch)

Writes DIRECTORY/*.safetensors, everything as F64. Each file holds the initial parameters under their state-dict
names, and of the first batch with those parameters `logits` [B,T,V], `attention` [B,T,T] (row = query, column = key)
and `gradient.NAME` for every trained tensor. `inputs` and `targets` are [steps,B,T] and `loss` is [steps]: the loss of
each step before its update, in nats. The file lecture.safetensors goes on for 20 Adam steps, batch s at step s, and
holds the weights after them as `after.NAME`; the ablations have one batch and no step. The last character never occurs.
Metadata: `config` (a JSON object), `torch` (version). Two runs on one machine write the same bytes.
"""
import json
import math
import os
import struct
import sys

import torch
from torch import nn
import torch.nn.functional as F

LECTURE = dict(context=11, channels=24, head_size=20, vocabulary_size=13, positions="learned", mask="causal",
               mixing="attention", scale="sqrt", batch_size=5, learning_rate=1e-2, beta1=0.9, beta2=0.999, epsilon=1e-8)
# Another ragged size, and an odd number of channels: the last sinusoid has no cosine.
SMALL = dict(LECTURE, context=19, channels=15, head_size=10, vocabulary_size=9, batch_size=2)
ABLATIONS = {
    "positions_sinusoidal": dict(positions="sinusoidal"),
    "positions_none": dict(positions="none"),
    "mask_none": dict(mask="none"),
    "mixing_uniform": dict(mixing="uniform"),
    "scale_none": dict(scale="none"),
}
STEPS = 20
# A seed at which no gradient is within rounding of zero: Adam would divide by it, and a float could not follow.
SEED = 6


def sinusoids(context, channels):
    """PE(p,2i) = sin(p / 10000^(2i/C)), PE(p,2i+1) = cos(the same)."""
    table = torch.zeros(context, channels)
    for p in range(context):
        for c in range(channels):
            angle = p / 10000 ** ((c - c % 2) / channels)
            table[p, c] = math.cos(angle) if c % 2 else math.sin(angle)
    return table


class Head(nn.Module):
    """One head: softmax(mask(q k^T / sqrt(H))) v. The attention of the last call stays in `attention` [B,T,T]."""

    def __init__(self, config):
        super().__init__()
        channels, head_size = config["channels"], config["head_size"]
        self.key = nn.Linear(channels, head_size, bias=False)
        self.query = nn.Linear(channels, head_size, bias=False)
        self.value = nn.Linear(channels, head_size, bias=False)
        self.causal = config["mask"] == "causal"
        self.scale = head_size ** -0.5 if config["scale"] == "sqrt" else 1.0
        self.register_buffer("tril", torch.tril(torch.ones(config["context"], config["context"])), persistent=False)
        if config["mixing"] == "uniform":
            for projection in (self.key, self.query):
                nn.init.zeros_(projection.weight)
                projection.weight.requires_grad_(False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(-2, -1) * self.scale
        if self.causal:
            scores = scores.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        attention = F.softmax(scores, dim=-1)
        self.attention = attention.detach()
        return attention @ v


class LanguageModel(nn.Module):
    """logits = lm_head(head(E[ids] + P)); the loss is the mean cross-entropy over all B*T positions, in nats."""

    def __init__(self, config):
        super().__init__()
        channels = config["channels"]
        self.token_embedding_table = nn.Embedding(config["vocabulary_size"], channels)
        self.position_embedding_table = None
        if config["positions"] != "none":
            self.position_embedding_table = nn.Embedding(config["context"], channels)
        if config["positions"] == "sinusoidal":
            weight = self.position_embedding_table.weight.requires_grad_(False)
            weight.copy_(sinusoids(config["context"], channels))
        self.sa_head = Head(config)
        self.lm_head = nn.Linear(config["head_size"], config["vocabulary_size"])

    def forward(self, ids, targets):
        x = self.token_embedding_table(ids)
        if self.position_embedding_table is not None:
            x = x + self.position_embedding_table(torch.arange(ids.shape[1]))
        logits = self.lm_head(self.sa_head(x))
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def write_safetensors(path, tensors, metadata):
    """8-byte little-endian length, JSON header padded with spaces to 64 bytes in all, then the data as F64."""
    header, offset = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        size = 8 * tensor.numel()
        header[name] = {"dtype": "F64", "shape": list(tensor.shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            values = tensor.detach().double().flatten().tolist()
            file.write(struct.pack("<%dd" % len(values), *values))


def run(config, steps):
    """The tensors of one file: everything about the first batch, then `steps` Adam steps (none: the loss alone)."""
    torch.manual_seed(SEED)
    model = LanguageModel(config)
    text = torch.randint(config["vocabulary_size"] - 1, (max(steps, 1), config["batch_size"], config["context"] + 1))
    inputs, targets = text[:, :, :-1], text[:, :, 1:]
    adam = torch.optim.Adam(model.parameters(), lr=config["learning_rate"], betas=(config["beta1"], config["beta2"]),
                            eps=config["epsilon"])
    tensors = {name: value.clone() for name, value in model.state_dict().items()}
    losses = []
    for step, (ids, following) in enumerate(zip(inputs, targets)):
        logits, loss = model(ids, following)
        adam.zero_grad()
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            tensors.update(inputs=inputs, targets=targets, logits=logits, attention=model.sa_head.attention)
            tensors.update({"gradient." + name: value.grad.clone() for name, value in model.named_parameters()
                            if value.requires_grad})
        if steps > 0:
            adam.step()
    tensors["loss"] = torch.tensor(losses)
    if steps > 0:
        tensors.update({"after." + name: value for name, value in model.state_dict().items()})
    return tensors


def main():
    if len(sys.argv) > 2 or sys.argv[1:] and sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    directory = sys.argv[1] if len(sys.argv) == 2 else os.path.join(os.path.dirname(__file__), "..", "tests", "golden")
    os.makedirs(directory, exist_ok=True)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    cases = {"lecture": (LECTURE, STEPS)}
    cases.update({name: (dict(SMALL, **changes), 0) for name, changes in ABLATIONS.items()})
    for name, (config, steps) in cases.items():
        path = os.path.join(directory, name + ".safetensors")
        write_safetensors(path, run(config, steps), {"config": json.dumps(config), "torch": torch.__version__})


if __name__ == "__main__":
    main()
