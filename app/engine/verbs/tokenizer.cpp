// tokenizer train | show | encode
#include <iostream>
#include <iterator>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/settings.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/tokenizer_options.h"
#include "app/engine/verbs/verbs.h"
#include "core/base/count.h"
#include "core/data/tokenizer/sentencepiece_train.h"

namespace braid::cli {
namespace {

struct TrainOptions {
    std::vector<std::string> sources;
    std::string out;
    std::string sample = "16M";
    SentencePieceTraining training;
    bool json = false;
    bool quiet = false;
};

struct ReadOptions {
    std::string file;
    TokenizerOptions tokenizer;
    std::string text;
    bool special = false;
    bool json = false;
};

std::string name_of(const Tokenizer& tokenizer, std::int32_t id) {
    return id < 0 ? "none" : std::to_string(id) + " " + std::string(tokenizer.bytes(id));
}

void print_info(const Tokenizer& tokenizer, const std::string& file, bool json) {
    const TokenizerInfo& info = tokenizer.info();
    if (json) {
        Json document = to_json(info);
        document["path"] = file;
        document["special"] = info.special;
        return print(document);
    }
    std::string title = info.kind;
    for (const TokenizerKind& kind : tokenizer_kinds())
        if (kind.id == info.kind) title = kind.title;
    Table table({{"TOKENIZER"}, {file}});
    table.add({"kind", title});
    table.add({"vocabulary", with_commas(info.vocab)});
    table.add({"opens documents", name_of(tokenizer, info.bos)});
    table.add({"ends documents", name_of(tokenizer, info.eos)});
    table.add({"unknown", name_of(tokenizer, info.unknown)});
    table.add({"special tokens", with_commas(static_cast<std::int64_t>(info.special.size()))});
    if (!info.options.pattern.empty()) table.add({"pattern", info.options.pattern});
    table.add({"round trip", info.loss.empty() ? "exact" : info.loss});
    table.add({"hash", info.hash});
    print(table.text());
}

Result<void> train(const TrainOptions& options) {
    SentencePieceTraining training = options.training;
    Checked<std::int64_t> sample = parse_count(options.sample, "--sample");
    if (!sample) return fail(to_error(sample.error()));
    training.sample_bytes = *sample;
    Progress progress(options.quiet);
    const Result<TokenizerInfo> info = train_sentencepiece(
        options.sources, options.out, training,
        [&progress](const SentencePieceProgress& now) { progress.update(now.fraction, now.stage); },
        &stop_requested());
    if (!info) return fail(info.error());
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = open_tokenizer(options.out);
    if (!tokenizer) return fail(tokenizer.error());
    print_info(**tokenizer, options.out, options.json);
    return {};
}

Result<void> show(const ReadOptions& options) {
    const Result<std::shared_ptr<const Tokenizer>> tokenizer =
        open_tokenizer(options.file, options.tokenizer);
    if (!tokenizer) return fail(tokenizer.error());
    print_info(**tokenizer, options.file, options.json);
    return {};
}

// A token's text in one line: control characters and bytes that are no UTF-8 as JSON shows them.
std::string quoted(std::string_view text) {
    return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<void> encode(const ReadOptions& options) {
    const Result<std::shared_ptr<const Tokenizer>> tokenizer =
        open_tokenizer(options.file, options.tokenizer);
    if (!tokenizer) return fail(tokenizer.error());
    std::string text = options.text;
    if (text.empty()) text.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
    const Encoding encoding =
        (*tokenizer)->encode(text, options.special ? SpecialText::as_tokens : SpecialText::as_text);
    const bool exact = (*tokenizer)->decode(encoding.ids, true) == text;
    if (options.json) {
        Json spans = Json::array();
        for (const TokenSpan& span : encoding.spans) spans.push_back({span.begin, span.end});
        print(Json{
            {"ids", encoding.ids}, {"spans", std::move(spans)}, {"bytes", text.size()}, {"exact", exact}});
        return {};
    }
    Table table({{"ID", true}, {"BEGIN", true}, {"END", true}, {"TOKEN"}});
    for (std::size_t i = 0; i < encoding.ids.size(); ++i)
        table.add({std::to_string(encoding.ids[i]), std::to_string(encoding.spans[i].begin),
                   std::to_string(encoding.spans[i].end), quoted((*tokenizer)->bytes(encoding.ids[i]))});
    print(table.text() + "\n" + with_commas(static_cast<std::int64_t>(encoding.ids.size())) + " tokens of " +
          with_commas(static_cast<std::int64_t>(text.size())) + " bytes; decoding " +
          (exact ? "gives the text back\n"
                 : "does not give the text back: " + (*tokenizer)->info().loss + "\n"));
    return {};
}

}  // namespace

void add_tokenizer(CommandLine& line) {
    CLI::App& tokenizer = line.group("tokenizer", "Text to tokens: train, show, encode");
    const auto training = std::make_shared<TrainOptions>();
    CLI::App& train_verb = line.verb(
        tokenizer,
        {.name = "train",
         .summary = "Train a SentencePiece tokenizer on text",
         .example =
             "braid-engine tokenizer train texts/ --vocab 8192 --out own.model\nbraid-engine tokenizer train "
             "recipe:debian-books --vocab 4096 --kind bpe --out novels.model",
         .details =
             "Sources are those of corpus build. The model is lossless: white space stays, and characters "
             "outside the vocabulary become bytes. The same text gives the same file on any machine."},
        [training] { return train(*training); });
    train_verb.add_option("SOURCE", training->sources, "Text file, folder, JSONL file or recipe:NAME")
        ->required();
    train_verb
        .add_option("--vocab", training->training.vocab, "Tokens, 256 bytes and 3 special tokens among them")
        ->capture_default_str()
        ->type_name("N");
    train_verb.add_option("--out", training->out, "File to make")->required()->type_name("FILE");
    train_verb.add_option("--kind", training->training.kind, "unigram or bpe")
        ->capture_default_str()
        ->check(CLI::IsMember({"unigram", "bpe"}));
    train_verb
        .add_option("--sample", training->sample, "Bytes of text to train on, at most; lines are sampled")
        ->capture_default_str()
        ->type_name("BYTES");
    train_verb
        .add_option("--coverage", training->training.character_coverage,
                    "Share of the characters that get a token; the rest is written in bytes")
        ->capture_default_str()
        ->type_name("FRACTION");
    add_quiet_option(train_verb, training->quiet);
    add_json_option(train_verb, training->json);

    const auto showing = std::make_shared<ReadOptions>();
    CLI::App& show_verb = line.verb(tokenizer,
                                    {.name = "show",
                                     .summary = "What a tokenizer file is",
                                     .example = "braid-engine tokenizer show tokenizer.json"},
                                    [showing] { return show(*showing); });
    show_verb.add_option("FILE", showing->file, "Tokenizer file, or the folder that holds it")->required();
    add_tokenizer_options(show_verb, showing->tokenizer);
    add_json_option(show_verb, showing->json);

    const auto encoding = std::make_shared<ReadOptions>();
    CLI::App& encode_verb = line.verb(
        tokenizer,
        {.name = "encode",
         .summary = "The tokens of a text and their places in it",
         .example =
             "braid-engine tokenizer encode own.model \"three strands\"\nbraid-engine tokenizer encode "
             "tokenizer.json --json < text.txt"},
        [encoding] { return encode(*encoding); });
    encode_verb.add_option("FILE", encoding->file, "byte, or a tokenizer file")->required();
    encode_verb.add_option("TEXT", encoding->text, "Without it, standard input");
    encode_verb.add_flag("--special", encoding->special, "Special tokens in the text are tokens, not text");
    add_tokenizer_options(encode_verb, encoding->tokenizer);
    add_json_option(encode_verb, encoding->json);
}

}  // namespace braid::cli
