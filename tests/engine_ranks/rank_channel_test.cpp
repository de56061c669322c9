#include "core/engine/parallel/rank_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

namespace braid::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

int port_of_test(int number) {
    return 20'000 + static_cast<int>(::getpid()) % 10'000 + 10'001 * (number % 2) + number;
}

RankPlace place(int rank, int size, int port) {
    return {.rank = rank, .size = size, .master = "127.0.0.1", .port = port};
}

constexpr RankLimits quick{.join = 5'000ms, .heartbeat = 50ms, .silence = 600ms, .grace = 300ms};

std::unique_ptr<RankChannel> open(const RankPlace& where, const std::string& build = "one",
                                  RankLimits limits = quick) {
    Result<std::unique_ptr<RankChannel>> opened = RankChannel::open(where, build, limits);
    EXPECT_TRUE(opened) << describe(opened.error());
    return std::move(*opened);
}

std::string reason(const std::function<void()>& act) {
    try {
        act();
    } catch (const RanksEnded& ended) {
        return ended.error().message;
    }
    return "";
}

// A process that acts as rank 1 and ends.
pid_t fork_rank(const std::function<void()>& act) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        act();
        ::_exit(0);
    }
    return pid;
}

TEST(RankChannel, RanksJoinInAnyOrderAndHearEachOther) {
    const int port = port_of_test(1);
    const auto last = open(place(2, 3, port));  // before rank 0 listens
    std::this_thread::sleep_for(30ms);
    const auto first = open(place(0, 3, port));
    const auto second = open(place(1, 3, port));
    for (RankChannel* each : {first.get(), second.get(), last.get()}) ASSERT_TRUE(each->wait_for_all());
    const std::string large(3 << 20, 'x');
    first->tell("one");
    first->tell(large);
    EXPECT_EQ(second->hear(), "one");
    EXPECT_EQ(last->hear(), "one");
    EXPECT_EQ(last->hear(), large);
    EXPECT_EQ(second->hear(), large);
    last->gather("c");
    second->gather("b");
    EXPECT_THAT(first->gather("a"), ElementsAre("a", "b", "c"));
    std::thread other([&] { EXPECT_EQ(second->sum(20), 321); });
    std::thread another([&] { EXPECT_EQ(last->sum(300), 321); });
    EXPECT_EQ(first->sum(1), 321);
    other.join();
    another.join();
    std::this_thread::sleep_for(900ms);  // longer than the silence: heartbeats go on
    EXPECT_EQ(reason([&] { first->check(); }), "");
    first->leave("");
    EXPECT_THAT(reason([&] { second->hear(); }), HasSubstr("has ended"));
    EXPECT_FALSE(second->ended()) << "no failure";
}

TEST(RankChannel, ARoundTripIsShort) {
    const int port = port_of_test(2);
    const auto first = open(place(0, 2, port));
    const auto second = open(place(1, 2, port));
    ASSERT_TRUE(first->wait_for_all());
    ASSERT_TRUE(second->wait_for_all());
    std::thread other([&] {
        for (int i = 0; i < 200; ++i) second->gather(second->hear());
    });
    const auto begin = Clock::now();
    for (int i = 0; i < 200; ++i) {
        first->tell("go");
        first->gather("");
    }
    const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / 200;
    other.join();
    std::printf("    there and back: %.0f us\n", us);
    EXPECT_LT(us, 20'000);
}

TEST(RankChannel, AKilledRankIsNoticedAtOnceByAll) {
    const int port = port_of_test(3);
    const pid_t victim = fork_rank([&] {
        const auto channel = open(place(1, 3, port));
        (void)channel->wait_for_all();
        ::pause();
    });
    const auto first = open(place(0, 3, port));
    const auto last = open(place(2, 3, port));
    ASSERT_TRUE(first->wait_for_all());
    ASSERT_TRUE(last->wait_for_all());
    const auto begin = Clock::now();
    ::kill(victim, SIGKILL);
    const std::string told = reason([&] { last->hear(); });
    std::printf("    noticed after %.0f ms\n",
                std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    EXPECT_LT(Clock::now() - begin, 400ms);
    EXPECT_THAT(told, HasSubstr("rank 1 (process " + std::to_string(victim)));
    EXPECT_THAT(told, HasSubstr("ended without a word"));
    EXPECT_TRUE(last->rank_0_knows());
    EXPECT_THAT(reason([&] { first->gather(""); }), HasSubstr("ended without a word"));
    ::waitpid(victim, nullptr, 0);
}

TEST(RankChannel, AStoppedRankIsLostAfterTheSilence) {
    const int port = port_of_test(4);
    const pid_t victim = fork_rank([&] {
        const auto channel = open(place(1, 2, port));
        (void)channel->wait_for_all();
        ::pause();
    });
    const auto first = open(place(0, 2, port));
    ASSERT_TRUE(first->wait_for_all());
    ::kill(victim, SIGSTOP);
    const auto begin = Clock::now();
    EXPECT_THAT(reason([&] { first->gather(""); }), HasSubstr("has been silent for"));
    EXPECT_LT(Clock::now() - begin, 2s);
    ::kill(victim, SIGKILL);
    ::waitpid(victim, nullptr, 0);
}

TEST(RankChannel, TheReasonOfARankReachesAll) {
    const int port = port_of_test(5);
    const auto first = open(place(0, 3, port));
    const auto second = open(place(1, 3, port));
    const auto last = open(place(2, 3, port));
    for (RankChannel* each : {first.get(), second.get(), last.get()}) ASSERT_TRUE(each->wait_for_all());
    second->leave("out of device memory");
    EXPECT_THAT(reason([&] { first->gather(""); }), HasSubstr("out of device memory"));
    EXPECT_THAT(reason([&] { last->hear(); }), HasSubstr("rank 1"));
    EXPECT_THAT(last->ended()->message, HasSubstr("out of device memory"));
}

TEST(RankChannel, OtherBuildsAndSizesAndDoubledRanksAreRefused) {
    int number = 6;
    const auto refused = [&](const RankPlace& other, const std::string& build) {
        const int port = port_of_test(number++);
        RankPlace there = other;
        there.port = port;
        const auto first = open(place(0, 3, port));
        const auto good = open(place(1, 3, port));
        std::this_thread::sleep_for(150ms);
        const auto bad = open(there, build);
        const Result<void> joined = first->wait_for_all();
        EXPECT_FALSE(joined);
        EXPECT_FALSE(bad->wait_for_all());
        EXPECT_FALSE(good->wait_for_all());
        return joined ? "" : describe(joined.error());
    };
    EXPECT_THAT(refused(place(2, 3, 0), "two"), HasSubstr("is another build of Braid: two; rank 0 is one"));
    EXPECT_THAT(refused(place(2, 4, 0), "one"), HasSubstr("one of 4 ranks, rank 0 as one of 3"));
    EXPECT_THAT(refused(place(1, 3, 0), "one"), HasSubstr("has that rank already"));
}

TEST(RankChannel, WhoDoesNotComeIsNamed) {
    constexpr RankLimits short_join{.join = 400ms, .heartbeat = 50ms, .silence = 5'000ms, .grace = 5'000ms};
    const int port = port_of_test(9);
    auto lonely = open(place(1, 2, port), "one", short_join);
    const Result<void> reached = lonely->wait_for_all();
    ASSERT_FALSE(reached);
    EXPECT_THAT(describe(reached.error()),
                HasSubstr("rank 0 was not reached at 127.0.0.1:" + std::to_string(port)));
    lonely.reset();
    const auto first = open(place(0, 4, port), "one", short_join);
    const Result<void> all = first->wait_for_all();
    ASSERT_FALSE(all);
    EXPECT_THAT(describe(all.error()), HasSubstr("of 4 ranks, 1, 2, 3 did not come"));
    const auto failing = open(place(0, 2, port_of_test(10)), "one", quick);
    const Result<void> vain = failing->wait_for_all(
        [] { return std::optional<Error>(Error{.message = "rank 1 ended with code 1"}); });
    ASSERT_FALSE(vain);
    EXPECT_THAT(describe(vain.error()), HasSubstr("code 1"));
}

TEST(RankChannel, APortThatIsTakenIsNamed) {
    const int port = port_of_test(11);
    const auto first = open(place(0, 2, port));
    const auto second = RankChannel::open(place(0, 2, port), "one", quick);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::busy);
    EXPECT_THAT(describe(second.error()), HasSubstr(std::to_string(port)));
}

TEST(RankChannel, AHungTrainingThreadEndsWithItsLastAct) {
    const int port = port_of_test(12);
    std::array<int, 2> words{};
    ASSERT_EQ(::pipe(words.data()), 0);
    const pid_t hung = fork_rank([&] {
        const auto channel = open(place(0, 2, port));
        channel->on_hang([&](const Error& error) {
            [[maybe_unused]] const auto n = ::write(words[1], error.message.data(), error.message.size());
        });
        (void)channel->wait_for_all();
        ::pause();
    });
    {
        const auto lost = open(place(1, 2, port));
        ASSERT_TRUE(lost->wait_for_all());
        lost->leave("broken");
    }
    int status = 0;
    EXPECT_EQ(::waitpid(hung, &status, 0), hung);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    std::array<char, 200> text{};
    EXPECT_GT(::read(words[0], text.data(), text.size() - 1), 0);
    EXPECT_THAT(std::string(text.data()), HasSubstr("broken"));
}

}  // namespace
}  // namespace braid::testing
