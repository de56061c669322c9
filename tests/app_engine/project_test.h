// Tests that share one project and call the real braid-engine in it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "tests/app_engine/program.h"

namespace braid::testing {

class ProjectTest : public ::testing::Test {
protected:
    // In SetUpTestSuite(). Every call of `verb` gets `more` words.
    static void make_project(const std::string& title, std::string verb, std::vector<std::string> more) {
        place_ = std::make_unique<Workplace>();
        std::ofstream(place_->path("project.json"))
            << R"({"schema_version": 1, "title": ")" << title << "\"}";
        verb_ = std::move(verb);
        more_ = std::move(more);
    }
    static void TearDownTestSuite() { place_.reset(); }

    static Call call(std::vector<std::string> words) {
        if (words[0] == verb_) words.insert(words.end(), more_.begin(), more_.end());
        return {.arguments = std::move(words),
                .folder = place_->path(""),
                .environment = {{"XDG_DATA_HOME", place_->path("data")}}};
    }
    static Finished engine(std::vector<std::string> words) {
        return run(call(std::move(words)), std::chrono::seconds(240));
    }
    static Finished must(std::vector<std::string> words) {
        Finished done = engine(std::move(words));
        EXPECT_EQ(done.code, 0) << done.all();
        return done;
    }
    // What stderr says of a refused call.
    static std::string refused(std::vector<std::string> words, int code = 2) {
        const Finished done = engine(std::move(words));
        EXPECT_EQ(done.code, code) << done.all();
        EXPECT_TRUE(done.out.empty()) << done.out;
        return done.err;
    }

    static inline std::unique_ptr<Workplace> place_;

private:
    static inline std::string verb_;
    static inline std::vector<std::string> more_;
};

}  // namespace braid::testing
