// Corpora with tokenizers, token files, pools, and what is said about a corpus before training.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <set>

#include "core/base/random.h"
#include "core/data/batch.h"
#include "core/data/corpus.h"
#include "core/data/key_tokens.h"
#include "tests/base/temporary_folder.h"
#include "tests/data/tiny_tokenizer.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

std::string some_words(Random& random, std::size_t words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i)
        text +=
            std::string(i == 0 ? "" : " ") +
            std::vector<std::string>{"the", "weaving", "and", "gr\xC3\xBC\xC3\x9F", "in"}[random.below(5)];
    return text + "\n";
}

class CorpusTokenizerTest : public ::testing::Test {
protected:
    CorpusTokenizerTest() { write_text(temporary_ / "tok/tokenizer.json", tiny_tokenizer_json().dump()); }

    std::string tokenizer() const { return temporary_ / "tok/tokenizer.json"; }
    std::string out() const { return temporary_ / "corpus"; }
    Corpus build(const std::vector<std::string>& sources, const CorpusOptions& options) {
        fs::remove_all(out());
        const Result<CorpusManifest> manifest = build_corpus(sources, out(), options);
        EXPECT_TRUE(manifest.has_value()) << describe(manifest.error());
        Result<Corpus> corpus = Corpus::open(out());
        EXPECT_TRUE(corpus.has_value()) << describe(corpus.error());
        EXPECT_TRUE(corpus->verify().has_value());
        return *corpus;
    }
    Error error_of(const std::vector<std::string>& sources, const CorpusOptions& options) {
        fs::remove_all(out());
        const Result<CorpusManifest> manifest = build_corpus(sources, out(), options);
        EXPECT_FALSE(manifest.has_value());
        return manifest ? Error{} : manifest.error();
    }
    void documents(int count, std::size_t words) {
        Random random(1, "documents");
        for (int i = 0; i < count; ++i)
            write_text(temporary_ / ("a/" + std::to_string(i) + ".txt"),
                       some_words(random, 1 + random.below(words)));
    }
    Result<std::unique_ptr<DataSource>> source(std::int64_t context, std::int64_t batch,
                                               const ParameterValues& values = {}) {
        TrainingSpec training;
        training.context = context;
        training.batch = batch;
        return make_data_source({.kind = "corpus", .corpus = out(), .parameters = values}, training);
    }
    static std::vector<std::int32_t> all_tokens(const Corpus& corpus, Split split) {
        std::vector<std::int32_t> tokens(static_cast<std::size_t>(corpus.tokens(split)));
        corpus.read(split, 0, tokens);
        return tokens;
    }
    TemporaryFolder temporary_;
};

TEST_F(CorpusTokenizerTest, HoldsTheTokensOfItsDocumentsAndTheTokenizer) {
    documents(50, 300);
    const Corpus corpus = build({temporary_ / "a"}, {.tokenizer = tokenizer(), .validation_fraction = 0.2});
    const auto made = corpus.tokenizer();
    ASSERT_TRUE(made.has_value()) << describe(made.error());
    EXPECT_EQ((*made)->info().hash, corpus.manifest().tokenizer.hash);
    std::multiset<std::string> want, got;
    for (const auto& file : fs::directory_iterator(temporary_ / "a"))
        want.insert(read_text(file.path().string()));
    for (const Split split : {Split::train, Split::validation})
        for (const DocumentEntry& document : corpus.documents(split)) {
            std::vector<std::int32_t> tokens(document.tokens);
            corpus.read(split, static_cast<std::int64_t>(document.offset), tokens);
            EXPECT_EQ(tokens[0], 268) << "no BOS, so EOS opens";
            const std::string text = (*made)->decode(tokens);
            EXPECT_EQ((*made)->encode(text).ids, std::vector<std::int32_t>(tokens.begin() + 1, tokens.end()));
            got.insert(text);
        }
    EXPECT_EQ(got, want);
    // The folder alone is enough; a changed copy is found out.
    fs::remove_all(temporary_ / "tok");
    EXPECT_TRUE(Corpus::open(out())->tokenizer().has_value());
    Json other = tiny_tokenizer_json();
    other["version"] = "2.0";
    write_text(out() + "/tokenizer.json", other.dump());
    EXPECT_EQ(Corpus::open(out())->tokenizer().error().kind, ErrorKind::corrupt);
}

TEST_F(CorpusTokenizerTest, ThreadsChangeNothingAndAnInterruptedBuildGoesOn) {
    documents(300, 800);
    write_text(temporary_ / "a/zz.txt.gz",
               "\x1F\x8B"
               "broken");
    CorpusOptions options{
        .tokenizer = tokenizer(), .validation_fraction = 0.1, .shard_tokens = 20'000, .threads = 1};
    const Corpus one = build({temporary_ / "a"}, options);
    const std::string hash = one.manifest().hash;
    EXPECT_EQ(one.manifest().files.back().note.substr(0, 9), "left out:");
    options.threads = 5;
    EXPECT_EQ(build({temporary_ / "a"}, options).manifest().hash, hash);
    fs::remove_all(out());
    int rounds = 0;
    for (std::int64_t stop_at = 40;; stop_at += 70, ++rounds) {
        std::atomic<bool> cancel{false};
        const Result<CorpusManifest> manifest = build_corpus(
            {temporary_ / "a"}, out(), options,
            [&](const CorpusProgress& now) { cancel = cancel || now.files_done >= stop_at; }, &cancel);
        if (manifest) {
            EXPECT_EQ(manifest->hash, hash);
            break;
        }
        ASSERT_EQ(manifest.error().kind, ErrorKind::interrupted) << describe(manifest.error());
        ASSERT_LT(rounds, 20);
        if (rounds == 1) {
            CorpusOptions other = options;
            other.tokenizer = "byte";
            EXPECT_EQ(build_corpus({temporary_ / "a"}, out(), other).error().kind, ErrorKind::already_exists);
        }
    }
    EXPECT_GE(rounds, 2);
}

TEST_F(CorpusTokenizerTest, ALargeVocabularyTakesFourBytes) {
    std::vector<std::uint32_t> tokens;
    for (std::uint32_t i = 0; i < 5'000; ++i) tokens.push_back(i % 100 == 0 ? 70'000 : 65'000 + i);
    write_text(temporary_ / "raw.bin",
               std::string(reinterpret_cast<const char*>(tokens.data()), tokens.size() * 4));
    const Corpus corpus =
        build({temporary_ / "raw.bin"}, {.tokenizer = "ids:70001:70000", .validation_fraction = 0});
    EXPECT_EQ(corpus.manifest().token_bytes(), 4U);
    EXPECT_EQ(corpus.manifest().train.documents, 50);
    EXPECT_EQ(fs::file_size(out() + "/train-00000.bin"), 5'000U * 4);
    EXPECT_EQ(all_tokens(corpus, Split::train), std::vector<std::int32_t>(tokens.begin(), tokens.end()));
    EXPECT_EQ(corpus.tokenizer().error().kind, ErrorKind::unavailable);
}

TEST_F(CorpusTokenizerTest, TokenFilesOfBothHeadersAndNone) {
    const std::vector<std::uint16_t> tokens = {268, 1, 2, 3, 268, 4, 5, 268, 268, 6};
    const auto bytes = [](const auto& list) {
        return std::string(reinterpret_cast<const char*>(list.data()), list.size() * sizeof list[0]);
    };
    const auto header = [&](std::int32_t magic, std::int32_t version, std::int32_t count) {
        std::vector<std::int32_t> numbers(256, 0);
        numbers[0] = magic;
        numbers[1] = version;
        numbers[2] = count;
        return bytes(numbers);
    };
    const std::vector<std::uint32_t> wide(tokens.begin(), tokens.end());
    write_text(temporary_ / "f/old.bin", header(20'240'520, 1, 10) + bytes(tokens));
    write_text(temporary_ / "g/new.bin", header(20'240'801, 7, 10) + bytes(wide));
    write_text(temporary_ / "raw.bin", bytes(tokens));
    const CorpusOptions options{.tokenizer = tokenizer(), .validation_fraction = 0};
    const std::vector<std::int32_t> want = {268, 1, 2, 3, 268, 4, 5, 268, 6};
    for (const char* file : {"f/old.bin", "g/new.bin", "raw.bin", "f", "g"})
        EXPECT_EQ(all_tokens(build({temporary_ / file}, options), Split::train), want) << file;
    EXPECT_EQ(build({temporary_ / "f", temporary_ / "g"}, options).manifest().duplicates, 3);

    // In a folder a .bin without a header is just binary.
    write_text(temporary_ / "h/x.bin", bytes(tokens));
    write_text(temporary_ / "h/text.txt", "the text");
    EXPECT_EQ(build({temporary_ / "h"}, options).manifest().train.documents, 1);
    // Another tokenizer, no tokenizer, a wrong count.
    const Error other = error_of({temporary_ / "raw.bin"}, {.tokenizer = "ids:200:100"});
    EXPECT_EQ(other.kind, ErrorKind::invalid_input);
    EXPECT_NE(other.message.find("268"), std::string::npos) << other.message;
    EXPECT_NE(error_of({temporary_ / "raw.bin"}, {}).message.find("--tokenizer"), std::string::npos);
    EXPECT_NE(error_of({temporary_ / "h/text.txt"}, {.tokenizer = "ids:200:100"}).message.find("is text"),
              std::string::npos);
    write_text(temporary_ / "short.bin", header(20'240'520, 1, 11) + bytes(tokens));
    EXPECT_NE(error_of({temporary_ / "short.bin"}, options).message.find("its header says 11"),
              std::string::npos);
}

TEST_F(CorpusTokenizerTest, BadInputIsSaidAtOnce) {
    write_text(temporary_ / "x.parquet", "PAR1");
    EXPECT_NE(error_of({temporary_ / "x.parquet"}, {}).message.find("JSONL"), std::string::npos);
    write_text(temporary_ / "a.txt", "the text");
    EXPECT_EQ(error_of({temporary_ / "a.txt"}, {.tokenizer = temporary_ / "none.json"}).kind,
              ErrorKind::not_found);
    Json json = tiny_tokenizer_json();
    json["added_tokens"] = Json::array();
    write_text(temporary_ / "plain.json", json.dump());
    const Error plain = error_of({temporary_ / "a.txt"}, {.tokenizer = temporary_ / "plain.json"});
    EXPECT_NE(plain.message.find("--bos"), std::string::npos) << plain.message;
    EXPECT_FALSE(fs::exists(out())) << "before anything is written";
    EXPECT_EQ(build({temporary_ / "a.txt"},
                    {.tokenizer = temporary_ / "plain.json", .tokenizer_options = {.bos = "the"}})
                  .manifest()
                  .tokenizer.bos,
              257);
}

TEST_F(CorpusTokenizerTest, PoolsAreMixedByTokens) {
    Random random(2, "pools");
    for (int i = 0; i < 40; ++i)
        write_text(temporary_ / ("a/s" + std::to_string(i)), "s" + some_words(random, 20));
    for (int i = 0; i < 6; ++i)
        write_text(temporary_ / ("a/l" + std::to_string(i)), "l" + some_words(random, 2'000));
    const Corpus corpus = build({temporary_ / "a"}, {.validation_fraction = 0, .long_bytes = 2'000});
    EXPECT_EQ(corpus.manifest().train.long_documents, 6);
    std::vector<bool> is_long(static_cast<std::size_t>(corpus.tokens(Split::train)));
    for (const DocumentEntry& document : corpus.documents(Split::train))
        for (std::uint64_t i = 0; i < document.tokens; ++i)
            is_long[document.offset + i] = document.in_long_pool != 0;
    const std::vector<std::int32_t> all = all_tokens(corpus, Split::train);
    ParameterValues values;
    values.set("pools", std::string("mixed"));
    for (const double share : {0.5, 0.25, 1.0, 0.0}) {
        values.set("long_share", share);
        const auto data = source(64, 8, values);
        ASSERT_TRUE(data.has_value()) << describe(data.error());
        int from_long = 0;
        std::map<std::vector<std::int32_t>, int> seen;
        for (int step = 0; step < 5; ++step) {
            const Batch batch = (*data)->batch(Step(step), 0, 8).value();
            for (std::ptrdiff_t b = 0; b < 8; ++b) {
                const auto begin = batch.tokens_BT.begin() + b * 64;
                // Long documents open with BOS l, short ones with BOS s; inside a long one there is neither.
                std::vector<std::int32_t> opening;
                for (auto at = begin; at + 1 != begin + 64; ++at)
                    if (*at == byte_bos) opening.push_back(*(at + 1));
                const bool is_short = std::count(opening.begin(), opening.end(), 's') > 0;
                const bool has_long = std::count(opening.begin(), opening.end(), 'l') > 0;
                EXPECT_FALSE(is_short && has_long) << "pools are rows of their own";
                if (!is_short && std::search(all.begin(), all.end(), begin, begin + 64) != all.end()) {
                    const auto at = std::search(all.begin(), all.end(), begin, begin + 64) - all.begin();
                    from_long += is_long[static_cast<std::size_t>(at)] ? 1 : 0;
                } else if (has_long) {
                    ++from_long;
                }
            }
        }
        EXPECT_NEAR(from_long, share * 40, 1.01) << share;
    }
    values.set("pools", std::string("all"));
    EXPECT_EQ(source(64, 8, values).error().kind, ErrorKind::invalid_input) << "a share without pools";
}

TEST_F(CorpusTokenizerTest, KeyTokensBeyondTheContextAreSaid) {
    documents(30, 60);
    const Corpus corpus = build({temporary_ / "a"}, {.validation_fraction = 0.1});
    KeyTokens keys;
    keys.tokenizer = corpus.tokenizer().value()->info();
    keys.rule = {.context = 64, .short_context = 16, .advance = 8, .fewest = 1};
    keys.samples = {{.text = std::string(64, 'x'), .spans = {{20, 21}, {50, 51}}}};
    ASSERT_TRUE(write_key_tokens(temporary_ / "keys.json", keys));
    ParameterValues values;
    values.set("key_tokens", temporary_ / "keys.json");
    const auto whole = source(64, 1, values);
    ASSERT_TRUE(whole) << describe(whole.error());
    EXPECT_TRUE((*whole)->notes().empty());
    const std::vector<std::string> notes = source(32, 1, values).value()->notes();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("1 texts of the key tokens are longer than the context of 32 tokens"),
              std::string::npos)
        << notes[0];
    EXPECT_NE(notes[0].find("1 places"), std::string::npos) << notes[0];
}

TEST_F(CorpusTokenizerTest, WhatCannotTrainIsRefusedWithAllReasons) {
    documents(30, 60);
    const Corpus corpus = build({temporary_ / "a"}, {.validation_fraction = 0.1, .long_bytes = 1 << 20});
    const Error batch = source(128, 10'000).error();
    EXPECT_EQ(batch.kind, ErrorKind::invalid_input);
    EXPECT_NE(batch.message.find("training.batch: must be at most"), std::string::npos) << batch.message;
    EXPECT_NE(source(1 << 20, 1).error().message.find("training.context"), std::string::npos);
    ParameterValues mixed;
    mixed.set("pools", std::string("mixed"));
    const Error pools = source(64, 2, mixed).error();
    EXPECT_NE(pools.message.find("0 tokens of long documents"), std::string::npos) << pools.message;
    // Not wrong, but worth knowing.
    EXPECT_TRUE(source(32, 1).value()->notes().empty());
    const std::vector<std::string> notes = source(1'024, 1).value()->notes();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("No document is as long as the context of 1024 tokens"), std::string::npos)
        << notes[0];
    write_text(temporary_ / "one.txt", read_text(temporary_ / "a/1.txt") + read_text(temporary_ / "a/2.txt"));
    build({temporary_ / "one.txt"}, {});
    EXPECT_NE(source(16, 1).value()->notes().at(0).find("one document"), std::string::npos);
}

TEST_F(CorpusTokenizerTest, DocumentStartsAreThoseOfTheDocuments) {
    const std::vector<std::int32_t> tokens = {5, 9, 1, 2, 9, 3, /* next sequence */ 9, 9, 4, 4, 4, 9};
    std::vector<std::int32_t> starts(tokens.size());
    document_starts(tokens, 6, 9, starts);
    EXPECT_EQ(starts, (std::vector<std::int32_t>{0, 1, 1, 1, 4, 4, 0, 1, 1, 1, 1, 5}));
    document_starts(tokens, 6, -1, starts);
    EXPECT_EQ(starts, std::vector<std::int32_t>(12, 0));
    documents(30, 60);
    build({temporary_ / "a"}, {});
    EXPECT_EQ(source(32, 1).value()->document_token(), byte_bos);
}

TEST_F(CorpusTokenizerTest, ACorpusOfTheFirstSchemaIsRead) {
    documents(30, 400);
    const Corpus now = build({temporary_ / "a"}, {.long_bytes = 500});
    const auto before = source(32, 2).value();
    const Batch batch = before->batch(Step(3), 0, 2).value();
    Json json = Json::parse(read_text(out() + "/manifest.json"));
    json["schema_version"] = 1;
    json["tokenizer"] = "byte";
    json["vocab"] = 260;
    write_text(out() + "/manifest.json", json.dump());
    std::string index = read_text(out() + "/documents.bin");
    for (std::size_t at = 30; at < index.size(); at += 32)
        index[at] = index[at + 1] = 0;  // no such flag then
    write_text(out() + "/documents.bin", index);
    const Corpus old = Corpus::open(out()).value();
    for (std::size_t i = 0; i < old.documents(Split::train).size(); ++i)
        EXPECT_EQ(old.documents(Split::train)[i].in_long_pool, now.documents(Split::train)[i].in_long_pool);
    EXPECT_EQ(source(32, 2).value()->fingerprint(), before->fingerprint()) << "runs on it go on";
    EXPECT_EQ(source(32, 2).value()->batch(Step(3), 0, 2).value(), batch);
}

}  // namespace
}  // namespace braid
