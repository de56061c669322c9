// The Train dialog: data of every kind, phases, where it starts from, the paper's recipe; problems at fields.
#include "widgets/design/train_dialog.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include "core/spec/paper_recipe.h"
#include "core/spec/task_kind.h"
#include "tests/widgets_design/design_window.h"
#include "widgets/common/field.h"
#include "widgets/common/parameter_editor.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/segments.h"
#include "widgets/design/data_form.h"
#include "widgets/design/origin_form.h"
#include "widgets/design/phases_form.h"

namespace braid::ui {
namespace {

TrainDialog* open_dialog(DesignWindow& window) {
    QTest::mouseClick(window.workspace->trainButton(), Qt::LeftButton);
    return window.page().findChild<TrainDialog*>();
}

void choose(DataForm& form, const std::string& kind) {
    const int index = form.kinds()->findData(QString::fromStdString(kind));
    ASSERT_GE(index, 0) << kind;
    form.kinds()->setCurrentIndex(index);
    Q_EMIT form.kinds()->activated(index);
}

TEST(TrainDialog, OffersEveryTaskWithItsParameters) {
    DesignWindow window(Architectures{{"a", "FS x2"}}, "tiny");
    TrainDialog* dialog = open_dialog(window);
    ASSERT_NE(dialog, nullptr);
    DataForm& data = *dialog->dataForm();
    EXPECT_EQ(data.kinds()->count(), int(tasks().size()) + 1);
    for (const TaskKind* task : tasks()) {
        SCOPED_TRACE(task->id);
        choose(data, task->id);
        EXPECT_EQ(dialog->plan().data.kind, task->id);
        for (const ParameterDescription& parameter : task->parameters)
            EXPECT_NE(data.form()->editor(parameter.key), nullptr) << parameter.key;
        EXPECT_EQ(data.vocab(), task->vocab({}));
    }
}

TEST(TrainDialog, SaysAtTheFieldsWhatIsWrong) {
    DesignWindow window(Architectures{{"a", "FS x2"}}, "tiny");
    TrainDialog* dialog = open_dialog(window);
    DataForm& data = *dialog->dataForm();
    // 2 + 32 + 32 + 64 tokens do not fit in a vocabulary of 64.
    choose(data, "niah");
    EXPECT_FALSE(dialog->startButton()->isEnabled());
    EXPECT_TRUE(dialog->problemText().contains(QStringLiteral("vocabulary of at least 130")))
        << dialog->problemText().toStdString();
    Q_EMIT data.form()->changed("filler", ParameterValue(std::int64_t{8}));
    Q_EMIT data.form()->changed("keys", ParameterValue(std::int64_t{16}));
    EXPECT_TRUE(dialog->startButton()->isEnabled()) << dialog->problemText().toStdString();
    Q_EMIT data.form()->changed("asked", ParameterValue(std::int64_t{9}));
    EXPECT_FALSE(dialog->startButton()->isEnabled());
    EXPECT_TRUE(data.form()->editor("asked")->field()->lineEdit()->accessibleDescription().contains(
        QStringLiteral("at most the needles")));
    Q_EMIT data.form()->changed("asked", ParameterValue(std::int64_t{1}));
    Q_EMIT dialog->editor("context")->changed(ParameterValue(std::int64_t{16}));
    Q_EMIT dialog->editor("micro_batches")->changed(ParameterValue(std::int64_t{5}));
    EXPECT_TRUE(dialog->editor("context")->field()->lineEdit()->accessibleDescription().contains(
        QStringLiteral("must be at least")));
    EXPECT_TRUE(dialog->editor("micro_batches")
                    ->field()
                    ->lineEdit()
                    ->accessibleDescription()
                    .contains(QStringLiteral("must divide")));
    EXPECT_EQ(dialog->problemText().count(QLatin1Char('\n')), 1) << dialog->problemText().toStdString();
    // LongCE needs a short context that is shorter.
    Q_EMIT dialog->editor("micro_batches")->changed(ParameterValue(std::int64_t{4}));
    Q_EMIT dialog->editor("context")->changed(ParameterValue(std::int64_t{128}));
    EXPECT_FALSE(dialog->editor("longce_window")->isVisibleTo(dialog));
    Q_EMIT dialog->editor("loss")->changed(ParameterValue(std::string("longce")));
    EXPECT_TRUE(dialog->editor("longce_window")->isVisibleTo(dialog));
    Q_EMIT dialog->editor("longce_window")->changed(ParameterValue(std::int64_t{128}));
    EXPECT_FALSE(dialog->startButton()->isEnabled());
}

TEST(TrainDialog, CorporaOfTheProjectAreOfferedWithTheirFacts) {
    DesignWindow window(Architectures{{"a", "FS x2"}}, "S1");
    const std::string corpus = window.folder.path().toStdString() + "/corpora/mix";
    ASSERT_TRUE(make_folder(corpus).has_value());
    ASSERT_TRUE(
        write_json_atomically(
            corpus + "/manifest.json",
            Json{{"schema_version", 2},
                 {"tokenizer", {{"kind", "bpe"}, {"file", "tokenizer.json"}, {"vocab", 32000}}},
                 {"train",
                  {{"documents", 900}, {"tokens", 1000000}, {"long_documents", 2}, {"long_tokens", 500}}},
                 {"validation", {{"documents", 9}, {"tokens", 9000}}},
                 {"long_bytes", 65536},
                 {"shards", Json::array()}})
            .has_value());
    TrainDialog* dialog = open_dialog(window);
    DataForm& data = *dialog->dataForm();
    ASSERT_TRUE(wait_for([&] { return data.corpora()->count() == 1; }));
    EXPECT_EQ(dialog->plan().data.kind, "corpus");
    EXPECT_EQ(dialog->plan().data.corpus, "corpora/mix");
    EXPECT_TRUE(data.facts().contains(QStringLiteral("vocabulary 32,000"))) << data.facts().toStdString();
    EXPECT_TRUE(dialog->startButton()->isEnabled()) << dialog->problemText().toStdString();
    EXPECT_FALSE(data.form()->editor("long_share")->isVisibleTo(dialog));
    Q_EMIT data.form()->changed("pools", ParameterValue(std::string("mixed")));
    EXPECT_TRUE(data.form()->editor("long_share")->isVisibleTo(dialog));
    EXPECT_TRUE(dialog->problemText().contains(QStringLiteral("long_share")))
        << dialog->problemText().toStdString();
    Q_EMIT data.form()->changed("pools", ParameterValue(std::string("all")));
    Q_EMIT data.form()->changed("key_tokens", ParameterValue(std::string("no-such.json")));
    EXPECT_TRUE(dialog->problemText().contains(QStringLiteral("key_tokens")));
    data.setCorpus(QStringLiteral("corpora/none"));
    ASSERT_TRUE(wait_for([&] { return dialog->problemText().contains(QStringLiteral("no corpus")); }));
}

TEST(TrainDialog, PhasesAreEditedAsText) {
    DesignWindow window(Architectures{{"a", "FS[w=16] x2"}}, "tiny");
    TrainDialog* dialog = open_dialog(window);
    PhasesForm& phases = *dialog->phasesForm();
    QTest::mouseClick(phases.addButton(), Qt::LeftButton);
    ASSERT_EQ(phases.phases().size(), 1U);
    QLineEdit* text = phases.field(0)->lineEdit();
    QTest::qWait(50);
    text->setFocus();
    text->selectAll();
    QTest::keyClicks(text, QStringLiteral("steps=100,swa.window=64,learning_rate=1e-3"));
    ASSERT_EQ(dialog->plan().phases.size(), 1U);
    EXPECT_EQ(*dialog->plan().phases[0].set.find("swa.window"), ParameterValue(std::int64_t{64}));
    EXPECT_EQ(*dialog->plan().phases[0].set.find("learning_rate"), ParameterValue(1e-3));
    EXPECT_TRUE(dialog->startButton()->isEnabled()) << dialog->problemText().toStdString();
    EXPECT_TRUE(dialog->summary().startsWith(QStringLiteral("2 phases"))) << dialog->summary().toStdString();
    text->selectAll();
    QTest::keyClicks(text, QStringLiteral("steps=50,gdn.window=64"));
    EXPECT_FALSE(dialog->startButton()->isEnabled());
    EXPECT_FALSE(text->accessibleDescription().isEmpty());
    text->selectAll();
    QTest::keyClicks(text, QStringLiteral("steps"));
    EXPECT_FALSE(dialog->startButton()->isEnabled());
    phases.remove(0);
    EXPECT_TRUE(dialog->startButton()->isEnabled()) << dialog->problemText().toStdString();
}

TEST(TrainDialog, ThePapersRecipeFillsTheFormForItsScales) {
    {
        DesignWindow tiny(Architectures{{"a", "FS x2"}}, "tiny");
        EXPECT_FALSE(open_dialog(tiny)->recipeButton()->isEnabled());
    }
    DesignWindow window(Architectures{{"a", "FS x2"}}, "S1");
    TrainDialog* dialog = open_dialog(window);
    ASSERT_TRUE(dialog->recipeButton()->isEnabled());
    QTest::mouseClick(dialog->recipeButton(), Qt::LeftButton);
    const TrainingSpec training = dialog->plan().training;
    EXPECT_EQ(training.context, paper_context);
    EXPECT_EQ(training.batch, 32);
    EXPECT_DOUBLE_EQ(training.learning_rate, 1.953e-3);
    const std::int64_t steps = training.steps;
    dialog->ratioField()->setText(QStringLiteral("200"));
    QTest::mouseClick(dialog->recipeButton(), Qt::LeftButton);
    EXPECT_NEAR(double(dialog->plan().training.steps), 2.0 * double(steps), 1);
    QTest::mouseClick(dialog->phasesForm()->extendButton(), Qt::LeftButton);
    EXPECT_EQ(dialog->plan().phases.at(0), paper_extension());
    dialog->ratioField()->setText(QStringLiteral("many"));
    QTest::mouseClick(dialog->recipeButton(), Qt::LeftButton);
    EXPECT_FALSE(dialog->ratioField()->lineEdit()->accessibleDescription().isEmpty());
}

TEST(TrainDialog, TokensAreWrittenAsPeopleWriteThemAndReturnDoesNotStart) {
    DesignWindow window(Architectures{{"a", "FS x2"}}, "tiny");
    TrainDialog* dialog = open_dialog(window);
    QTest::qWait(50);  // until the dialog has placed its focus
    QLineEdit* tokens = dialog->tokensField()->lineEdit();
    const auto type = [&](const char* text) {
        tokens->setFocus();
        tokens->selectAll();
        QTest::keyClicks(tokens, QString::fromLatin1(text));
        QTest::keyClick(tokens, Qt::Key_Return);
    };
    type("2.5M");
    EXPECT_EQ(dialog->plan().training.steps, 611);  // of 4,096 tokens
    type("130K");
    EXPECT_EQ(dialog->plan().training.steps, 32);
    EXPECT_TRUE(dialog->isVisible());
    EXPECT_TRUE(window.commands.plans.empty());
    type("130Q");
    EXPECT_TRUE(tokens->accessibleDescription().contains(QStringLiteral("2.5M")));
    EXPECT_EQ(dialog->plan().training.steps, 32);
}

TEST(TrainDialog, WithoutACheckpointInTheProjectItStartsFresh) {
    DesignWindow window(Architectures{{"a", "FS x2"}}, "tiny");
    TrainDialog* dialog = open_dialog(window);
    EXPECT_FALSE(dialog->originForm()->choice()->button(1)->isEnabled());
    EXPECT_TRUE(dialog->plan().from.isEmpty());
}

}  // namespace
}  // namespace braid::ui
