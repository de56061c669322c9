// corpus build | show
#include <unistd.h>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/tokenizer_options.h"
#include "app/engine/verbs/verbs.h"
#include "core/data/corpus.h"

namespace braid::cli {
namespace {

struct BuildOptions {
    std::vector<std::string> sources;
    std::string out;
    CorpusOptions corpus;
    bool json = false;
    bool quiet = false;
};

struct ShowOptions {
    std::string folder;
    bool verify = false;
    bool json = false;
};

Table counts_table(const CorpusManifest& manifest) {
    Table table(
        {{"SPLIT"}, {"DOCUMENTS", true}, {"TOKENS", true}, {"LONG DOCUMENTS", true}, {"LONG TOKENS", true}});
    const auto add = [&table](const char* name, const SplitCounts& counts) {
        table.add({name, with_commas(counts.documents), with_commas(counts.tokens),
                   with_commas(counts.long_documents), with_commas(counts.long_tokens)});
    };
    add("train", manifest.train);
    add("validation", manifest.validation);
    return table;
}

void print_manifest(const CorpusManifest& manifest, const std::string& folder, bool json) {
    if (json) {
        Json document = to_json(manifest);
        document["folder"] = folder;
        print(document);
        return;
    }
    std::string text = counts_table(manifest).text();
    std::int64_t invalid = 0;
    std::int64_t skipped = 0;
    for (const CorpusFile& file : manifest.files) {
        invalid += file.invalid_utf8;
        skipped += file.skipped;
    }
    const TokenizerInfo& tokenizer = manifest.tokenizer;
    text += "\ntokenizer " + tokenizer.kind + (tokenizer.file.empty() ? "" : " (" + tokenizer.file + ")") +
            ", vocabulary " + with_commas(tokenizer.vocab) + "\n" +
            with_commas(static_cast<std::int64_t>(manifest.files.size())) + " files, " +
            with_commas(manifest.duplicates) + " duplicates left out, " + with_commas(skipped) +
            " entries without text, " + with_commas(invalid) + " invalid UTF-8 sequences kept\n";
    for (const CorpusFile& file : manifest.files)
        if (!file.note.empty()) text += file.path + ": " + file.note + "\n";
    text += folder + "\n";
    print(text);
}

Result<void> build(const BuildOptions& options) {
    Progress progress(options.quiet);
    const auto show = [&progress](const CorpusProgress& now) {
        const double fraction =
            now.bytes_total > 0 ? static_cast<double>(now.bytes_done) / static_cast<double>(now.bytes_total)
                                : 0;
        progress.update(fraction, bytes_text(now.bytes_done) + " of " + bytes_text(now.bytes_total) + "  " +
                                      with_commas(now.documents) + " documents  " + now.file);
    };
    const Result<CorpusManifest> manifest =
        build_corpus(options.sources, options.out, options.corpus, show, &stop_requested());
    if (!manifest) return fail(manifest.error());
    print_manifest(*manifest, options.out, options.json);
    return {};
}

Result<void> show_corpus(const ShowOptions& options) {
    const Result<Corpus> corpus = Corpus::open(options.folder);
    if (!corpus) return fail(corpus.error());
    if (options.verify) {
        Progress progress;
        const Result<void> good =
            corpus->verify([&progress](double fraction) { progress.update(fraction, "comparing hashes"); });
        if (!good) return good;
    }
    print_manifest(corpus->manifest(), options.folder, options.json);
    return {};
}

}  // namespace

void add_corpus(CommandLine& line) {
    CLI::App& corpus = line.group("corpus", "Text turned into tokens: build, show");
    const auto building = std::make_shared<BuildOptions>();
    CLI::App& build_verb = line.verb(
        corpus,
        {.name = "build",
         .summary = "Make a corpus folder from text files, folders and JSONL",
         .example =
             "braid-engine corpus build texts/ notes.jsonl --out corpus/own\nbraid-engine corpus build "
             "recipe:debian-books --out corpus/novels\nbraid-engine corpus build texts/ --tokenizer "
             "tokenizer.json "
             "--out corpus/bpe",
         .details = "Sources are text files, folders (all files below), .jsonl (field \"text\"), each also "
                    "as .gz, token files .bin of llm.c and nanoGPT, and "
                    "recipe:NAME for texts of installed Debian packages. Interrupted builds go on where they "
                    "stopped "
                    "when the same command is given again."},
        [building] { return build(*building); });
    build_verb.add_option("SOURCE", building->sources, "Text file, folder, JSONL file or recipe:NAME")
        ->required();
    build_verb.add_option("--out", building->out, "Folder to make")->required()->type_name("DIR");
    build_verb
        .add_option("--tokenizer", building->corpus.tokenizer,
                    "byte, a tokenizer file (tokenizer.json, SentencePiece .model, tiktoken ranks), or "
                    "ids:VOCABULARY:END for token files without one")
        ->capture_default_str()
        ->type_name("NAME|FILE");
    add_tokenizer_options(build_verb, building->corpus.tokenizer_options);
    build_verb
        .add_option("--validation", building->corpus.validation_fraction,
                    "Share of the documents held out, chosen by content")
        ->capture_default_str()
        ->check(real_range(0, 0.5))
        ->type_name("FRACTION");
    build_verb
        .add_option("--long", building->corpus.long_bytes,
                    "Documents of at least so many bytes form the long pool")
        ->capture_default_str()
        ->type_name("BYTES");
    build_verb.add_option("--threads", building->corpus.threads, "That tokenise; 0: all cores")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    add_quiet_option(build_verb, building->quiet);
    add_json_option(build_verb, building->json);

    const auto showing = std::make_shared<ShowOptions>();
    CLI::App& show_verb = line.verb(corpus,
                                    {.name = "show",
                                     .summary = "Counts, tokenizer and provenance of a corpus",
                                     .example = "braid-engine corpus show corpus/novels --verify"},
                                    [showing] { return show_corpus(*showing); });
    show_verb.add_option("DIR", showing->folder, "Corpus folder")->required();
    show_verb.add_flag("--verify", showing->verify, "Read every byte and compare the hashes");
    add_json_option(show_verb, showing->json);
}

}  // namespace braid::cli
