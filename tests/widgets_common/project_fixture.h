// A project in a temporary folder with real run folders, written by the engine's own writer.
#pragma once

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QString>
#include <cmath>
#include <functional>
#include <memory>

#include "core/base/json.h"
#include "core/mixers/builtin.h"
#include "core/record/project.h"
#include "core/record/run_reader.h"
#include "core/record/run_writer.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"
#include "tests/base/temporary_folder.h"

namespace braid::ui {

// Turns the event loop until `done` holds; false after `limit_ms`.
inline bool waitFor(const std::function<bool()>& done, int limit_ms = 5'000) {
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
        if (timer.elapsed() > limit_ms) return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
    return true;
}

inline ArchitectureSpec architectureOf(const std::string& pattern, const std::string& name) {
    ArchitectureSpec spec = instantiate(*parse_pattern(pattern, builtin_mixers()), *find_scale("tiny"));
    spec.name = name;
    return spec;
}

class ProjectFixture {
public:
    explicit ProjectFixture(const std::string& title = "hybrids")
        : project_(*Project::create(temporary_ / "projekt", title)) {}

    QString folder() const { return QString::fromStdString(project_.folder()); }
    const Project& project() const { return project_; }

    void addArchitecture(const std::string& name, const std::string& pattern) {
        const std::string file = project_.document_file(DocumentKind::architecture, name);
        ASSERT_TRUE(write_json_atomically(file, to_json(architectureOf(pattern, name))).has_value());
    }
    void addStudy(const std::string& name) {
        const Json json = Json::parse(R"({"schema_version": 1, "name": ")" + name + R"(", "title": "Laziness",
            "seeds": [1], "variants": [
                {"label": "Window 4", "pattern": "FS[w=4] x2", "scale": "tiny"},
                {"label": "Window 64", "pattern": "FS[w=64] x2", "scale": "tiny"}]})");
        ASSERT_TRUE(
            write_json_atomically(project_.document_file(DocumentKind::study, name), json).has_value());
    }
    void addDocument(DocumentKind kind, const std::string& name, const std::string& text) {
        write_text(project_.document_file(kind, name), text);
    }

    RunFolder addRun(const std::string& name, const std::string& study = {}, const std::string& point = {}) {
        RunPlan plan;
        plan.name = name;
        plan.architecture = architectureOf("FS[w=4] x2", name);
        plan.training.steps = 600;
        plan.study = StudyId(study);
        plan.point = point;
        Result<RunFolder> folder = project_.add_run(std::move(plan));
        EXPECT_TRUE(folder.has_value()) << describe(folder.error());
        return *folder;
    }

    static std::unique_ptr<RunWriter> write(const RunFolder& folder) {
        Result<std::unique_ptr<RunWriter>> writer =
            RunWriter::open(folder, {.commit_interval = std::chrono::milliseconds(50)});
        EXPECT_TRUE(writer.has_value()) << describe(writer.error());
        return std::move(*writer);
    }
    // Steps from + 1 .. to, a loss that falls and a recall that rises at `corner`.
    static void steps(RunWriter& writer, std::int64_t from, std::int64_t to, double corner = 200) {
        for (std::int64_t step = from + 1; step <= to; ++step) {
            const double s = double(step);
            writer.append(Step(step), {{"loss", 4.3 * std::exp(-s / 150) + 1.7},
                                       {"lr", 3e-3},
                                       {"grad_norm", 0.6},
                                       {"tokens_per_s", 52'000},
                                       {"time_s", s * 0.08}});
            if (step % 20 == 0) {
                writer.append(Step(step), {{"recall/far", 1 / (1 + std::exp((corner - s) / 20))}});
            }
        }
        ASSERT_TRUE(writer.flush().has_value());
    }
    RunFolder addFinishedRun(const std::string& name, const std::string& study = {},
                             const std::string& point = {}, double corner = 200) {
        const RunFolder folder = addRun(name, study, point);
        const auto writer = write(folder);
        EXPECT_TRUE(writer->begin_attempt({}).has_value());
        steps(*writer, 0, 600, corner);
        EXPECT_TRUE(writer->close(RunState::finished).has_value());
        return folder;
    }

private:
    TemporaryFolder temporary_;
    Project project_;
};

}  // namespace braid::ui
