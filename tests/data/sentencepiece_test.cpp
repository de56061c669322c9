#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/base/random.h"
#include "core/data/tokenizer/sentence_sample.h"
#include "core/data/tokenizer/sentencepiece_model.h"
#include "core/data/tokenizer/sentencepiece_train.h"
#include "tests/base/temporary_folder.h"
#include "tests/data/tiny_tokenizer.h"

namespace braid {
namespace {

std::string some_text(std::size_t words) {
    Random random(5, "text");
    std::vector<std::string> list;
    for (int i = 0; i < 300; ++i) {
        std::string word;
        for (std::uint64_t n = 2 + random.below(7); n > 0; --n)
            word += "abcdefghilmnoprstu"[random.below(18)];
        list.push_back(word + (i % 17 == 0 ? "\xC3\xBC" : ""));
    }
    std::string text;
    for (std::size_t i = 0; i < words; ++i)
        text += list[random.below(1 + random.below(list.size()))] + (i % 11 == 10 ? ".\n\n" : " ");
    return text;
}

class SentencePieceTest : public ::testing::Test {
protected:
    SentencePieceTest() { write_text(folder_ / "text.txt", some_text(8'000)); }
    Result<TokenizerInfo> train(const std::string& out, SentencePieceTraining training = {.vocab = 400}) {
        return train_sentencepiece({folder_ / "text.txt"}, folder_ / out, training);
    }
    TemporaryFolder folder_;
};

TEST_F(SentencePieceTest, TrainsLosslessModelsTheSameEachTime) {
    for (const char* kind : {"unigram", "bpe"}) {
        const std::string name = std::string(kind) + ".model";
        std::vector<std::string> stages;
        double last = 0;
        const Result<TokenizerInfo> info =
            train_sentencepiece({folder_ / "text.txt"}, folder_ / name, {.kind = kind, .vocab = 400},
                                [&](const SentencePieceProgress& now) {
                                    EXPECT_GE(now.fraction, last);
                                    last = now.fraction;
                                });
        ASSERT_TRUE(info.has_value()) << describe(info.error());
        EXPECT_EQ(last, 1);
        EXPECT_EQ(info->vocab, 400);
        EXPECT_EQ(info->bos, 1);
        EXPECT_EQ(info->eos, 2);
        EXPECT_EQ(info->loss, "");
        ASSERT_TRUE(train("again-" + name, {.kind = kind, .vocab = 400}).has_value());
        EXPECT_EQ(read_text(folder_ / name), read_text(folder_ / ("again-" + name)));
        const auto tokenizer = open_tokenizer(folder_ / name).value();
        for (const std::string& text : hostile_texts()) {
            const Encoding encoding = tokenizer->encode(text);
            EXPECT_EQ(tokenizer->decode(encoding.ids), text) << kind;
            std::uint32_t at = 0;
            for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
                EXPECT_EQ(encoding.spans[i].begin, at);
                at = encoding.spans[i].end;
            }
            EXPECT_EQ(at, text.size());
        }
        const std::string text = some_text(500);
        EXPECT_LT(tokenizer->encode(text).ids.size(), text.size() * 2 / 3) << "it learnt something";
        EXPECT_EQ(tokenizer->encode("</s>", SpecialText::as_tokens).ids, std::vector<std::int32_t>{2});
    }
}

TEST_F(SentencePieceTest, BadInputIsSaidBeforeTheWork) {
    const Error wrong =
        train("x.model", {.kind = "word", .vocab = 5, .sample_bytes = 1, .character_coverage = 2}).error();
    EXPECT_EQ(wrong.kind, ErrorKind::invalid_input);
    EXPECT_EQ(std::count(wrong.message.begin(), wrong.message.end(), '\n'), 3) << wrong.message;
    write_text(folder_ / "there.model", "x");
    EXPECT_EQ(train("there.model").error().kind, ErrorKind::already_exists);
    const Error large = train("large.model", {.vocab = 100'000}).error();
    EXPECT_EQ(large.kind, ErrorKind::invalid_input) << describe(large);
    EXPECT_NE(large.message.find("--vocab: must be at most"), std::string::npos) << large.message;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "large.model"));
    const Error small = train("small.model", {.vocab = 262}).error();
    EXPECT_EQ(small.kind, ErrorKind::invalid_input) << describe(small);
    EXPECT_NE(small.message.find("--vocab: must be at least 2"), std::string::npos) << small.message;
    write_text(folder_ / "empty/empty.txt", "");
    EXPECT_EQ(train_sentencepiece({folder_ / "empty"}, folder_ / "y.model", {}).error().kind,
              ErrorKind::invalid_input);
}

TEST_F(SentencePieceTest, StopsAtOnce) {
    write_text(folder_ / "text.txt", some_text(300'000));
    std::atomic<bool> cancel{false};
    std::chrono::steady_clock::time_point asked;
    bool training = false;
    const Result<TokenizerInfo> info = train_sentencepiece(
        {folder_ / "text.txt"}, folder_ / "x.model", {.kind = "bpe", .vocab = 2'000},
        [&](const SentencePieceProgress& now) {
            if (now.stage != "training" || cancel) return;
            training = true;
            asked = std::chrono::steady_clock::now();
            cancel = true;
        },
        &cancel);
    ASSERT_FALSE(info.has_value());
    EXPECT_EQ(info.error().kind, ErrorKind::interrupted);
    EXPECT_TRUE(training);
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(2));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "x.model"));
}

TEST_F(SentencePieceTest, AModelThatIsCutOffIsRefused) {
    ASSERT_TRUE(train("a.model").has_value());
    const std::string model = read_text(folder_ / "a.model");
    ASSERT_TRUE(is_sentencepiece_model(model));
    Random random(2, "fuzz");
    for (std::size_t size = 1; size < model.size(); size += 61)
        EXPECT_FALSE(read_tokenizer(model.substr(0, size), "a.model").has_value()) << size;
    for (int i = 0; i < 200; ++i) {
        std::string changed = model;
        changed[random.below(changed.size())] = static_cast<char>(random.below(256));
        (void)parse_sentencepiece_model(changed, "a.model");
    }
}

TEST(SentenceSample, DependsOnTheLinesOnly) {
    const std::string text = some_text(20'000);
    SentenceSample whole(20'000);
    whole.add_document(text);
    EXPECT_LE(whole.bytes(), 20'000);
    EXPECT_GT(whole.bytes(), 5'000);
    SentenceSample again(20'000);
    again.add_document(text);
    EXPECT_EQ(whole.sentences(), again.sentences());
    SentenceSample all(1'000'000'000);
    all.add_document("one\n\ntwo\n\xFF\n" + std::string(5'000, 'x'));
    EXPECT_EQ(all.sentences().size(), 4U);
    EXPECT_EQ(all.sentences()[0], "one\n\n");
}

}  // namespace
}  // namespace braid
