"""Our tokenizers against Python's tokenizers, sentencepiece and tiktoken, on multilingual and hostile text.

The tokenizer files are trained here, with a fixed seed; nothing is downloaded but the libraries (from PyPI, into
a virtual environment in the user's cache). Without PyPI the test is skipped, visibly (exit code 77).
"""
import base64
import json
import os
import random
import subprocess
import sys
import tempfile
import time

PACKAGES = ["tokenizers==0.22.1", "sentencepiece==0.2.1", "tiktoken==0.12.0"]
SKIPPED = 77


def enter_environment():
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "braid",
                         "test-tokenizers-%d.%d" % sys.version_info[:2])
    python = os.path.join(cache, "bin", "python")
    stamp = os.path.join(cache, "packages.txt")
    if not os.path.exists(stamp) or open(stamp).read() != "\n".join(PACKAGES):
        made = subprocess.run([sys.executable, "-m", "venv", cache]).returncode == 0 and subprocess.run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--timeout", "15", "--retries", "1",
             *PACKAGES]).returncode == 0
        if not made:
            print("SKIPPED: no venv, or PyPI cannot be reached; needed:", " ".join(PACKAGES))
            sys.exit(SKIPPED)
        with open(stamp, "w") as file:
            file.write("\n".join(PACKAGES))
    os.execv(python, [python, os.path.abspath(__file__), "--inside"])


SENTENCES = [
    "The weaver draws three strands over and under; it's what she'd do, they'll see, WE'RE sure I'M not.",
    "In 1984, 12345 looms (3.14 of them!) cost $1,234,567.89 -- roughly 7\u00a0% more than in 2001.",
    "Der Weber f\u00fchrt drei F\u00e4den; na\u00efve caf\u00e9 d\u00e9j\u00e0 vu \u0152uvre \u00c6on Stra\u00dfe.",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440! \u0422\u043a\u0430\u0447 \u0432\u0435\u0434\u0451\u0442 \u0442\u0440\u0438 \u043d\u0438\u0442\u0438.",
    "\u7ec7\u5de5\u628a\u4e09\u80a1\u7ebf\u4ea4\u7ec7\u5728\u4e00\u8d77\uff0c\u8fd9\u662f\u4e00\u4e2a\u4f8b\u5b50\u3002\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3067\u3059\u3002\u30ab\u30bf\u30ab\u30ca",
    "\ud55c\uad6d\uc5b4 \ubb38\uc7a5\uc785\ub2c8\ub2e4. \uc138 \uac00\ub2e5\uc744 \uc5ee\uc2b5\ub2c8\ub2e4.",
    "\u0627\u0644\u0646\u0633\u0651\u0627\u062c \u064a\u0633\u062d\u0628 \u062b\u0644\u0627\u062b\u0629 \u062e\u064a\u0648\u0637 \u0661\u0662\u0663. \u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd \u05e2\u05d5\u05dc\u05dd",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u092e\u0947\u0902 \u090f\u0915 \u0935\u093e\u0915\u094d\u092f \u0967\u0968\u0969; \u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22\u0e44\u0e21\u0e48\u0e21\u0e35\u0e0a\u0e48\u0e2d\u0e07\u0e27\u0e48\u0e32\u0e07",
    "for (int i = 0; i < n; ++i) {\n\tsum += a[i] * b[i];  // done\n}\n\n\n",
    "def f(x):\n    return {'a': x ** 2, \"b\": [1, 2, 3]}\r\n\r\n",
    "Emoji \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f3f3\ufe0f\u200d\U0001f308 \U0001f9f5\U0001f9f6 \u263a\ufe0f \U0001f1e9\U0001f1ea!!",
]

HOSTILE = [
    "", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2028\u2029\u0085\u180e\u200b\ufeff", "a", "'", "'s", "'S", "\u017f's", "'\u017f",
    " " * 5000 + "x" + " " * 77, "\n" * 3000, " \n \n  \n\t\n", "x" * 70, "ab" * 5000, "\u0301\u0301\u0301abc\u0301\u0323", "e\u0301 \u00e9 A\u030a \u00c5 \u212b",
    "\u1112\u1161\u11ab \uae00 \u1100\u1161", "\u0958 \ufb01 \u2126 \u00bd \u2460 \u337f", "\x00\x01\x02\x1f\x7f\x80\x9f", "\ufffd \ufffe \U0010ffff \U00010000 \ue000",
    "\u202eabc\u202c \u2066x\u2069", "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034dA\u036b\u0357\u0334\u0362\u0335\u031c\u0330\u0354L",
    "<|endoftext|> <s></s> <|begin_of_text|><|eot_id|> <|endoftext|", "<tool> x <tool>y z<tool>  MASKED  <mask>  [WORD] a[WORD]b",
    "\u2581 \u2581\u2581x", "1234567890 12 123 1234 \u0661\u0662\u0663\u0664\u0665 \u00b2\u00b3 \u2167", "a_b __init__ \u203f x\u2040y", "...!?!?--==>>\n\n  ##\n", "/path/to\n/file\n",
    "McDonald'S O'Neil CAMELCase camelCase HTTPServer \u01c5 \u02b0abc", "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 300,
]


def corpus(count):
    rng = random.Random(7)
    words = [word for sentence in SENTENCES for word in sentence.split(" ")]
    letters = "aeiou\u00e9\u0430\u0438\u4e2d\u6587" + "bcdfghklmnprst\u00df\u0442\u043d" * 2
    words += ["".join(rng.choice(letters) for _ in range(int(rng.paretovariate(1.2)) % 12 + 1)) for _ in range(3000)]
    return [rng.choice(SENTENCES) + " " + " ".join(rng.choice(words) for _ in range(rng.randrange(3, 40)))
            for _ in range(count)]


def random_text(rng, length):
    ranges = [(0x20, 0x7e)] * 6 + [(0, 0x1f), (0x80, 0x24f), (0x300, 0x36f), (0x370, 0x5ff), (0x600, 0x6ff), (0x900, 0x97f),
                                   (0xe00, 0xe7f), (0x1100, 0x11ff), (0x2000, 0x206f), (0x3040, 0x30ff), (0x4e00, 0x5fff),
                                   (0xac00, 0xad00), (0x1f300, 0x1f64f)]
    return "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(length))


def texts():
    rng = random.Random(11)
    # Letters that every Unicode version since 2010 knows alike; where a library's tables are newer than PCRE2's,
    # characters that were added in between may be cut differently.
    import unicodedata
    some = ["".join(c for c in random_text(rng, rng.randrange(1, 400)) if unicodedata.category(c) != "Cn")
            for _ in range(200)]
    return SENTENCES + HOSTILE + corpus(100) + some


def ours(dump, file, texts, *arguments):
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run([dump, file, *arguments], input=lines, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("%s: %s" % (file, done.stderr))
    return [json.loads(line) for line in done.stdout.splitlines()]


FAILURES = []


def compare(name, texts, got, want_ids, want_spans=None, exact=True):
    wrong = 0
    for i, (text, mine) in enumerate(zip(texts, got)):
        problems = []
        if mine["ids"] != want_ids[i]:
            problems.append("ids %s, want %s" % (mine["ids"][:30], want_ids[i][:30]))
        if want_spans is not None and want_spans[i] is not None and mine["spans"] != want_spans[i]:
            at = [k for k, (a, b) in enumerate(zip(mine["spans"], want_spans[i])) if a != b][:1]
            problems.append("spans differ at token %s: %s, want %s" %
                            (at, [mine["spans"][k] for k in at], [want_spans[i][k] for k in at]))
        if exact and not mine["back"]:
            problems.append("decoding does not give the text back")
        if len(got) != len(texts):
            problems.append("%d answers for %d texts" % (len(got), len(texts)))
        if problems:
            wrong += 1
            if wrong <= 3:
                print("  %s: %r: %s" % (name, text[:80], "; ".join(problems)))
    print("%-44s %d of %d texts equal" % (name, len(texts) - wrong, len(texts)))
    if wrong:
        FAILURES.append(name)


def byte_spans(text, offsets):
    """Character offsets to byte offsets."""
    place = [0]
    for character in text:
        place.append(place[-1] + len(character.encode()))
    return [[place[begin], place[end]] for begin, end in offsets]


def whole_characters(text, spans):
    """Our spans of single bytes as the characters they lie in: what character offsets can say."""
    data = text.encode()
    out = []
    for begin, end in spans:
        while begin > 0 and begin < len(data) and data[begin] & 0xC0 == 0x80:
            begin -= 1
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end += 1
        out.append([begin, end])
    return out


LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
          r"\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")


def check_huggingface(dump, folder, samples):
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    def make(name, pre, normalizer=None, added=(), change=None, exact=True, with_spans=True):
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre
        tokenizer.decoder = decoders.ByteLevel()
        if normalizer is not None:
            tokenizer.normalizer = normalizer
        trainer = trainers.BpeTrainer(vocab_size=1500, show_progress=False, special_tokens=["<|endoftext|>"],
                                      initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
        tokenizer.train_from_iterator(corpus(600), trainer)
        for token in added:
            tokenizer.add_tokens([token])
        file = os.path.join(folder, name + ".json")
        tokenizer.save(file)
        if change is not None:
            described = json.load(open(file))
            change(described)
            json.dump(described, open(file, "w"), ensure_ascii=False)
            tokenizer = Tokenizer.from_file(file)
        for special in (False, True):
            tokenizer.encode_special_tokens = not special
            encoded = [tokenizer.encode(text, add_special_tokens=False) for text in samples]
            got = ours(dump, file, samples, *(["--special"] if special else []))
            spans = None
            if with_spans:
                spans = [byte_spans(text, one.offsets) for text, one in zip(samples, encoded)]
                for text, mine in zip(samples, got):
                    mine["spans"] = whole_characters(text, mine["spans"])
            compare("huggingface %s%s" % (name, ", special" if special else ""), samples, got,
                    [one.ids for one in encoded], spans, exact)

    level = pre_tokenizers.ByteLevel
    make("gpt2", level(add_prefix_space=False, trim_offsets=False))
    llama3 = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
                                      level(add_prefix_space=False, use_regex=False)])
    make("llama3", llama3, change=lambda t: t["model"].update(ignore_merges=True))
    make("merges-as-text", llama3, change=lambda t: t["model"].update(
        merges=[merge if isinstance(merge, str) else " ".join(merge) for merge in t["model"]["merges"]]))
    qwen2 = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(QWEN2), "isolated"),
                                     level(add_prefix_space=False, use_regex=False)])
    make("qwen2-nfc", qwen2, normalizers.NFC(), exact=False, with_spans=False)
    make("nfkd-sequence", qwen2, normalizers.Sequence([normalizers.NFKD()]), exact=False, with_spans=False)
    make("prefix-space", level(add_prefix_space=True, trim_offsets=False), exact=False, with_spans=False)
    make("split-behaviours", pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Punctuation("merged_with_previous"),
        pre_tokenizers.Split("a", "merged_with_next"), pre_tokenizers.Split(Regex(r"\s+"), "contiguous"),
        pre_tokenizers.Digits(),
        level(add_prefix_space=False, use_regex=True)]))
    make("added", level(add_prefix_space=False, trim_offsets=False), added=[
        AddedToken("<tool>", lstrip=True, rstrip=True), AddedToken("[WORD]", single_word=True), AddedToken("  "),
        AddedToken("<mask>", special=True, lstrip=True), AddedToken("MASK", normalized=True)], exact=False,
        with_spans=False)

    # As SentencePiece BPE models are converted: characters, byte fallback, spaces written U+2581.
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])
    bytes_as_text = ["<0x%02X>" % byte for byte in range(256)]
    tokenizer.train_from_iterator(corpus(200), trainers.BpeTrainer(
        vocab_size=1200, show_progress=False, limit_alphabet=150, max_token_length=8,
        special_tokens=["<unk>", "<s>", "</s>"] + bytes_as_text))
    file = os.path.join(folder, "converted.json")
    tokenizer.save(file)
    described = json.load(open(file))
    described["added_tokens"] = described["added_tokens"][:3]
    json.dump(described, open(file, "w"), ensure_ascii=False)
    tokenizer = Tokenizer.from_file(file)
    tokenizer.encode_special_tokens = True
    some = [text for text in samples if len(text) < 2000]
    encoded = [tokenizer.encode(text, add_special_tokens=False) for text in some]
    compare("huggingface converted", some, ours(dump, file, some), [one.ids for one in encoded], None, False)


def check_tiktoken(dump, folder, samples):
    import tiktoken
    from tiktoken._educational import bpe_train
    from tiktoken_ext import openai_public
    import tokenizers as hf
    # Ranks from a byte-level training: the order of the vocabulary is the order of the merges.
    tokenizer = hf.Tokenizer(hf.models.BPE())
    tokenizer.pre_tokenizer = hf.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(corpus(600), hf.trainers.BpeTrainer(
        vocab_size=2000, show_progress=False, initial_alphabet=hf.pre_tokenizers.ByteLevel.alphabet()))
    letters = {}
    extra = 256
    for byte in range(256):
        itself = 0x21 <= byte <= 0x7e or 0xa1 <= byte <= 0xac or byte >= 0xae
        letters[chr(byte if itself else extra)] = byte
        extra += not itself
    ranks = {}
    for token, rank in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]):
        ranks[bytes(letters[letter] for letter in token)] = rank
    file = os.path.join(folder, "test.tiktoken")
    with open(file, "wb") as out:
        for token, rank in ranks.items():
            out.write(base64.b64encode(token) + b" %d\n" % rank)
    patterns = {"gpt2": openai_public.r50k_pat_str, "llama3": LLAMA3}
    load = openai_public.load_tiktoken_bpe
    openai_public.load_tiktoken_bpe = lambda *a, **k: {}
    for name in ("cl100k", "o200k"):
        patterns[name] = getattr(openai_public, name + "_base")()["pat_str"]
    openai_public.load_tiktoken_bpe = load
    for name, pattern in patterns.items():
        encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks,
                                     special_tokens={"<|endoftext|>": len(ranks)})
        spans = []
        for text in samples:
            at = 0
            one = []
            for token in encoding.encode_ordinary(text):
                size = len(encoding.decode_single_token_bytes(token))
                one.append([at, at + size])
                at += size
            spans.append(one)
        compare("tiktoken " + name, samples, ours(dump, file, samples, "--pattern", name),
                [encoding.encode_ordinary(text) for text in samples], spans)
        compare("tiktoken %s, special" % name, samples, ours(dump, file, samples, "--pattern", name, "--special"),
                [encoding.encode(text, allowed_special="all") for text in samples], spans and None)


def check_sentencepiece(dump, folder, samples):
    import sentencepiece
    kinds = {
        "unigram": dict(model_type="unigram"),
        "bpe": dict(model_type="bpe"),
        "unigram-nfkc": dict(model_type="unigram", normalization_rule_name="nmt_nfkc", add_dummy_prefix=True,
                             remove_extra_whitespaces=True, byte_fallback=False),
        "bpe-llama": dict(model_type="bpe", add_dummy_prefix=True),
    }
    for name, options in kinds.items():
        prefix = os.path.join(folder, "sp-" + name)
        settings = dict(normalization_rule_name="identity", add_dummy_prefix=False, remove_extra_whitespaces=False,
                        byte_fallback=True)
        settings.update(options)
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(corpus(600)), model_prefix=prefix,
                                                 vocab_size=900, hard_vocab_limit=False, minloglevel=2,
                                                 num_threads=1, max_sentence_length=100000, **settings)
        processor = sentencepiece.SentencePieceProcessor(model_file=prefix + ".model")
        exact = not settings["add_dummy_prefix"]
        # U+2581 in a text is exact with us and a space there; texts with it are compared for the round trip only.
        plain = [text for text in samples if "\u2581" not in text]
        got = ours(dump, prefix + ".model", plain)
        spans = []
        for text in plain:
            proto = processor.encode(text, out_type="immutable_proto")
            one = [[piece.begin, piece.end] for piece in proto.pieces]
            spans.append(byte_spans(text, one))
        for text, mine, want in zip(plain, got, spans):
            mine["spans"] = whole_characters(text, mine["spans"])
            ids = processor.encode(text)
            for i in range(len(want) - 2, -1, -1):  # bytes of one character share its place
                if i < len(ids) and processor.is_byte(ids[i]) and want[i][0] == want[i][1]:
                    want[i] = want[i + 1]
        compare("sentencepiece " + name, plain, got, [processor.encode(text) for text in plain], spans, exact)
        if exact:
            marked = [text for text in samples if "\u2581" in text]
            back = ours(dump, prefix + ".model", marked)
            compare("sentencepiece %s, U+2581" % name, marked, back, [one["ids"] for one in back])


def check_long_words(dump, folder):
    import tiktoken  # noqa: F401  (the environment is there)
    rng = random.Random(3)
    word = "".join(rng.choice("abcdefghij\u00e9\u00df\u4e2d") for _ in range(1_000_000))
    for file, arguments in [("gpt2.json", []), ("llama3.json", []), ("test.tiktoken", ["--pattern", "o200k"]),
                            ("sp-unigram.model", []), ("sp-bpe.model", [])]:
        start = time.time()
        got = ours(dump, os.path.join(folder, file), [word], *arguments)
        seconds = time.time() - start
        print("%-44s 1 MB word: %d tokens, %.2f s" % (file, len(got[0]["ids"]), seconds))
        if not got[0]["back"] or seconds > 120:
            FAILURES.append("1 MB word, " + file)
    from tokenizers import Tokenizer
    want = Tokenizer.from_file(os.path.join(folder, "gpt2.json")).encode(word).ids
    if ours(dump, os.path.join(folder, "gpt2.json"), [word])[0]["ids"] != want:
        FAILURES.append("1 MB word, ids of gpt2.json")


def main():
    dump = os.path.join(os.environ["BRAID_BINARY_DIR"], "tests", "tokenizer_dump")
    samples = texts()
    with tempfile.TemporaryDirectory() as folder:
        check_huggingface(dump, folder, samples)
        check_tiktoken(dump, folder, samples)
        check_sentencepiece(dump, folder, samples)
        check_long_words(dump, folder)
    if FAILURES:
        print("FAILED:", ", ".join(FAILURES))
        sys.exit(1)


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        enter_environment()
    main()
