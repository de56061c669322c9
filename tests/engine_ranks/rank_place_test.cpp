#include "core/engine/parallel/rank_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace braid::testing {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Checked<RankPlace> place_of(const Variables& variables) {
    return rank_place([&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

RankPlace good(const Variables& variables) {
    const Checked<RankPlace> place = place_of(variables);
    EXPECT_TRUE(place) << (place ? "" : to_error(place.error()).message);
    return place.value_or(RankPlace{});
}

std::string problems(const Variables& variables) {
    const Checked<RankPlace> place = place_of(variables);
    return place ? "" : to_error(place.error()).message;
}

TEST(RankPlace, WithoutALauncherAProcessIsAlone) {
    EXPECT_TRUE(good({}).alone());
    EXPECT_TRUE(good({{"RANK", "3"}}).alone());
    // A batch script of Slurm: it has reserved four tasks and is none of them.
    EXPECT_TRUE(good({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_NODELIST", "n1"}}).alone());
}

TEST(RankPlace, OfTorchrun) {
    const Variables variables = {{"RANK", "5"},
                                 {"WORLD_SIZE", "8"},
                                 {"LOCAL_RANK", "1"},
                                 {"LOCAL_WORLD_SIZE", "4"},
                                 {"MASTER_ADDR", "node1"},
                                 {"MASTER_PORT", "29500"}};
    const RankPlace place = good(variables);
    EXPECT_EQ(place.rank, 5);
    EXPECT_EQ(place.size, 8);
    EXPECT_EQ(place.local_rank, 1);
    EXPECT_EQ(place.local_size, 4);
    EXPECT_EQ(place.master, "node1");
    EXPECT_EQ(place.port, 29'500);
    Variables agent = variables;
    agent["TORCHELASTIC_USE_AGENT_STORE"] = "True";
    EXPECT_EQ(good(agent).port, 29'501) << "torchrun's own store listens at MASTER_PORT";
}

TEST(RankPlace, OfSlurm) {
    Variables variables = {{"SLURM_PROCID", "2"},
                           {"SLURM_STEP_NUM_TASKS", "5"},
                           {"SLURM_LOCALID", "0"},
                           {"SLURM_NODEID", "1"},
                           {"SLURM_STEP_NODELIST", "gpu[007-008,12],login"},
                           {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"},
                           {"SLURM_JOB_ID", "4711"},
                           {"SLURM_STEP_ID", "0"}};
    const RankPlace place = good(variables);
    EXPECT_EQ(place.rank, 2);
    EXPECT_EQ(place.size, 5);
    EXPECT_EQ(place.local_size, 2);
    EXPECT_EQ(place.master, "gpu007");
    EXPECT_GE(place.port, 20'000);
    EXPECT_LT(place.port, 32'768);
    variables["SLURM_NODEID"] = "2";
    EXPECT_EQ(good(variables).local_size, 1);
    variables["SLURM_STEP_ID"] = "1";
    EXPECT_NE(good(variables).port, place.port) << "two steps of one job at a time";
    variables["MASTER_ADDR"] = "10.0.0.7";
    variables["MASTER_PORT"] = "4000";
    EXPECT_EQ(good(variables).master, "10.0.0.7");
    EXPECT_EQ(good(variables).port, 4'000);
}

TEST(RankPlace, OfMpirun) {
    Variables variables = {{"OMPI_COMM_WORLD_RANK", "1"},
                           {"OMPI_COMM_WORLD_SIZE", "2"},
                           {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                           {"PMIX_NAMESPACE", "123456"}};
    const RankPlace place = good(variables);
    EXPECT_EQ(place.rank, 1);
    EXPECT_EQ(place.master, "127.0.0.1");
    Variables other = variables;
    other["OMPI_COMM_WORLD_RANK"] = "0";
    EXPECT_EQ(good(other).port, place.port) << "all ranks find the same port";
    // mpirun inside a Slurm job: the processes are mpirun's.
    other["SLURM_PROCID"] = "0";
    other["SLURM_STEP_NUM_TASKS"] = "1";
    EXPECT_EQ(good(other).size, 2);
    variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = "1";
    EXPECT_THAT(problems(variables), HasSubstr("MASTER_ADDR"));
}

TEST(RankPlace, EveryProblemIsNamed) {
    const std::string text = problems({{"RANK", "x"}, {"WORLD_SIZE", "-2"}, {"MASTER_PORT", "99999"}});
    for (const char* word :
         {"RANK: must be", "got \"x\"", "WORLD_SIZE: must be", "MASTER_ADDR", "MASTER_PORT", "torchrun"})
        EXPECT_THAT(text, HasSubstr(word));
    EXPECT_THAT(problems({{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}}),
                HasSubstr("RANK: must be a whole number from 0 to 1"));
    EXPECT_THAT(problems({{"SLURM_PROCID", "0"},
                          {"SLURM_STEP_NUM_TASKS", "2"},
                          {"SLURM_LOCALID", "0"},
                          {"SLURM_STEP_NODELIST", "n[]"}}),
                HasSubstr("SLURM_STEP_NODELIST"));
}

TEST(RankPlace, TheFirstHostOfAList) {
    EXPECT_EQ(first_host("node1"), "node1");
    EXPECT_EQ(first_host("node1,node[2-3]"), "node1");
    EXPECT_EQ(first_host("node[3,5-6]"), "node3");
    EXPECT_EQ(first_host("rack[01-02]-gpu,x"), "rack01-gpu");
    EXPECT_EQ(first_host("a[1"), "");
    EXPECT_EQ(first_host(""), "");
}

}  // namespace
}  // namespace braid::testing
