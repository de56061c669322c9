#include "core/data/corpus.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "core/base/random.h"
#include "core/data/batch.h"
#include "core/data/permutation.h"
#include "core/data/utf8.h"
#include "core/record/corpus_summary.h"
#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

std::string paragraph(Random& random, std::size_t words) {
    static const std::vector<std::string> list = {"the",     "weaver", "draws", "three",
                                                  "strands", "over",   "and",   "under"};
    std::string text;
    for (std::size_t i = 0; i < words; ++i)
        text += list[random.below(list.size())] + (i % 12 == 11 ? "\n" : " ");
    return text + "\n\n";
}

class CorpusTest : public ::testing::Test {
protected:
    Corpus build(const std::vector<std::string>& sources, CorpusOptions options = {}) {
        const Result<CorpusManifest> manifest = build_corpus(sources, out(), options);
        EXPECT_TRUE(manifest.has_value()) << describe(manifest.error());
        Result<Corpus> corpus = Corpus::open(out());
        EXPECT_TRUE(corpus.has_value()) << describe(corpus.error());
        EXPECT_TRUE(corpus->verify().has_value());
        return *corpus;
    }
    std::string out() const { return temporary_ / "out/corpus"; }
    static std::string text_of(const Corpus& corpus, Split split, const DocumentEntry& document) {
        std::vector<std::int32_t> tokens(document.tokens);
        corpus.read(split, static_cast<std::int64_t>(document.offset), tokens);
        EXPECT_EQ(tokens[0], byte_bos);
        std::string text;
        for (std::size_t i = 1; i < tokens.size(); ++i) text += static_cast<char>(tokens[i]);
        return text;
    }
    static std::multiset<std::string> all_texts(const Corpus& corpus) {
        std::multiset<std::string> texts;
        for (const Split split : {Split::train, Split::validation})
            for (const DocumentEntry& document : corpus.documents(split))
                texts.insert(text_of(corpus, split, document));
        return texts;
    }
    void many_documents(const std::string& folder, int count) {
        Random random(1, "documents");
        for (int i = 0; i < count; ++i)
            write_text(folder + "/" + std::to_string(i) + ".txt", paragraph(random, 40 + random.below(200)));
    }

    TemporaryFolder temporary_;
};

TEST_F(CorpusTest, EveryFormatGivesItsDocumentsByteForByte) {
    const std::string sources = temporary_ / "Quellen mit Ümläut";
    write_text(sources + "/a.txt", "plain text");
    write_text(sources + "/sub/b", "no ending \xC3\xBC");
    write_text(sources + "/c.jsonl",
               "{\"text\": \"first\"}\n\n{\"text\": \"second \\u00fc\", \"id\": 7}\r\n{\"text\": \"last\"}");
    write_text(sources + "/.hidden", "not this");
    write_text(sources + "/picture.png", std::string("\x89PNG\0\0", 6));
    write_text(sources + "/empty.txt", "");
    gzFile packed = gzopen((sources + "/d.txt.gz").c_str(), "wb");
    gzputs(packed, "packed text");
    gzclose(packed);
    write_text(sources + "/words.dict", "headerAAAbbbbCC");
    write_text(sources + "/words.index",
               "00-database-info\tA\tG\nalso a\tG\tD\nb\tJ\tE\nc\tN\tC\nanother a\tG\tD\n");
    const Corpus corpus = build({sources});
    EXPECT_EQ(all_texts(corpus),
              (std::multiset<std::string>{"plain text", "no ending \xC3\xBC", "first", "second \xC3\xBC",
                                          "last", "packed text", "AAA", "bbbb", "CC"}));
    const CorpusManifest& manifest = corpus.manifest();
    EXPECT_EQ(manifest.train.documents + manifest.validation.documents, 9);
    EXPECT_EQ(manifest.tokenizer.vocab, 260);
    std::map<std::string, std::string> notes;
    for (const CorpusFile& file : manifest.files) notes[fs::path(file.path).filename()] = file.note;
    EXPECT_EQ(notes.at("picture.png"), "is binary, left out");
    EXPECT_EQ(notes.at("empty.txt"), "is empty");
    EXPECT_FALSE(notes.contains(".hidden"));
    EXPECT_NE(manifest.command.find("'" + sources + "'"), std::string::npos) << manifest.command;
    EXPECT_FALSE(fs::exists(out() + "/build.json"));
    // What lists show of it.
    const Result<CorpusSummary> summary = read_corpus_summary(out());
    ASSERT_TRUE(summary.has_value()) << describe(summary.error());
    EXPECT_EQ(summary->tokenizer, "byte");
    EXPECT_EQ(summary->vocab, manifest.tokenizer.vocab);
    EXPECT_EQ(summary->train_tokens, manifest.train.tokens);
    EXPECT_EQ(summary->validation_tokens, manifest.validation.tokens);
}

TEST_F(CorpusTest, InvalidUtf8IsKeptAndCounted) {
    const std::string text = "good \xFF bad \xC3 and \xE2\x82 cut";
    write_text(temporary_ / "bad.txt", text);
    const Corpus corpus = build({temporary_ / "bad.txt"}, {.validation_fraction = 0});
    EXPECT_EQ(all_texts(corpus), std::multiset<std::string>{text});
    EXPECT_EQ(corpus.manifest().files[0].invalid_utf8, 4);
}

TEST_F(CorpusTest, LinesWithoutATextAreSkippedAndCounted) {
    write_text(temporary_ / "x.jsonl",
               "{\"text\": \"good\"}\nnot json\n{\"words\": 1}\n{\"text\": 5}\n[1]\n{\"text\": "
               "\"\"}\n{\"text\": \"too\"}");
    const Corpus corpus = build({temporary_ / "x.jsonl"}, {.validation_fraction = 0});
    EXPECT_EQ(corpus.manifest().train.documents, 2);
    EXPECT_EQ(corpus.manifest().files[0].skipped, 5);
    EXPECT_EQ(corpus.manifest().files[0].note, "line 2: not JSON");
}

TEST_F(CorpusTest, ALongTextIsCutAtParagraphs) {
    Random random(2, "long");
    std::string text;
    while (text.size() < 5'000'000) text += paragraph(random, 150);
    write_text(temporary_ / "novel.txt", text);
    const Corpus corpus = build({temporary_ / "novel.txt"}, {.shard_tokens = 700'000});
    const CorpusManifest& manifest = corpus.manifest();
    EXPECT_GE(manifest.train.documents + manifest.validation.documents, 5);
    EXPECT_GT(manifest.validation.tokens, 0) << "one file, and yet something to validate on";
    EXPECT_LT(manifest.validation.tokens, manifest.train.tokens / 2);
    EXPECT_GT(manifest.shards.size(), 6U);
    std::size_t bytes = 0;
    for (const std::string& part : all_texts(corpus)) {
        bytes += part.size();
        EXPECT_LE(part.size(), 1U << 20);
        EXPECT_EQ(part.back(), '\n');
    }
    EXPECT_EQ(bytes, text.size()) << "nothing lost, nothing twice";
}

TEST_F(CorpusTest, ATinyCorpusIsSplitToo) {
    write_text(temporary_ / "one.txt", std::string(5'000, 'a') + "\n" + std::string(5'000, 'b') + "\n");
    const Corpus corpus = build({temporary_ / "one.txt"}, {.validation_fraction = 0.3});
    ASSERT_EQ(corpus.documents(Split::train).size(), 1U);
    ASSERT_EQ(corpus.documents(Split::validation).size(), 1U);
    const std::string train = text_of(corpus, Split::train, corpus.documents(Split::train)[0]);
    const std::string validation = text_of(corpus, Split::validation, corpus.documents(Split::validation)[0]);
    EXPECT_EQ(train + validation, read_text(temporary_ / "one.txt"));
    EXPECT_NEAR(static_cast<double>(validation.size()), 3'000, 1'100);
}

TEST_F(CorpusTest, TheSplitIsByContentAndDuplicatesGoOnce) {
    many_documents(temporary_ / "a", 400);
    write_text(temporary_ / "a/copy.txt", read_text(temporary_ / "a/7.txt"));
    const Corpus first = build({temporary_ / "a"}, {.validation_fraction = 0.1});
    EXPECT_EQ(first.manifest().duplicates, 1);
    EXPECT_NEAR(static_cast<double>(first.manifest().validation.documents), 40, 30);
    std::set<std::uint64_t> held_out;
    for (const DocumentEntry& document : first.documents(Split::validation)) held_out.insert(document.hash);
    // More documents, other names, another order: what was held out stays so.
    fs::remove_all(out());
    fs::rename(temporary_ / "a", temporary_ / "z");
    write_text(temporary_ / "b/new.txt", "a new document");
    const Corpus second = build({temporary_ / "b", temporary_ / "z"}, {.validation_fraction = 0.1});
    std::set<std::uint64_t> again;
    for (const DocumentEntry& document : second.documents(Split::validation)) again.insert(document.hash);
    EXPECT_TRUE(std::includes(again.begin(), again.end(), held_out.begin(), held_out.end()));
}

TEST_F(CorpusTest, WrongSourcesAreAllListed) {
    const auto wrong = build_corpus({temporary_ / "nothing", temporary_ / "neither", "recipe:poems"}, out(),
                                    {.validation_fraction = 2});
    ASSERT_FALSE(wrong.has_value());
    EXPECT_EQ(wrong.error().kind, ErrorKind::invalid_input);
    EXPECT_EQ(std::count(wrong.error().message.begin(), wrong.error().message.end(), '\n'), 3)
        << wrong.error().message;
    EXPECT_FALSE(fs::exists(out()));
    write_text(temporary_ / "empty.txt", "");
    const auto empty = build_corpus({temporary_ / "empty.txt"}, out(), {});
    ASSERT_FALSE(empty.has_value());
    EXPECT_EQ(empty.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(empty.error().message.find("is empty"), std::string::npos);
}

TEST_F(CorpusTest, ADamagedArchiveIsLeftOutAndNamed) {
    many_documents(temporary_ / "a", 5);
    gzFile packed = gzopen((temporary_ / "a/x.txt.gz").c_str(), "wb");
    Random random(3, "noise");
    for (int i = 0; i < 20'000; ++i) gzprintf(packed, "%llx", static_cast<unsigned long long>(random.next()));
    gzclose(packed);
    fs::resize_file(temporary_ / "a/x.txt.gz", fs::file_size(temporary_ / "a/x.txt.gz") / 2);
    const Corpus corpus = build({temporary_ / "a"});
    EXPECT_EQ(corpus.manifest().files.back().note, "left out: the compressed file is cut off");
    EXPECT_EQ(all_texts(corpus).size(), 5U + (corpus.manifest().validation.documents > 1 ? 0U : 1U))
        << "five documents, the last of them cut for validation";
}

TEST_F(CorpusTest, AnInterruptedBuildGoesOnToTheSameResult) {
    many_documents(temporary_ / "a", 60);
    Random random(4, "big");
    std::string big;
    while (big.size() < 3'000'000) big += paragraph(random, 150);
    write_text(temporary_ / "a/zz.txt", big);
    const CorpusOptions options{.validation_fraction = 0.2, .shard_tokens = 100'000};
    const Corpus straight = build({temporary_ / "a"}, options);
    const std::string hash = straight.manifest().hash;
    const std::string index = read_text(out() + "/documents.bin");
    fs::remove_all(out());

    int stops = 0;
    for (int round = 0; round < 100; ++round) {
        std::atomic<bool> cancel{false};
        std::int64_t at_start = -1;
        const auto stop_after_some = [&](const CorpusProgress& progress) {
            if (at_start < 0) at_start = progress.files_done;
            if (progress.files_done >= at_start + 7) cancel = true;
        };
        const auto built = build_corpus({temporary_ / "a"}, out(), options, stop_after_some, &cancel);
        if (built) break;
        ASSERT_EQ(built.error().kind, ErrorKind::interrupted) << describe(built.error());
        EXPECT_FALSE(Corpus::open(out()).has_value()) << "unfinished";
        // As if a crash had left more than the last safe point.
        std::string last = out() + "/train-00000.bin";
        for (const fs::directory_entry& entry : fs::directory_iterator(out()))
            if (entry.path().filename().string().starts_with("train-"))
                last = std::max(last, entry.path().string());
        std::ofstream(last, std::ios::app | std::ios::binary) << "garbage";
        std::ofstream(out() + "/documents.bin", std::ios::app | std::ios::binary) << "garbage";
        ++stops;
    }
    EXPECT_GE(stops, 4);
    const Corpus resumed = Corpus::open(out()).value();
    EXPECT_TRUE(resumed.verify().has_value());
    EXPECT_EQ(resumed.manifest().hash, hash);
    EXPECT_EQ(read_text(out() + "/documents.bin"), index);
    EXPECT_EQ(resumed.manifest().files.size(), 61U);
}

TEST_F(CorpusTest, AnotherBuildInTheFolderIsNotTouched) {
    many_documents(temporary_ / "a", 20);
    std::atomic<bool> cancel{true};
    EXPECT_EQ(build_corpus({temporary_ / "a"}, out(), {}, {}, &cancel).error().kind, ErrorKind::interrupted);
    const std::string state = read_text(out() + "/build.json");
    EXPECT_EQ(build_corpus({temporary_ / "a/1.txt"}, out(), {}).error().kind, ErrorKind::already_exists);
    EXPECT_EQ(read_text(out() + "/build.json"), state);
    build({temporary_ / "a"});
    EXPECT_EQ(build_corpus({temporary_ / "a"}, out(), {}).error().kind, ErrorKind::already_exists);
    write_text(temporary_ / "thesis/chapter.tex", "x");
    EXPECT_EQ(build_corpus({temporary_ / "a"}, temporary_ / "thesis", {}).error().kind,
              ErrorKind::already_exists);
}

TEST_F(CorpusTest, ACorpusInsideItsSourceDoesNotReadItself) {
    many_documents(temporary_ / "a", 5);
    ASSERT_TRUE(build_corpus({temporary_ / "a"}, temporary_ / "a/corpus", {}).has_value());
    EXPECT_EQ(Corpus::open(temporary_ / "a/corpus")->manifest().files.size(), 5U);
}

TEST_F(CorpusTest, DamageIsFoundAgainstTheManifest) {
    many_documents(temporary_ / "a", 50);
    build({temporary_ / "a"});
    const std::string shard = out() + "/train-00000.bin";
    const std::string good = read_text(shard);
    fs::resize_file(shard, good.size() - 2);
    EXPECT_EQ(Corpus::open(out()).error().kind, ErrorKind::corrupt);
    EXPECT_EQ(Corpus::open(out()).error().path, shard);
    std::string changed = good;
    changed[100] = static_cast<char>(changed[100] ^ 1);
    write_text(shard, changed);
    ASSERT_TRUE(Corpus::open(out()).has_value()) << "opening compares sizes";
    EXPECT_EQ(Corpus::open(out())->verify().error().kind, ErrorKind::corrupt) << "verify compares hashes";
    fs::remove(shard);
    EXPECT_EQ(Corpus::open(out()).error().kind, ErrorKind::not_found);
    write_text(shard, good);
    fs::resize_file(out() + "/documents.bin", 32);
    EXPECT_EQ(Corpus::open(out()).error().kind, ErrorKind::corrupt);
    write_text(out() + "/manifest.json", R"({"schema_version": 9})");
    EXPECT_NE(Corpus::open(out()).error().message.find("newer Braid"), std::string::npos);
    EXPECT_EQ(Corpus::open(temporary_ / "a").error().kind, ErrorKind::not_found);
}

TEST_F(CorpusTest, AFullDiskIsSaidAndTheBuildGoesOnLater) {
    many_documents(temporary_ / "a", 400);
    struct rlimit before {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small { 100'000, before.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto full = build_corpus({temporary_ / "a"}, out(), {.validation_fraction = 0});
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, old_handler);
    ASSERT_FALSE(full.has_value());
    const Corpus corpus = build({temporary_ / "a"}, {.validation_fraction = 0});
    EXPECT_EQ(corpus.manifest().train.documents, 400);
}

TEST_F(CorpusTest, MemoryDoesNotGrowWithTheFile) {
    Random random(5, "large");
    {
        std::ofstream file(temporary_ / "large.txt", std::ios::binary);
        for (int i = 0; i < 96; ++i) {
            std::string block;
            while (block.size() < (1U << 20)) block += paragraph(random, 300);
            file << block;
        }
    }
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    const long before_kib = usage.ru_maxrss;
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(build_corpus({temporary_ / "large.txt"}, out(), {}).has_value());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ::getrusage(RUSAGE_SELF, &usage);
    // The shards are mapped for hashing; those pages are the file system's, but count as resident.
    const long shards_kib = 2 * 97 * 1024;
    std::printf("96 MiB of text in %.1f s (%.0f MB/s); peak memory grew by %ld MiB, mapped shards included\n",
                seconds, 100.7 / seconds, (usage.ru_maxrss - before_kib) / 1024);
    EXPECT_LT(usage.ru_maxrss - before_kib, shards_kib + 32 * 1024);
}

// Packing.
class PackingTest : public CorpusTest {
protected:
    std::unique_ptr<DataSource> source(std::int64_t context, std::uint64_t seed = 1, std::int64_t batch = 4) {
        TrainingSpec training;
        training.context = context;
        training.batch = batch;
        training.seed = seed;
        DataSpec data;
        data.kind = "corpus";
        data.corpus = "out/corpus";
        Result<std::unique_ptr<DataSource>> made = make_data_source(data, training, temporary_.path());
        EXPECT_TRUE(made.has_value()) << describe(made.error());
        return made ? std::move(*made) : nullptr;
    }
};

TEST_F(PackingTest, AnEpochVisitsNearlyEveryTokenOnce) {
    many_documents(temporary_ / "a", 100);
    const Corpus corpus = build({temporary_ / "a"});
    const std::int64_t context = 64;
    const auto data = source(context);
    std::vector<std::int32_t> all(static_cast<std::size_t>(corpus.tokens(Split::train)));
    corpus.read(Split::train, 0, all);
    const std::int64_t pieces = (corpus.tokens(Split::train) - 1) / context - 1;
    const std::int64_t steps = pieces / 4;
    std::map<std::vector<std::int32_t>, int> seen;
    for (std::int64_t step = 0; step < steps; ++step) {
        const Batch batch = data->batch(Step(step), 0, 4).value();
        for (std::size_t at = 0; at < batch.tokens_BT.size(); ++at)
            if ((at + 1) % context != 0) {
                ASSERT_EQ(batch.targets_BT[at], batch.tokens_BT[at + 1]);
            }
        for (std::ptrdiff_t b = 0; b < 4; ++b) {
            const auto begin = batch.tokens_BT.begin() + b * context;
            EXPECT_EQ(++seen[std::vector<std::int32_t>(begin, begin + context)], 1);
            EXPECT_NE(std::search(all.begin(), all.end(), begin, begin + context), all.end());
        }
    }
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), steps * 4);
}

TEST_F(PackingTest, BatchesAreAFunctionOfSeedStepAndPlace) {
    many_documents(temporary_ / "a", 100);
    build({temporary_ / "a"});
    const Batch whole = source(32)->batch(Step(11), 0, 4).value();
    const Batch part = source(32)->batch(Step(11), 2, 2).value();
    EXPECT_TRUE(std::equal(part.tokens_BT.begin(), part.tokens_BT.end(), whole.tokens_BT.begin() + 64));
    EXPECT_NE(source(32, 2)->batch(Step(11), 0, 4).value(), whole);
    EXPECT_NE(source(32)->batch(Step(12), 0, 4).value(), whole);
    EXPECT_EQ(source(32)->vocab(), 260);
    // A later epoch has another order.
    const Batch far = source(32)->batch(Step(1'000'000), 0, 4).value();
    EXPECT_EQ(far.tokens_BT.size(), 128U);
}

TEST_F(PackingTest, EvaluationReadsTheValidationSplit) {
    many_documents(temporary_ / "a", 200);
    const Corpus corpus = build({temporary_ / "a"}, {.validation_fraction = 0.3});
    const EvaluationSet set = source(64)->evaluation().value();
    EXPECT_EQ(set.loss_metric, "eval/loss");
    EXPECT_TRUE(set.queries.empty());
    EXPECT_EQ(set.batch.sequences, std::min<std::int64_t>(65'536, corpus.tokens(Split::validation) - 1) / 64);
    std::vector<std::int32_t> all(static_cast<std::size_t>(corpus.tokens(Split::validation)));
    corpus.read(Split::validation, 0, all);
    EXPECT_NE(
        std::search(all.begin(), all.end(), set.batch.tokens_BT.begin(), set.batch.tokens_BT.begin() + 64),
        all.end());
}

TEST_F(PackingTest, AShortValidationSplitIsPadded) {
    write_text(temporary_ / "a/one.txt", std::string(2'000, 'a'));
    const Corpus corpus = build({temporary_ / "a"}, {.validation_fraction = 0.1});
    const EvaluationSet set = source(512, 1, 1)->evaluation().value();
    EXPECT_EQ(set.batch.sequences, 1);
    EXPECT_EQ(set.batch.tokens_BT.size(), 512U);
    EXPECT_EQ(std::count(set.batch.targets_BT.begin(), set.batch.targets_BT.end(), no_target),
              512 - (corpus.tokens(Split::validation) - 1));
}

TEST_F(PackingTest, ACorpusShorterThanTheContextIsRefused) {
    write_text(temporary_ / "a/one.txt", "short");
    build({temporary_ / "a"});
    TrainingSpec training;
    training.context = 1024;
    DataSpec data;
    data.kind = "corpus";
    data.corpus = out();
    EXPECT_EQ(make_data_source(data, training).error().kind, ErrorKind::invalid_input);
    data.corpus = "";
    EXPECT_EQ(validate(data, training)[0].path, "data.corpus");
    data.corpus = temporary_ / "none";
    EXPECT_EQ(make_data_source(data, training).error().kind, ErrorKind::not_found);
}

TEST(Permutation, IsOne) {
    for (const std::uint64_t n : {1ULL, 2ULL, 3ULL, 7ULL, 64ULL, 1'000ULL, 4'097ULL}) {
        const Permutation order(n, 1, 2, 3);
        std::set<std::uint64_t> images;
        std::uint64_t in_place = 0;
        for (std::uint64_t i = 0; i < n; ++i) {
            images.insert(order(i));
            in_place += order(i) == i ? 1U : 0U;
        }
        EXPECT_EQ(images.size(), n);
        EXPECT_EQ(*images.rbegin(), n - 1);
        if (n > 100) {
            EXPECT_LT(in_place, 12U);
        }
    }
    EXPECT_NE(Permutation(1'000, 1, 2, 3)(5), Permutation(1'000, 1, 2, 4)(5));
}

TEST(Utf8, CountsWhatIsNotWellFormed) {
    EXPECT_EQ(count_invalid_utf8("plain"), 0);
    EXPECT_EQ(count_invalid_utf8(
                  "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80 long enough to take the fast way"),
              0);
    EXPECT_EQ(count_invalid_utf8("\xC0\x80"), 2) << "overlong";
    EXPECT_EQ(count_invalid_utf8("\xED\xA0\x80"), 3) << "surrogate";
    EXPECT_EQ(count_invalid_utf8("\xF4\x90\x80\x80"), 4) << "above U+10FFFF";
    EXPECT_EQ(count_invalid_utf8("12345678\xC3"), 1);
    EXPECT_EQ(utf8_boundary("ab\xE2\x82\xAC", 4), 2U);
    EXPECT_EQ(utf8_boundary("ab\xE2\x82\xAC", 5), 5U);
}

}  // namespace
}  // namespace braid
