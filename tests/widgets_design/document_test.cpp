#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <algorithm>
#include <random>

#include "core/spec/edit.h"
#include "core/spec/validate.h"
#include "tests/widgets_design/design_fixture.h"

namespace braid::ui {
namespace {

std::vector<LayerId> ids(const SpecDocument& document, std::initializer_list<std::size_t> rows) {
    std::vector<LayerId> result;
    for (const std::size_t row : rows) {
        result.push_back(document.spec().layers[row].id);
    }
    return result;
}

TEST(Document, TextAndLayersAreTwoViewsOfOneModel) {
    const auto document = document_of("FS");
    EXPECT_EQ(document->pattern(), QStringLiteral("FS x5"));
    document->setPattern(QStringLiteral("FSSS"));
    EXPECT_EQ(letters(document->spec()), QStringLiteral("FSSSFSSSFS"));
    document->insertLayer(1, "full");
    EXPECT_EQ(letters(document->spec()), QStringLiteral("FFSSSFSSSFS"));
    const Checked<Pattern> back = parse_pattern(document->pattern().toStdString(), builtin_mixers());
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(letters(instantiate(*back, *find_scale("S1"))), QStringLiteral("FFSSSFSSSFS"));
    document->undoStack()->undo();
    EXPECT_EQ(document->pattern(), QStringLiteral("FSSS"));
    document->undoStack()->undo();
    EXPECT_EQ(document->pattern(), QStringLiteral("FS x5"));
    EXPECT_TRUE(document->isClean());
}

TEST(Document, DepthOfAPatternWithoutACountIsNotLostWhileTyping) {
    const auto document = document_of("FS");
    document->setPattern(QStringLiteral("FS x2"));
    EXPECT_EQ(document->spec().layers.size(), 4u);
    document->setPattern(QStringLiteral("FS"));
    EXPECT_EQ(document->spec().layers.size(), 10u);
}

TEST(Document, WrongTextKeepsTheLayersAndSaysWhere) {
    const auto document = document_of("FS");
    const ArchitectureSpec before = document->spec();
    document->setPattern(QStringLiteral("FS[w=16 x5"));
    EXPECT_EQ(document->spec(), before);
    EXPECT_FALSE(document->patternReadable());
    ASSERT_FALSE(document->problems().empty());
    const DesignProblem& problem = document->problems().front();
    EXPECT_TRUE(problem.in_text);
    ASSERT_TRUE(problem.range.has_value());
    EXPECT_TRUE(problem.text().startsWith(QStringLiteral("Column %1: ").arg(problem.range->begin + 1)))
        << problem.text().toStdString();
    // An edit of the layers still works and writes the text anew; undo brings the wrong text back.
    document->insertLayer(0, "swa");
    EXPECT_TRUE(document->patternReadable());
    EXPECT_EQ(document->spec().layers.size(), 11u);
    document->undoStack()->undo();
    EXPECT_EQ(document->pattern(), QStringLiteral("FS[w=16 x5"));
    EXPECT_EQ(document->spec(), before);
    document->undoStack()->undo();
    EXPECT_EQ(document->pattern(), QStringLiteral("FS x5"));
}

TEST(Document, AValueOutOfRangeMarksItsLayerAndItsColumns) {
    const auto document = document_of("F", "S1");
    document->setPattern(QStringLiteral("FSSS x2 {F:2 S:4}SS[w=0]S"));
    EXPECT_TRUE(document->patternReadable());
    ASSERT_EQ(document->spec().layers.size(), 12u);
    ASSERT_EQ(document->problems().size(), 1u);
    const DesignProblem& problem = document->problems().front();
    EXPECT_EQ(problem.layer, 10u);
    EXPECT_EQ(problem.rowText(), QStringLiteral("window: must be at least 1, got 0"));
    DesignProblem other = problem;
    other.diagnostic.found = "-3";
    EXPECT_EQ(other.rowText(), QStringLiteral("window: must be at least 1, got \u22123")) << "a true minus";
    other.diagnostic.found = "window-16";
    EXPECT_EQ(other.rowText(), QStringLiteral("window: must be at least 1, got window-16"));
    EXPECT_EQ(problem.text(), QStringLiteral("Column 21: window must be at least 1, got 0"));
    ASSERT_TRUE(problem.range.has_value());
    EXPECT_EQ(document->pattern().mid(problem.range->begin, problem.range->length), QStringLiteral("w=0"));
    // The others are still priced.
    EXPECT_TRUE(document->cost().known);
    EXPECT_EQ(document->cost().left_out, std::vector<std::size_t>{10});
    EXPECT_EQ(document->cost().total.layers[10].paper_parameters, 0);
    EXPECT_EQ(document->cost().total.layers[9].paper_parameters, 1'499'136);
    EXPECT_EQ(document->cost().total.non_embedding_parameters, 11 * 1'499'136);
}

TEST(Document, ColumnsCountCharactersNotBytes) {
    const auto document = document_of("FS");
    document->setPattern(QStringLiteral("FS ×5 Q"));
    ASSERT_FALSE(document->problems().empty());
    ASSERT_TRUE(document->problems().front().range.has_value());
    EXPECT_EQ(document->problems().front().range->begin, 6);
}

TEST(Document, EditsOfASpinBoxAreOneStep) {
    const auto document = document_of("FS");
    const auto layers = ids(*document, {1, 3});
    for (const std::int64_t window : {129, 130, 131, 132}) {
        document->setParameter(layers, {.mixer = "swa"}, "window", window);
    }
    EXPECT_EQ(document->undoStack()->count(), 1);
    document->endTyping();
    document->setParameter(layers, {.mixer = "swa"}, "window", std::int64_t{256});
    EXPECT_EQ(document->undoStack()->count(), 2);
    document->undoStack()->undo();
    document->undoStack()->undo();
    EXPECT_EQ(document->spec(), spec_of("FS"));
    // There and back again is no step at all.
    document->setParameter(layers, {.mixer = "swa"}, "window", std::int64_t{7});
    document->setParameter(layers, {.mixer = "swa"}, "window", std::int64_t{128});
    EXPECT_TRUE(document->isClean());
    EXPECT_FALSE(document->undoStack()->canUndo());
}

TEST(Document, UndoNamesWhatItUndoes) {
    const auto document = document_of("FS");
    document->setParameter(ids(*document, {3}), {.mixer = "swa"}, "window", std::int64_t{16});
    EXPECT_EQ(document->undoStack()->undoText(), QStringLiteral("Change Window of layer 3"));
    document->removeLayers(ids(*document, {0, 1, 2}));
    EXPECT_EQ(document->undoStack()->undoText(), QStringLiteral("Remove 3 layers"));
}

TEST(Document, HeadsOfAGroupMayBeWrongForAWhile) {
    const auto document = document_of("{F:2 S:4} x2");
    document->setHeads(ids(*document, {0}), 0, SpecDocument::HeadField::heads, 3);
    EXPECT_NE(document->problemOfLayer(0), nullptr);
    EXPECT_EQ(document->problemOfLayer(1), nullptr);
    EXPECT_EQ(document->cost().left_out, std::vector<std::size_t>{0});
    document->setHeads(ids(*document, {0}), 1, SpecDocument::HeadField::heads, 3);
    EXPECT_EQ(document->problems().size(), 0u)
        << document->problems().front().text().toStdString() << " in " << document->pattern().toStdString();
}

TEST(Document, SplittingHeadsGivesAValidLayer) {
    for (const char* scale : {"S1", "S2", "S5"}) {
        const auto document = document_of("F", scale);
        document->splitHeads(ids(*document, {2}), "swa");
        EXPECT_EQ(document->spec().layers[2].groups.size(), 2u);
        EXPECT_TRUE(document->problems().empty()) << scale;
    }
}

TEST(Document, ScaleChangesDepthOnlyWhereThePatternLeavesItOpen) {
    const auto document = document_of("FS");
    document->setScale(*find_scale("S2"));  // "FS x5": the depth is the pattern's
    EXPECT_EQ(document->spec().layers.size(), 10u);
    EXPECT_EQ(document->spec().d_model, 512);
    document->setPattern(QStringLiteral("SSSF"));
    document->setScale(*find_scale("S3"));
    EXPECT_EQ(document->spec().layers.size(), 16u);
    EXPECT_EQ(document->scale(), find_scale("S3"));
    EXPECT_TRUE(document->problems().empty());
    while (document->undoStack()->canUndo()) {
        document->undoStack()->undo();
    }
    EXPECT_EQ(document->spec(), spec_of("FS"));
}

TEST(Document, EveryPresetCanBeUsedAtEveryScale) {
    for (const Scale& scale : scales()) {
        for (const Preset& preset : presets()) {
            const auto document = document_of("F", scale.name);
            document->usePreset(preset);
            EXPECT_TRUE(document->problems().empty()) << preset.name << " at " << scale.name;
            document->undoStack()->undo();
            EXPECT_EQ(document->spec(), spec_of("F", scale.name));
        }
    }
}

TEST(Document, CostFollowsAnEditWithin5msAtAThousandLayers) {
    const auto document = document_of("FSSS x250", "S5");
    ASSERT_EQ(document->spec().layers.size(), 1000u);
    std::vector<double> milliseconds;
    for (int i = 0; i < 21; ++i) {
        const std::vector<LayerId> layer = {document->spec().layers[static_cast<std::size_t>(i * 40 + 1)].id};
        const double before = thread_milliseconds();
        document->setParameter(layer, {.mixer = "swa"}, "window", std::int64_t{500 + i});
        milliseconds.push_back(thread_milliseconds() - before);
        document->endTyping();
        EXPECT_TRUE(document->cost().known);
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    std::printf(
        "edit -> text, problems and cost at 1,000 layers: median %.2f ms, worst %.2f ms; evaluation alone "
        "%.2f ms\n",
        milliseconds[10], milliseconds.back(),
        static_cast<double>(document->lastEvaluationMicroseconds()) / 1000);
    RecordProperty("edit_to_cost_ms", std::to_string(milliseconds[10]));
    EXPECT_LT(milliseconds[10], 5.0);
}

// Random edits of both views: after each, text and layers say the same; undo walks back through exactly the
// states that were there, redo forward again.
TEST(Document, RandomEditsKeepTextAndLayersInAgreementAndUndoExactly) {
    std::mt19937 random(20240607);
    const auto pick = [&](std::size_t below) {
        return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
    };
    const char* texts[] = {"FS x3",
                           "SSSF",
                           "F",
                           "(FS)x2 F[nope]",
                           "S[w=0] F x2",
                           "FS[w=",
                           "",
                           "{F:2 S:4} x3",
                           "S[w=16,base=5e5]F x2",
                           "Q",
                           "F[nosink]S x4",
                           "FSx"};
    for (int round = 0; round < 12; ++round) {
        const auto document = document_of("FS");
        std::vector<DesignState> states = {document->state()};
        for (int edit = 0; edit < 40; ++edit) {
            const std::size_t layers = document->spec().layers.size();
            std::vector<LayerId> some;
            for (std::size_t i = 0; i < std::min<std::size_t>(layers, 1 + pick(3)); ++i) {
                some.push_back(document->spec().layers[pick(layers)].id);
            }
            switch (pick(10)) {
                case 0:
                    document->setPattern(QString::fromUtf8(texts[pick(std::size(texts))]));
                    break;
                case 1:
                    document->insertLayer(pick(layers + 1), pick(2) != 0 ? "full" : "swa");
                    break;
                case 2:
                    document->moveLayers(some, pick(layers + 1));
                    break;
                case 3:
                    document->duplicateLayers(some);
                    break;
                case 4:
                    if (layers > 3) {
                        document->removeLayers(some);
                    }
                    break;
                case 5:
                    document->setMixer(some, pick(2) != 0 ? "full" : "swa");
                    break;
                case 6:
                    document->setParameter(some, {.mixer = "swa"}, "window",
                                           static_cast<std::int64_t>(pick(5)) * 64);
                    break;
                case 7:
                    document->setParameter(some, {.mixer = "full"}, "position",
                                           std::string(pick(2) != 0 ? "rope" : "nope"));
                    break;
                case 8:
                    document->splitHeads(some, "swa");
                    break;
                default:
                    document->setScale(scales()[pick(scales().size())]);
                    break;
            }
            document->endTyping();
            if (!(document->state() == states.back())) {
                states.push_back(document->state());
            }
            ASSERT_EQ(document->undoStack()->index(), static_cast<int>(states.size()) - 1);
            if (document->patternReadable() && validate(document->spec(), builtin_mixers()).empty()) {
                const Checked<Pattern> pattern =
                    parse_pattern(document->pattern().toStdString(), builtin_mixers());
                ASSERT_TRUE(pattern.has_value()) << document->pattern().toStdString();
                const ArchitectureSpec again =
                    instantiate(*pattern, document->spec(), document->state().depth);
                ASSERT_EQ(again.layers.size(), document->spec().layers.size())
                    << document->pattern().toStdString();
                for (std::size_t i = 0; i < again.layers.size(); ++i) {
                    ASSERT_EQ(normalised(again, builtin_mixers()).layers[i].groups,
                              normalised(document->spec(), builtin_mixers()).layers[i].groups)
                        << i << " of " << document->pattern().toStdString();
                }
            }
            std::vector<LayerId> seen;
            for (const LayerSpec& layer : document->spec().layers) {
                seen.push_back(layer.id);
            }
            std::sort(seen.begin(), seen.end());
            ASSERT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "two layers with one id";
        }
        for (std::size_t i = states.size(); i-- > 0;) {
            ASSERT_TRUE(document->state() == states[i]) << "undo to state " << i;
            if (i > 0) {
                document->undoStack()->undo();
            }
        }
        EXPECT_TRUE(document->isClean());
        for (std::size_t i = 0; i < states.size(); ++i) {
            ASSERT_TRUE(document->state() == states[i]) << "redo to state " << i;
            if (i + 1 < states.size()) {
                document->undoStack()->redo();
            }
        }
    }
}

}  // namespace
}  // namespace braid::ui
