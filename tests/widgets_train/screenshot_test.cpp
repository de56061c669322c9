// Every view of Train in both themes; kept in $BRAID_SCREENSHOTS where it is set.
#include <QPixmap>
#include <QTabBar>
#include <QTableView>
#include <QTest>

#include "core/base/file.h"
#include "tests/widgets_train/score_files.h"
#include "tests/widgets_train/train_fixture.h"
#include "widgets/common/pinned_table.h"
#include "widgets/common/theme.h"
#include "widgets/train/column_chooser.h"
#include "widgets/train/key_text_view.h"
#include "widgets/train/key_tokens_page.h"
#include "widgets/train/needle_map.h"
#include "widgets/train/runs_table_model.h"
#include "widgets/train/runs_table_page.h"
#include "widgets/train/score_details.h"
#include "widgets/train/score_dialog.h"
#include "widgets/train/scores_page.h"

namespace braid::ui {
namespace {

class TrainPictures : public TrainWorkspaceTest {
protected:
    // A text in which two names come again.
    std::string addKeyTokens() {
        std::string text;
        KeyTokenFile file{.rule = {.context = 2'048, .short_context = 256, .advance = 64},
                          .reference = {{"run", "b7c0"}},
                          .tokenizer = {{"kind", "bpe"}, {"file", "tokenizer.json"}}};
        for (int sample = 0; sample < 12; ++sample) {
            KeySample one;
            for (int line = 0; line < 60; ++line) {
                one.text +=
                    "The keeper of the lamp wrote every evening into the same long book what ship had "
                    "passed. ";
                if (line % 7 == sample % 7) {
                    const auto begin = std::uint32_t(one.text.size());
                    one.text += line % 2 == 0 ? "Margrethe" : "Skarvholmen";
                    one.spans.push_back({begin, std::uint32_t(one.text.size())});
                    one.text += " was the name that he remembered.\n";
                }
            }
            file.samples.push_back(std::move(one));
        }
        const std::string path = fixture_.folder().toStdString() + "/keys.json";
        EXPECT_TRUE(write_json_atomically(path, to_json(file)).has_value());
        return path;
    }
};

TEST_F(TrainPictures, EveryViewInBothThemes) {
    const QString folder = qEnvironmentVariable("BRAID_SCREENSHOTS");
    std::vector<RunFolder> runs;
    int number = 0;
    for (const char* name : {"swa-4", "swa-16", "swa-64", "swa-64 nope", "full"}) {
        runs.push_back(fixture_.addFinishedRun(name, {}, {}, 160 + 60 * number));
        if (number != 2) {
            addNeedleScore(runs.back(), 400, 0.5 + 0.04 * number);
            addNeedleScore(runs.back(), 600, 1 - 0.06 * number);
            addLossScore(runs.back(), 600, 2.25 + 0.07 * number);
        }
        ++number;
    }
    ASSERT_TRUE(make_folder(runs.back().checkpoint_folder(Step(600))).has_value());
    const std::string keys = addKeyTokens();
    open();
    workspace_->page()->resize(1100, 780);
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        Theme::instance().setMode(mode, false);
        const QString theme = themeModeName(mode);
        const auto keep = [&](QWidget* widget, const char* name) {
            ASSERT_NE(widget, nullptr) << name;
            QTest::qWait(150);
            const QPixmap picture = widget->grab();
            EXPECT_FALSE(picture.isNull());
            if (!folder.isEmpty())
                picture.save(folder + QStringLiteral("/%1-%2.png").arg(QLatin1String(name), theme));
        };
        workspace_->showTab(TrainWorkspace::Table);
        RunsTablePage* table = workspace_->tablePage();
        ASSERT_TRUE(waitFor([&] { return table->proxy()->rowCount() == 5; }));
        QTest::qWait(50);  // until it is laid out
        table->table()->selectRow(1);
        keep(workspace_->page(), "runs-table");
        ColumnChooser* chooser = table->chooseColumns();
        keep(chooser, "columns");
        chooser->close();
        workspace_->showTab(TrainWorkspace::Scores);
        ScoresPage* scores = workspace_->scoresPage();
        ASSERT_TRUE(waitFor([&] { return scores->list()->model()->rowCount() == 12; }));
        for (int row = 0; row < 12 && (scores->current()->kind != "niah"); ++row)
            scores->list()->selectRow(row);
        scores->map()->hold(NeedleMap::Place{2, 3});
        keep(workspace_->page(), "needles");
        scores->details()->tabs()->setCurrentIndex(ScoreDetails::Answers);
        keep(workspace_->page(), "answers");
        scores->map()->hold(std::nullopt);
        scores->details()->tabs()->setCurrentIndex(ScoreDetails::Settings);
        for (int row = 0; row < 12 && (scores->current()->kind != "loss"); ++row)
            scores->list()->selectRow(row);
        keep(workspace_->page(), "loss-by-position");
        scores->details()->tabs()->setCurrentIndex(ScoreDetails::Tasks);
        workspace_->showTab(TrainWorkspace::KeyTokens);
        keep(workspace_->page(), "key-tokens-empty");
        workspace_->keyTokensPage()->open(QString::fromStdString(keys));
        ASSERT_TRUE(waitFor([&] { return workspace_->keyTokensPage()->text()->count() > 0; }));
        workspace_->keyTokensPage()->nextKey();
        keep(workspace_->page(), "key-tokens");
        ScoreDialog* dialog = workspace_->score(read_plan(runs.back().plan_file())->id);
        keep(dialog, "score-dialog");
        dialog->setKind("choices");
        keep(dialog, "score-dialog-choices");
        dialog->close();
    }
    Theme::instance().setMode(ThemeMode::light, false);
}

}  // namespace
}  // namespace braid::ui
