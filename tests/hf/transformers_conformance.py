"""Imported and exported models against transformers, in float32 on a CPU.

The models are tiny, random and made here with a fixed seed; nothing is downloaded but the libraries (from PyPI, into a
virtual environment in the user's cache; torch is the one that the build uses). Without PyPI the test is skipped,
visibly (exit code 77). With --long texts have 4,096 tokens.
"""
import json
import os
import subprocess
import sys
import tempfile

PACKAGES = ["transformers==4.57.1", "numpy==2.4.6", "sympy==1.14.0", "networkx==3.6.1", "jinja2==3.1.6"]
SKIPPED = 77
LIMIT = 1e-4
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "braid",
                     "test-transformers-%d.%d" % sys.version_info[:2])


def skip(reason):
    print("SKIPPED:", reason)
    sys.exit(SKIPPED)


def enter_environment():
    python = os.path.join(CACHE, "bin", "python")
    stamp = os.path.join(CACHE, "packages.txt")
    if not os.path.exists(stamp) or open(stamp).read() != "\n".join(PACKAGES):
        made = subprocess.run([sys.executable, "-m", "venv", CACHE]).returncode == 0 and subprocess.run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--timeout", "15", "--retries", "1",
             *PACKAGES]).returncode == 0
        if not made:
            skip("no venv, or PyPI cannot be reached; needed: " + " ".join(PACKAGES))
        with open(stamp, "w") as file:
            file.write("\n".join(PACKAGES))
    os.execv(python, [python, os.path.abspath(__file__), "--inside", *sys.argv[1:]])


def torch_folder():
    with open(os.path.join(os.environ["BRAID_BINARY_DIR"], "CMakeCache.txt")) as file:
        for line in file:
            if line.startswith("BRAID_TORCH_DIR:") and line.split("=", 1)[1].strip():
                return line.split("=", 1)[1].strip()
    return os.path.join(os.path.dirname(CACHE), "torch-2.11.0-cu130")


FAILURES = []


def check(name, fine, text):
    print("  %-6s %-34s %s" % ("ok" if fine else "FAILED", name, text), flush=True)
    if not fine:
        FAILURES.append(name + ": " + text)


def braid(*arguments, environment=None):
    program = os.path.join(os.environ["BRAID_BINARY_DIR"], "bin", "braid-engine")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise SystemExit("braid-engine %s: exit %d\n%s%s" % (" ".join(map(str, arguments)), done.returncode,
                                                             done.stdout, done.stderr))
    return done


SMALL = dict(vocab_size=211, hidden_size=48, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=8192)

# name: family, what differs from SMALL, type of the weights on disk, bytes of a shard
MODELS = {
    "llama": ("llama", {}, "float32", None),
    "llama, tied, llama3": ("llama", dict(
        tie_word_embeddings=True, rope_theta=500000.0,
        rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                          original_max_position_embeddings=64)), "bfloat16", 20_000),
    "llama, linear": ("llama", dict(rope_scaling=dict(rope_type="linear", factor=4.0), head_dim=16), "float16", None),
    "llama, dynamic": ("llama", dict(rope_scaling=dict(rope_type="dynamic", factor=2.0), max_position_embeddings=128),
                       "float32", 30_000),
    "llama, yarn": ("llama", dict(
        rope_scaling=dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=64)), "float32", None),
    "llama, yarn, given factor": ("llama", dict(
        rope_theta=1e6, rms_norm_eps=1e-3,
        rope_scaling=dict(rope_type="yarn", factor=16.0, original_max_position_embeddings=32, beta_fast=16.0,
                          beta_slow=2.0, attention_factor=1.3)), "float32", None),
    "mistral, window": ("mistral", dict(sliding_window=40), "float32", None),
    "mistral, full": ("mistral", dict(sliding_window=None, head_dim=8), "bfloat16", None),
    "qwen2": ("qwen2", dict(tie_word_embeddings=True), "float32", None),
    "qwen2, windows on some": ("qwen2", dict(use_sliding_window=True, sliding_window=24, max_window_layers=1),
                               "float32", None),
    "qwen3": ("qwen3", dict(head_dim=16), "bfloat16", 25_000),
    "qwen3, layer types": ("qwen3", dict(head_dim=16, use_sliding_window=True, sliding_window=16, layer_types=[
        "sliding_attention", "full_attention", "sliding_attention"]), "float32", None),
    "bamba": ("bamba", dict(attn_layer_indices=[1], mamba_n_heads=6, mamba_d_state=16,
                            mamba_expand=2), "float32", None),
    "bamba, no bias, tied": ("bamba", dict(attn_layer_indices=[0, 2], mamba_n_heads=12, mamba_n_groups=1,
                                           mamba_d_state=8, mamba_expand=1, mamba_conv_bias=False,
                                           tie_word_embeddings=True, rope_theta=1e5), "bfloat16", None),
}


def make_model(torch, family, settings):
    from transformers import AutoConfig, AutoModelForCausalLM
    torch.manual_seed(7)
    config = AutoConfig.for_model(family, **{**SMALL, **settings})
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval().float()
    with torch.no_grad():
        for name, value in model.named_parameters():
            noise = torch.randn(value.shape)
            if "norm" in name:
                value.copy_(1 + 0.2 * noise)
            elif name.endswith("dt_bias"):
                value.copy_(0.5 * noise - 2)  # steps of about 0.1, as trained models begin with
            elif name.endswith(("A_log", ".D")):
                value.add_(0.3 * noise)
            elif value.dim() == 1:
                value.copy_(0.3 * noise)
            else:
                # An embedding that is the head must not give large logits.
                large = "embed" in name and not config.tie_word_embeddings
                head = "lm_head" in name or "embed" in name
                value.copy_(noise * (0.5 if large else value[0].numel() ** -0.5 * (0.5 if head else 1)))
    return model


def logits_of(torch, model, tokens):
    with torch.no_grad():
        return model(torch.tensor(tokens)[None].long(), use_cache=False).logits[0].float().numpy()


def own_logits(numpy, folder, checkpoint, tokens):
    numpy.save(os.path.join(folder, "tokens.npy"), tokens)
    out = os.path.join(folder, "logits.npy")
    braid("logits", checkpoint, "--tokens", os.path.join(folder, "tokens.npy"), "--out", out, "--device", "cpu", "-q")
    return numpy.load(out)


def own_attention(numpy, work, checkpoint, layer, head, *more):
    out = os.path.join(work, "rows.npy")
    answer = json.loads(braid("measure", "attention", checkpoint, "--layer", layer, "--head", head, "--out", out,
                              "--device", "cpu", "-q", "--json", *more).stdout)
    return numpy.load(out), answer


# Rows of a head of the first and the last layer.
def attention(torch, numpy, work, name, model, checkpoint, tokens):
    with torch.no_grad():
        wanted = model(torch.tensor(tokens)[None].long(), use_cache=False, output_attentions=True).attentions
    numpy.save(os.path.join(work, "text.npy"), tokens)
    worst = 0.0
    for layer, head in ((0, 1), (len(wanted) - 1, 2)):
        rows, _ = own_attention(numpy, work, checkpoint, layer, head, "--tokens", os.path.join(work, "text.npy"))
        theirs = wanted[layer][0, head].float().numpy()
        worst = max(worst, float(numpy.abs(rows - theirs).max()) if rows.shape == theirs.shape else 9.0)
    check(name + ", attention", worst <= LIMIT, "T %d: largest difference of a share %.2e" % (len(tokens), worst))
    capture(numpy, work, name, wanted, checkpoint, tokens)


# The file of a captured head: its factors, and by level the tiles put together, [lines, squares].
def captured_head(numpy, path):
    with open(path, "rb") as file:
        raw = file.read()
    assert raw[:8] == b"BRAIDATT" and int.from_bytes(raw[8:12], "little") == 1
    size = int.from_bytes(raw[12:16], "little")
    header, at = json.loads(raw[16:16 + size]), 16 + size

    def numbers(count, kind):
        nonlocal at
        values = numpy.frombuffer(raw, kind, count, at)
        at += count * numpy.dtype(kind).itemsize
        return values

    tokens, width, side = header["tokens"], header["width"], 256
    factors = None
    if header["factors"]:
        factors = dict(q=numbers(tokens * width, "<f4").reshape(tokens, width),
                       k=numbers(tokens * width, "<f4").reshape(tokens, width), offset=numbers(tokens, "<f8"),
                       sink=numbers(tokens, "<f4") if header["sink"] else None)
    levels, level = {}, header["finest"]
    while True:
        squares = -(-tokens // (1 << level))
        tiles = -(-squares // side)
        maps = {name: numpy.zeros((squares, squares)) for name in ("largest", "mean")}
        for row in range(tiles):
            for column in range(row + 1):
                for name in ("largest", "mean"):
                    if level == 0 and name == "mean":
                        maps["mean"] = maps["largest"]
                        continue
                    for line in range(row * side, min((row + 1) * side, squares)):
                        count = side if column < row else line - row * side + 1
                        maps[name][line, column * side:column * side + count] = numbers(count, "<f4")
        levels[level] = maps
        if squares <= side:
            break
        level += 1
    assert at == len(raw), "%d bytes behind the tiles" % (len(raw) - at)
    return header, factors, levels


# What a capture keeps of two heads, against the attentions: rows from the factors, tiles from pooling.
def capture(numpy, work, name, wanted, checkpoint, tokens):
    answer = json.loads(braid("capture", checkpoint, "--tokens", os.path.join(work, "text.npy"), "--heads", "0.1",
                              "--device", "cpu", "-q", "--json").stdout)
    worst = {"rows": 0.0, "tiles": 0.0, "scores": 0.0}
    for head in answer["heads"]:
        theirs = wanted[head["layer"]][0, head["head"]].double().numpy()
        header, factors, levels = captured_head(numpy, os.path.join(answer["folder"], head["file"]))
        if factors:
            scores = factors["q"].astype("f8") @ factors["k"].astype("f8").T - factors["offset"][:, None]
            visible = numpy.tril(numpy.ones_like(theirs))
            if header["window"]:
                visible = numpy.triu(visible, 1 - header["window"])
            worst["rows"] = max(worst["rows"], float(numpy.abs(numpy.exp(scores) * visible - theirs).max()))
        for level, maps in levels.items():
            size, count = 1 << level, len(maps["mean"])
            padded = numpy.zeros((count * size, count * size))
            padded[:len(tokens), :len(tokens)] = theirs
            seen = numpy.zeros_like(padded)
            seen[:len(tokens), :len(tokens)] = numpy.tril(numpy.ones_like(theirs))
            fold = (count, size, count, size)
            pairs = numpy.maximum(seen.reshape(fold).sum((1, 3)), 1)
            for map_name, pooled in (("largest", padded.reshape(fold).max((1, 3))),
                                     ("mean", padded.reshape(fold).sum((1, 3)) / pairs)):
                worst["tiles"] = max(worst["tiles"], float(numpy.abs(maps[map_name] - pooled).max()))
        last = theirs[-1]
        seen = min(len(tokens), head["window"] or len(tokens))
        entropy = -(last * numpy.log(numpy.maximum(last, 1e-300))).sum() / numpy.log(seen)
        far = last[:len(tokens) - min(128, len(tokens) // 8)].max()
        worst["scores"] = max(worst["scores"], abs(head["scores"]["entropy"] - entropy),
                              abs(head["scores"]["far"] - far))
    good = answer["heads"] and any(head["factors"] for head in answer["heads"]) and max(worst.values()) <= LIMIT
    check(name + ", capture", good, "T %d, %d heads: largest difference of rows %.2e, tiles %.2e, scores %.2e" % (
        len(tokens), len(answer["heads"]), worst["rows"], worst["tiles"], worst["scores"]))


# Where heads look, and what is hidden behind layers, of a model of needles that is read by both.
def needles(torch, numpy, work):
    from transformers import AutoModelForCausalLM
    run = json.loads(braid("train", "F[nosink] S[w=12,nosink] x1", "--data", "niah", "--tokens", 8192, "--context", 64,
                           "--set", "batch=8", "--set", "learning_rate=0.02", "--set", "warmup_steps=0", "--device",
                           "cpu", "-q", "--json", environment={"XDG_DATA_HOME": work}).stdout.splitlines()[-1])
    out = os.path.join(work, "exported")
    braid("export", "hf", run["folder"], out, "-q")
    model = AutoModelForCausalLM.from_pretrained(out, attn_implementation="eager").eval().float()
    _, sample = own_attention(numpy, work, run["folder"], 0, 0)
    tokens = [int(value) for value in sample["arrays"][0]["values"]]
    begin, end = sample["settings"]["needle"]
    with torch.no_grad():
        attentions = model(torch.tensor(tokens)[None], use_cache=False, output_attentions=True).attentions
    heads = json.loads(braid("measure", "heads", run["folder"], "--samples", 1, "--layers", "softmax", "--device", "cpu",
                             "-q", "--json").stdout)
    worst = 0.0
    for layer, theirs in enumerate(attentions):
        last = theirs[0, :, -1].double().numpy()
        mass = last[:, begin:end].sum(1)
        visible = min(len(tokens), 12) if layer == 1 else len(tokens)
        entropy = -(last * numpy.log(numpy.maximum(last, 1e-300))).sum(1) / numpy.log(visible)
        for name, wanted in (("mass", mass), ("entropy", entropy)):
            array = next(a for a in heads["arrays"] if a["name"] == name)
            got = numpy.array(array["values"]).reshape([len(a["ticks"]) for a in array["axes"]])
            worst = max(worst, float(numpy.abs(got[layer] - wanted).max()))
    check("heads", worst <= LIMIT, "largest difference of mass and entropy %.2e" % worst)


def tensors_of(folder):
    import glob
    from safetensors import safe_open
    found = {}
    for file in glob.glob(os.path.join(folder, "*.safetensors")):
        with safe_open(file, framework="pt") as opened:
            for name in opened.keys():
                found[name] = opened.get_tensor(name)
    return found


def same_tensors(torch, a, b):
    a, b = tensors_of(a), tensors_of(b)
    return a.keys() == b.keys() and all(
        x.dtype == b[name].dtype and x.shape == b[name].shape and torch.equal(x, b[name]) for name, x in a.items())


def imported(torch, numpy, work, name, length):
    from transformers import AutoModelForCausalLM
    family, settings, dtype, shard = MODELS[name]
    theirs, ours, back = (os.path.join(work, part) for part in ("theirs", "ours", "back"))
    model = make_model(torch, family, settings).to(getattr(torch, dtype))
    model.save_pretrained(theirs, **({"max_shard_size": shard} if shard else {}))
    # Read again: a conversion of the module would also round its rotary tables.
    model = AutoModelForCausalLM.from_pretrained(theirs, attn_implementation="eager", dtype=torch.float32).eval()
    tokens = numpy.random.default_rng(3).integers(0, SMALL["vocab_size"], length)
    braid("import", "hf", theirs, "--out", ours, "-q")
    want = logits_of(torch, model, tokens)
    got = own_logits(numpy, work, ours, tokens)
    difference = float(numpy.abs(got - want).max())
    check(name, got.dtype == numpy.float32 and got.shape == want.shape and difference <= LIMIT,
          "T %d: largest difference %.2e, of logits up to %.1f" % (length, difference, numpy.abs(want).max()))
    if family != "bamba":
        attention(torch, numpy, work, name, model, ours, tokens[:300])
    braid("export", "hf", ours, back, "-q")
    check(name + ", back", same_tensors(torch, theirs, back), "tensors identical to the bit")
    again = AutoModelForCausalLM.from_pretrained(back, attn_implementation="eager", dtype=torch.float32).eval()
    check(name + ", loaded again", numpy.array_equal(logits_of(torch, again, tokens), want),
          "logits of %s identical" % type(again).__name__)


# A model that Braid made, the class that it should be written as, and settings of its export.
EXPORTED = {
    "F[nosink] x2": "LlamaForCausalLM",
    "F[nosink,base=5e5,ntk=4] x2": "LlamaForCausalLM",
    "S[w=12,nosink] x2": "MistralForCausalLM",
    "F[nosink] S[w=12,nosink] x1": "Qwen2ForCausalLM",
    "F[nosink,bias] S[w=12,nosink,bias] x1": "Qwen2ForCausalLM",
    "S[w=12,nosink,qknorm] F[nosink,qknorm] x1": "Qwen3ForCausalLM",
    "M[conv,n=8,ssm_groups=1] F[nosink] M[conv,n=8,ssm_groups=1] x1": "BambaForCausalLM",
    "M[conv,n=8] F[nosink] x1": None,
    "FS[w=12] x1": None,
    "M F[nosink] x1": None,
    "G F[nosink] x1": None,
    "{F[nosink]:1 S[w=4,nosink]:1} x1": None,
    "F[nosink] F[nope,nosink] x1": None,
}


def exported(torch, numpy, work, pattern, wanted, length):
    from transformers import AutoModelForCausalLM
    run = json.loads(braid("train", pattern, "--data", "recall", "--tokens", 4096, "--context", 64, "--set", "batch=8",
                           "--set", "learning_rate=0.02", "--set", "warmup_steps=0", "--device", "cpu", "-q", "--json",
                           environment={"XDG_DATA_HOME": work}).stdout.splitlines()[-1])
    out = os.path.join(work, "exported")
    done = json.loads(braid("export", "hf", run["folder"], out, "--json", "-q").stdout)
    if wanted is None:
        described = os.path.exists(os.path.join(out, "README.md"))
        check("export of " + pattern, done["class"] is None and bool(done["reason"]) and described,
              str(done["reason"]))
        return
    model = AutoModelForCausalLM.from_pretrained(out, attn_implementation="eager").eval().float()
    vocab = model.config.vocab_size
    tokens = numpy.random.default_rng(3).integers(0, vocab, length)
    difference = float(numpy.abs(own_logits(numpy, work, run["folder"], tokens) -
                                 logits_of(torch, model, tokens)).max())
    check("export of " + pattern, type(model).__name__ == wanted and difference <= LIMIT,
          "%s, T %d: largest difference %.2e" % (type(model).__name__, length, difference))


def main():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import python_torch
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        torch = python_torch.load(torch_folder(), CACHE)
        import numpy
        import transformers
    except ImportError as error:
        skip("torch does not fit this Python: %s" % error)
    torch.set_num_threads(2)
    transformers.logging.disable_progress_bar()
    print("transformers", transformers.__version__, "torch", torch.__version__)
    long = "--long" in sys.argv
    for name in MODELS:
        with tempfile.TemporaryDirectory() as work:
            imported(torch, numpy, work, name, 4096 if long else 300)
    if not long:
        with tempfile.TemporaryDirectory() as work:
            needles(torch, numpy, work)
        for pattern, wanted in EXPORTED.items():
            with tempfile.TemporaryDirectory() as work:
                exported(torch, numpy, work, pattern, wanted, 200)
    if FAILURES:
        print("FAILED:", *FAILURES, sep="\n  ")
        sys.exit(1)


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        enter_environment()
    main()
