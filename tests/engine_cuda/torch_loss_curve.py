"""Trains the model of a run in plain PyTorch, from the same weights and on the same batches, and compares losses.

    braid-engine train "S[w=128]F x3" --scale S1 --data CORPUS --context 1024 --tokens 2457600 --device cuda \\
        --set batch=8 --set learning_rate=2e-3 --set warmup_steps=20 --set trace_checkpoints=2 --project P
    braid-engine export safetensors RUN@0 start --project P
    braid-engine run batches RUN --out batches.npy --project P
    braid-engine run metrics RUN loss --project P > losses.csv
    python3 tests/engine_cuda/torch_loss_curve.py P/runs/RUN/plan.json start batches.npy losses.csv

A second run of ours with --set kernels.attention=flash shows what another order of sums does: its losses.csv may be named
with --other. Models of full and sliding-window attention with sinks, one group of heads a layer; documents may be kept
apart. Needs torch, numpy and safetensors. Master weights, norms, RoPE and softmax statistics are float32; --precision
bf16 is torch.autocast.
"""
import argparse
import csv
import glob
import json
import math

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("plan", "weights", "batches", "losses"):
        parser.add_argument(name)
    parser.add_argument("--other", help="losses of a second run, to be held against the first")
    parser.add_argument("--precision", choices=("bf16", "float32"), default="bf16")
    parser.add_argument("--muon", choices=("bf16", "float32"), default="bf16", help="products of Newton-Schulz")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def attention(q_BHTK, k_BGTK, v_BGTK, sink_H, window, starts_BT):
    """In float32; the sink takes its share of each row and has no value. Keys before starts_BT are another document's."""
    readers, tokens = q_BHTK.shape[1] // k_BGTK.shape[1], q_BHTK.shape[2]
    k, v = (x.float().repeat_interleave(readers, 1) for x in (k_BGTK, v_BGTK))
    with torch.autocast(q_BHTK.device.type, enabled=False):
        scores = (q_BHTK.float() * q_BHTK.shape[-1] ** -0.5) @ k.transpose(-1, -2)
        place = torch.arange(tokens, device=scores.device)
        age = place[:, None] - place[None]
        hidden = (age < 0) | (age >= window if window else age < 0) | (place < starts_BT[:, None, :, None])
        scores = scores.masked_fill(hidden, -math.inf)
        sink = sink_H.float()[None, :, None, None].expand(*scores.shape[:3], 1)
        return (torch.cat((scores, sink), -1).softmax(-1)[..., :-1] @ v).to(q_BHTK.dtype)


def rope(x_BHTK, base):
    half = x_BHTK.shape[-1] // 2
    frequency = base ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = torch.arange(x_BHTK.shape[2], dtype=torch.float64)[:, None] * frequency
    cos, sin = (f(angle).to(x_BHTK.device, torch.float32) for f in (torch.cos, torch.sin))
    a, b = x_BHTK.float().chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(x_BHTK.dtype)


class Model:
    def __init__(self, architecture, weights):
        self.layers, self.head_dim, self.w = architecture["layers"], architecture["head_dim"], weights

    def norm(self, x, name):
        return F.rms_norm(x.float(), (x.shape[-1],), None, 1e-6) * self.w[name]

    def loss(self, tokens_BT, targets_BT, starts_BT):
        batch, tokens = tokens_BT.shape
        x = F.embedding(tokens_BT, self.w["model.embed_tokens.weight"])
        for index, layer in enumerate(self.layers):
            at = f"model.layers.{index}."
            y = self.norm(x, at + "input_layernorm.weight")
            q, k, v = (F.linear(y, self.w[f"{at}self_attn.{n}_proj.weight"]).view(batch, tokens, -1, self.head_dim).transpose(1, 2)
                       for n in "qkv")
            if layer.get("position", "rope") == "rope":
                base = float(layer.get("rope_base", 1e5))
                q, k = rope(q, base), rope(k, base)
            window = int(layer.get("window", 128)) if layer["mixer"] == "swa" else 0
            o = attention(q, k, v, self.w[at + "self_attn.sinks"], window, starts_BT)
            x = x + F.linear(o.transpose(1, 2).reshape(batch, tokens, -1), self.w[at + "self_attn.o_proj.weight"])
            y = self.norm(x, at + "post_attention_layernorm.weight")
            h = F.silu(F.linear(y, self.w[at + "mlp.gate_proj.weight"])) * F.linear(y, self.w[at + "mlp.up_proj.weight"])
            x = x + F.linear(h, self.w[at + "mlp.down_proj.weight"])
        logits = F.linear(self.norm(x, "model.norm.weight"), self.w["lm_head.weight"])
        return F.cross_entropy(logits.view(-1, logits.shape[-1]).float(), targets_BT.reshape(-1), ignore_index=-1)


def orthogonal(gradient, half):
    x = gradient.bfloat16() if half else gradient
    x = x / (gradient.norm() + 1e-7).to(x.dtype)
    turned = x.shape[0] > x.shape[1]
    x = x.T if turned else x
    for _ in range(5):
        gram = x @ x.T
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
    return (x.T if turned else x).to(gradient.dtype)


class Optimizer:
    """Muon for matrices inside the layers, AdamW for the rest, weight decay for both heads and no vector."""

    def __init__(self, training, weights, half):
        self.t, self.w, self.half, self.done = training, weights, half, 0
        self.first = {name: torch.zeros_like(w) for name, w in weights.items()}
        self.second = {name: torch.zeros_like(w) for name, w in weights.items()}

    def rate(self):
        t, step = self.t, self.done
        factor = min(1, (step + 1) / t["warmup_steps"]) if t["warmup_steps"] else 1
        decay = round(t["steps"] * t["decay_fraction"])
        into = step - (t["steps"] - decay) + 1
        if decay > 0 and into > 0:
            factor = min(factor, 1 - (1 - t["final_lr_ratio"]) * min(1, into / decay))
        return t["learning_rate"] * factor

    @torch.no_grad()
    def step(self):
        t, lr = self.t, self.rate()
        norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(w.grad) for w in self.w.values()]))
        clip = torch.clamp(t["grad_clip"] / norm, max=1.0)
        self.done += 1
        for name, w in self.w.items():
            g, outer = w.grad * clip, "embed" in name or "lm_head" in name
            if w.dim() == 2 and not outer:
                m = self.first[name].lerp_(g, 1 - t["muon_momentum"])
                u = orthogonal(g.lerp(m, t["muon_momentum"]), self.half)
                w.mul_(1 - lr * t["weight_decay"]).sub_(u, alpha=lr * 0.2 * math.sqrt(max(u.shape)))
            else:
                m = self.first[name].lerp_(g, 1 - t["adam_beta1"]) / (1 - t["adam_beta1"] ** self.done)
                v = self.second[name].lerp_(g * g, 1 - t["adam_beta2"]) / (1 - t["adam_beta2"] ** self.done)
                w.mul_(1 - lr * t["weight_decay"] if outer else 1).sub_(lr * m / (v.sqrt() + t["adam_eps"]))
            w.grad = None


def losses_of(file):
    with open(file, encoding="utf-8") as text:
        return [float(row["loss"]) for row in csv.DictReader(text)]


def compare(title, ours, theirs):
    for first, end in ((0, 30), (30, 100), (100, len(ours))):
        apart = [abs(a - b) for a, b in list(zip(ours, theirs))[first:end]]
        if apart:
            print(f"{title:24} steps {first:3} to {end:3}: mean {sum(apart) / len(apart):.6f}, most {max(apart):.6f}")


def main():
    a = arguments()
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    with open(a.plan, encoding="utf-8") as text:
        plan = json.load(text)
    weights = {}
    for file in glob.glob(a.weights + "/*.safetensors"):
        weights.update({name: w.to(a.device, torch.float32).requires_grad_() for name, w in load_file(file).items()})
    model = Model(plan["architecture"], weights)
    optimizer = Optimizer(plan["training"], weights, a.muon == "bf16")
    losses = []
    for batch in np.load(a.batches, mmap_mode="r"):
        tokens_BT, targets_BT, *starts = torch.from_numpy(np.array(batch)).to(a.device, torch.long)
        starts_BT = starts[0] if starts else torch.zeros_like(tokens_BT)
        with torch.autocast(a.device, torch.bfloat16, enabled=a.precision == "bf16"):
            loss = model.loss(tokens_BT, targets_BT, starts_BT)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    ours = losses_of(a.losses)
    compare("PyTorch", ours, [float(loss) for loss in losses])
    if a.other:
        compare("another run of ours", ours, losses_of(a.other))


main()
