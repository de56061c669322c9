// fit: anybody's table, every bad row at once, the promised JSON, tables for papers.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/base/random.h"
#include "tests/app_engine/program.h"

namespace braid::testing {
namespace {

std::string file_with(const Workplace& place, const std::string& name, const std::string& text) {
    std::ofstream(place.path(name)) << text;
    return place.path(name);
}

// Rows "GROUP,S1,N,D,loss,seed" of a curve with b and noise; S1 .. S4 times six budgets.
std::string rows(const std::string& group, double b, double noise) {
    Random random(1, group);
    std::ostringstream text;
    text.precision(17);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 6; ++j) {
            const double n = 15e6 * std::pow(2.0, i), d = 20 * n * std::pow(2.0, j);
            const double loss = 482.01 * std::pow(n, -0.3478) + b * std::pow(d, -0.3658);
            text << group << ",S" << i + 1 << "," << n << "," << d << ","
                 << loss * std::exp(noise * random.normal()) << ",1\n";
        }
    return text.str();
}

const std::string titles = "architecture,scale,Parameters,TOKENS,loss,seed\n";

TEST(Fit, JsonHasThePromisedKeys) {
    const Workplace place;
    const std::string table = file_with(place, "Verluste ä.csv", titles + rows("Full", 2085.43, 0));
    const Finished done = run({{"fit", "--held-out", "scale=S4", table, "--exclude",
                                "scale=S1, tokens_per_parameter<=20: too little training", "--resamples",
                                "50", "--json", "--out", place.path("out.csv"), "-q"}});
    ASSERT_EQ(done.code, 0) << done.all();
    const Json json = done.json();
    EXPECT_EQ(json["form"], "power2");
    EXPECT_NEAR(json["alpha"].get<double>(), 0.3478, 1e-6);
    EXPECT_NEAR(json["beta"].get<double>(), 0.3658, 1e-6);
    EXPECT_NEAR(json["a"].get<double>() / 482.01, 1, 1e-5);
    EXPECT_NEAR(json["b"].get<double>() / 2085.43, 1, 1e-5);
    EXPECT_EQ(json["E"], 0.0);
    for (const char* name : {"a", "alpha", "b", "beta"})
        EXPECT_EQ(json["intervals"][name].size(), 2U) << name;
    EXPECT_NEAR(json["r2_train"].get<double>(), 1, 1e-9);
    EXPECT_NEAR(json["r2_heldout"].get<double>(), 1, 1e-9);
    EXPECT_EQ(json["points"], 17);
    EXPECT_EQ(json["held_out"], 6);
    ASSERT_EQ(json["excluded"].size(), 1U);
    EXPECT_EQ(json["excluded"][0]["reason"], "too little training");
    EXPECT_EQ(json["excluded"][0]["line"], 2);
    EXPECT_EQ(json["residuals"].size(), 23U);
    std::ifstream out(place.path("out.csv"));
    std::string first, second;
    std::getline(out, first);
    std::getline(out, second);
    EXPECT_EQ(first, "architecture,scale,Parameters,TOKENS,loss,seed,predicted,log_residual,use,reason");
    EXPECT_NE(second.find(",excluded,too little training"), std::string::npos) << second;
}

TEST(Fit, EveryBadRowIsListedAndExitsTwo) {
    const Workplace place;
    const Finished done = run({{"fit", file_with(place, "bad.csv",
                                                 "parameters,tokens,loss\n15M,1e9,3\n1e7,-1,3\n1e7,1e9,nan\n"
                                                 "1e7,inf,\n2e7,1e9,2.9\n2e7,1e9,2.9\n")}});
    EXPECT_EQ(done.code, 2) << done.all();
    EXPECT_TRUE(done.out.empty());
    for (const char* part :
         {"line 2, parameters: must be a number such as 15000000 or 1.5e7, got '15M'",
          "line 3, tokens: must be above 0, got -1", "line 4, loss: must be finite, got nan",
          "line 5, tokens: must be finite, got inf", "line 5, loss: must be a number",
          "line 7: must be there once: it repeats line 6"})
        EXPECT_NE(done.err.find(part), std::string::npos) << part << "\n" << done.err;
    const auto refused = [&](const std::string& text, const std::vector<std::string>& more,
                             const std::string& part) {
        std::vector<std::string> arguments = {"fit", file_with(place, "t.csv", text)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Finished answer = run({arguments});
        EXPECT_EQ(answer.code, 2) << answer.all();
        EXPECT_NE(answer.err.find(part), std::string::npos) << part << "\n" << answer.err;
    };
    const std::string good = titles + rows("Full", 2000, 0);
    refused("N,D,loss\n1,2,3\n", {}, "column of the tokens: must be one of N, D, loss");
    refused("parameters,tokens,loss\n1e7,1e9,3\n2e7,1e9,2.9\n", {},
            "must be at least 4, the parameters of power2, got 2");
    refused("parameters,tokens,loss\n1e7,1e9,3\n1e7,2e9,2.9\n1e7,4e9,2.8\n1e7,8e9,2.7\n", {},
            "must have at least two values of parameters");
    refused("", {}, "must have a line of titles");
    refused(good, {"--held-out", "scale=S9"}, "--held-out: must match a row");
    refused(good, {"--group", "arch"}, "column of the groups");
    refused(good, {"--baseline", "Full"}, "--baseline: needs --group COLUMN");
    refused(good, {"--group", "architecture", "--baseline", "Fulll"},
            "--baseline: must be a value of the column");
    refused(good, {"--predict", "1e9"}, "--predict: must be two numbers above 0");
    refused(good, {"--form", "power3"}, "power3");
    refused(good, {"--alpha", "nan"}, "must be from -10 to 10");
    EXPECT_EQ(run({{"fit", place.path("nothing.csv")}}).code, 2);
}

TEST(Fit, GroupsAreComparedAndTheirTokensCounted) {
    const Workplace place;
    const std::string table = file_with(
        place, "two.csv",
        titles + rows("Full", 2085.43, 1e-3) + rows("SWA_128", 2085.43 * std::pow(2, -0.3658), 1e-3));
    const std::vector<std::string> call = {
        "fit", table,     "--group", "Architecture", "--baseline", "Full", "--resamples",
        "60",  "--flops", "1e20",    "--predict",    "4.8e8,1e11", "-q"};
    std::vector<std::string> with_json = call, with_latex = call;
    with_json.emplace_back("--json");
    with_latex.emplace_back("--latex");
    const Finished done = run({with_json});
    ASSERT_EQ(done.code, 0) << done.all();
    const Json json = done.json();
    ASSERT_EQ(json["groups"].size(), 2U);
    EXPECT_EQ(json["groups"][1]["group"], "SWA_128");
    EXPECT_EQ(json["comparison"]["preferred"], "shared exponents") << json["comparison"]["answer"];
    EXPECT_EQ(json["comparison"]["tests"].size(), 3U);
    EXPECT_NEAR(json["efficiency"][0]["gain"].get<double>(), 2, 0.2);
    EXPECT_EQ(json["compute_optimal"].size(), 2U);
    EXPECT_NE(json["predictions"][0]["warning"].get<std::string>().find("4 times the largest fitted"),
              std::string::npos);
    EXPECT_EQ(run({with_json}).json()["groups"], json["groups"]) << "the same call gives the same numbers";
    const Finished text = run({call});
    ASSERT_EQ(text.code, 0) << text.all();
    for (const char* part :
         {"N: parameters, D: training tokens, L: nats a token", "90 % INTERVAL", "SWA_128",
          "Do they share one curve?", "shared exponents", "TOKENS OF Full", "BEST PARAMETERS"})
        EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
    const Finished latex = run({with_latex});
    ASSERT_EQ(latex.code, 0) << latex.all();
    for (const char* part : {"\\toprule", "\\bottomrule", "SWA\\_128 & $", "$\\alpha$"})
        EXPECT_NE(latex.out.find(part), std::string::npos) << part << "\n" << latex.out;
}

TEST(Fit, WhatIsNotIdentifiedHasNoDigits) {
    const Workplace place;
    Random random(3, "noise");
    std::string text = "parameters,tokens,loss\n";
    for (int j = 0; j < 12; ++j)
        text += std::string(j % 2 == 0 ? "15000000," : "16000000,") +
                std::to_string(3e8 * std::pow(2.0, j / 2)) + "," +
                std::to_string(3.5 + 0.4 * random.normal()) + "\n";
    const Finished done = run({{"fit", file_with(place, "noise.csv", text), "--resamples", "100", "--json"}});
    ASSERT_EQ(done.code, 0) << done.all();
    EXPECT_TRUE(done.json()["alpha"].is_null()) << done.out;
    EXPECT_TRUE(done.json()["curve"]["alpha"].is_number());
    EXPECT_TRUE(done.json()["not_identified"].contains("alpha"));
    EXPECT_NE(done.err.find("warning: not identified by these points"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace braid::testing
