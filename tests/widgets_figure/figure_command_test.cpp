// `braid figure` on a project with real run folders, in a process of its own (it makes its own application).
#include <sys/wait.h>

#include "core/analysis/number_format.h"
#include "core/spec/cost.h"
#include "tests/widgets_figure/study_project.h"

using namespace braid;
using namespace braid::ui;

namespace {

struct Answer {
    int code = -1;
    std::string text;  // stdout and stderr
};

class FigureCommand : public StudyProject {
protected:
    // Without a display, from a folder that is no project.
    Answer run(const std::vector<std::string>& arguments) const {
        std::string command =
            "cd / && env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM '" BRAID_FIGURE_PROGRAM "' figure";
        for (const std::string& argument : arguments) {
            command += " '" + argument + "'";
        }
        Answer answer;
        FILE* pipe = popen((command + " 2>&1").c_str(), "r");
        char buffer[4096];
        while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) {
            answer.text.append(buffer, count);
        }
        answer.code = WEXITSTATUS(pclose(pipe));
        return answer;
    }
};

}  // namespace

TEST_F(FigureCommand, writesAFigureWithItsDataWithoutADisplay) {
    for (std::size_t variant = 0; variant < 4; ++variant) {
        train(variant, hybrids[variant].middle);
    }
    Answer answer = run({"far-recall", "--project", root_, "--out", out("fig.pdf"), "--out", out("fig.svg"),
                         "--out", out("fig.png")});
    ASSERT_EQ(answer.code, 0) << answer.text;
    for (const char* name : {"fig.pdf", "fig.svg", "fig.png", "fig.csv", "fig.provenance.json"}) {
        EXPECT_TRUE(QFile::exists(QString::fromStdString(out(name)))) << name;
        EXPECT_NE(answer.text.find(out(name)), std::string::npos) << name;
    }
    const std::string csv = readFile(out("fig.csv"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 4 * 30);
    EXPECT_NE(csv.find("Window 4"), std::string::npos);
    // The values are those that were recorded, at tokens = step x 4,096.
    const std::string row = ",tokens,901120," + exact_number(recallAt(11, 9.5)) + ",";
    EXPECT_NE(csv.find(row), std::string::npos) << row << csv.substr(0, 2000);
    const auto provenance = parse_json(readFile(out("fig.provenance.json")));
    ASSERT_TRUE(provenance);
    EXPECT_EQ((*provenance)["runs"].size(), 4u);
    EXPECT_EQ((*provenance)["runs"][0]["architecture_hash"].get<std::string>().size(), 32u);
    EXPECT_NE((*provenance)["command"].get<std::string>().find("braid figure far-recall --project '"),
              std::string::npos);
    EXPECT_TRUE((*provenance)["notes"].empty());

    answer = run({root_ + "/figures/table.json", "--out", out("table.pdf"), "--json"});
    ASSERT_EQ(answer.code, 0) << answer.text;
    const auto json = parse_json(answer.text);
    ASSERT_TRUE(json) << answer.text;
    EXPECT_EQ((*json)["files"].size(), 3u);
    const std::string text = outputOf("pdftotext -layout '" + out("table.pdf") + "' -");
    EXPECT_NE(text.find("0.980 ± 0.004"), std::string::npos) << text;
    EXPECT_NE(text.find("48 s"), std::string::npos) << text;
}

TEST_F(FigureCommand, missingRunsSaySo) {
    Answer answer = run({"far-recall", "--project", root_, "--out", out("fig.pdf")});
    EXPECT_EQ(answer.code, 1);
    EXPECT_NE(answer.text.find("4 of 4 runs do not exist yet"), std::string::npos) << answer.text;
    EXPECT_NE(answer.text.find("braid-engine study run laziness"), std::string::npos) << answer.text;
    EXPECT_FALSE(QFile::exists(QString::fromStdString(out("fig.pdf"))));
    train(0, 9.5);
    answer = run({"far-recall", "--project", root_, "--out", out("fig.pdf")});
    EXPECT_EQ(answer.code, 0);
    EXPECT_NE(answer.text.find("3 of 4 runs do not exist yet: window-16/seed-1"), std::string::npos)
        << answer.text;
    EXPECT_NE(readFile(out("fig.provenance.json")).find("do not exist yet"), std::string::npos);
}

TEST_F(FigureCommand, badInputIsListedWholeWithCodeTwo) {
    Answer answer = run({"no-such-figure", "--project", root_, "--out", out("fig.pdf")});
    EXPECT_EQ(answer.code, 2);
    EXPECT_NE(answer.text.find("far-recall, table"), std::string::npos) << answer.text;
    answer = run({"far-recall", "--project", root_, "--out", out("fig.pdf"), "--width", "3", "--font-pt",
                  "900", "--legend", "above"});
    EXPECT_EQ(answer.code, 2);
    for (const char* expected : {"style.width_mm", "style.font_pt", "style.legend"}) {
        EXPECT_NE(answer.text.find(expected), std::string::npos) << expected << answer.text;
    }
    answer = run({"--nonsense"});
    EXPECT_EQ(answer.code, 2);
    EXPECT_NE(answer.text.find("--nonsense: is not an option"), std::string::npos) << answer.text;
    EXPECT_EQ(run({"--help"}).code, 0);
    answer = run({"far-recall", "--out", out("fig.pdf")});
    EXPECT_NE(answer.code, 0) << "no project here";
    train(0, 9.5);
    answer = run({"far-recall", "--project", root_, "--out", "/proc/nowhere/fig.pdf"});
    EXPECT_EQ(answer.code, 1) << answer.text;
}

TEST_F(FigureCommand, oneBrokenRunDoesNotTakeTheOthersWithIt) {
    for (std::size_t variant = 0; variant < 2; ++variant) {
        train(variant, 9.5);
    }
    const auto runs = project_->runs();
    ASSERT_EQ(runs.size(), 2u);
    std::ofstream(runs[0].folder.database_file(), std::ios::binary | std::ios::trunc)
        << "this is no database, however long it may be";
    const Answer answer = run({"far-recall", "--project", root_, "--out", out("fig.pdf")});
    EXPECT_EQ(answer.code, 0) << answer.text;
    EXPECT_NE(answer.text.find("cannot be read"), std::string::npos) << answer.text;
}

TEST_F(FigureCommand, theFlopsAxisCountsFlops) {
    train(0, hybrids[0].middle);
    FigureSpec spec = recallFigure();
    spec.panels[0].x = "flops";
    ASSERT_TRUE(write_figure(project_->document_file(DocumentKind::figure, "flops"), spec));
    const Answer answer = run({"flops", "--project", root_, "--out", out("flops.pdf")});
    ASSERT_EQ(answer.code, 0) << answer.text;
    const double flops = cost(tinyArchitecture(hybrids[0].pattern), builtin_mixers(),
                              training_of(study_, study_points(study_)[0]).context)
                             .training_flops_per_token;
    ASSERT_GT(flops, 1e5);
    const std::string csv = readFile(out("flops.csv"));
    EXPECT_NE(csv.find(",flops," + exact_number(600 * 4096 * flops) + ","), std::string::npos)
        << csv.substr(0, 400);
    EXPECT_EQ(csv.find(",tokens,"), std::string::npos);
    EXPECT_NE(outputOf("pdftotext -layout '" + out("flops.pdf") + "' -").find("training FLOPs ("),
              std::string::npos);
}
