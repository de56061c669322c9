#include "core/spec/diff.h"

#include <gmock/gmock.h>

#include <chrono>

#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"
#include "tests/spec/random_architecture.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const MixerCatalog& mixers() { return builtin_mixers(); }

ArchitectureSpec made(std::string_view pattern, const char* scale = "S1") {
    return instantiate(*parse_pattern(pattern, mixers()), *find_scale(scale));
}

std::string row(const LayerPair& pair) {
    const std::string from = pair.from ? std::to_string(*pair.from) : "-";
    const std::string to = pair.to ? std::to_string(*pair.to) : "-";
    return from + (pair.equal ? "=" : "~") + to;
}

std::vector<std::string> alignment(std::string_view from, std::string_view to) {
    std::vector<std::string> rows;
    for (const LayerPair& pair : align_layers(made(from).layers, made(to).layers)) rows.push_back(row(pair));
    return rows;
}

std::vector<std::string> differences(const std::vector<Difference>& list) {
    std::vector<std::string> rows;
    for (const Difference& each : list)
        rows.push_back(index_ranges(each.from_layers) + " -> " + index_ranges(each.to_layers) + " " +
                       each.path + ": " + each.from + " -> " + each.to);
    return rows;
}

TEST(Align, AnInsertedLayerShiftsTheRest) {
    EXPECT_THAT(alignment("FSF x1", "FSSF x1"), ElementsAre("0=0", "1=1", "-~2", "2=3"));
    EXPECT_THAT(alignment("FSSF x1", "FSF x1"), ElementsAre("0=0", "1=1", "2~-", "3=2"));
    EXPECT_THAT(alignment("FS x2", "SF x2"), ElementsAre("0~-", "1=0", "2=1", "3=2", "-~3"));
}

TEST(Align, ChangesInPlaceStayInPlace) {
    EXPECT_THAT(alignment("FF x2", "FS x2"), ElementsAre("0=0", "1~1", "2=2", "3~3"));
    EXPECT_THAT(alignment("FS[w=4] x2", "FS[w=8] x2"), ElementsAre("0=0", "1~1", "2=2", "3~3"));
    EXPECT_THAT(alignment("F x1", "S x1"), ElementsAre("0~0"));
}

TEST(Align, EachLayerOnceAndInOrder) {
    test::RandomArchitecture random(mixers(), 5);
    for (int i = 0; i < 300; ++i) {
        const auto from = random().layers;
        const auto to = random().layers;
        std::size_t next_from = 0;
        std::size_t next_to = 0;
        for (const LayerPair& pair : align_layers(from, to)) {
            ASSERT_TRUE(pair.from || pair.to);
            if (pair.from) {
                ASSERT_EQ(*pair.from, next_from++);
            }
            if (pair.to) {
                ASSERT_EQ(*pair.to, next_to++);
            }
            ASSERT_EQ(pair.equal, pair.from && pair.to && from[*pair.from].groups == to[*pair.to].groups);
        }
        ASSERT_EQ(next_from, from.size());
        ASSERT_EQ(next_to, to.size());
        for (const LayerPair& pair : align_layers(from, from)) ASSERT_TRUE(pair.equal);
    }
}

TEST(Align, TenThousandLayersAreQuick) {
    test::RandomArchitecture random(mixers(), 6);
    std::vector<LayerSpec> from;
    std::vector<LayerSpec> to;
    while (from.size() < 10'000) {
        for (const LayerSpec& layer : random().layers) from.push_back(layer);
        for (const LayerSpec& layer : random().layers) to.push_back(layer);
    }
    const auto start = std::chrono::steady_clock::now();
    EXPECT_GE(align_layers(from, to).size(), 10'000U);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(Diff, OfTheSameIsEmpty) {
    const ArchitectureDiff found = diff(made("FS"), made("FS"), mixers(), 16384);
    EXPECT_TRUE(found.same());
    ASSERT_FALSE(found.costs.empty());
    for (const CostDifference& each : found.costs) EXPECT_EQ(each.from, each.to);
}

TEST(Diff, SaysAChangeOfManyLayersOnce) {
    const ArchitectureDiff found = diff(made("FS[w=128]"), made("F[nope]S[w=512,nosink]"), mixers(), 16384);
    EXPECT_THAT(differences(found.layers),
                ElementsAre("0, 2, 4, 6, 8 -> 0, 2, 4, 6, 8 position: rope -> nope",
                            "1, 3, 5, 7, 9 -> 1, 3, 5, 7, 9 window: 128 -> 512",
                            "1, 3, 5, 7, 9 -> 1, 3, 5, 7, 9 sink: true -> false"));
    EXPECT_EQ(found.layers[1].label, "Window");
    EXPECT_THAT(found.dimensions, IsEmpty());
}

TEST(Diff, OfMixersAndOfAddedAndRemovedLayers) {
    EXPECT_THAT(differences(diff(made("F x4"), made("FS[w=64] x2"), mixers(), 128).layers),
                ElementsAre("1, 3 -> 1, 3 mixer: F -> S[w=64]"));
    EXPECT_THAT(differences(diff(made("FS x1"), made("FSF[nope] x1"), mixers(), 128).layers),
                ElementsAre(" -> 2 layer:  -> F[nope]"));
    EXPECT_THAT(differences(diff(made("FSF[nope] x1"), made("FS x1"), mixers(), 128).layers),
                ElementsAre("2 ->  layer: F[nope] -> "));
}

TEST(Diff, OfHeadWiseLayersNamesTheGroup) {
    EXPECT_THAT(
        differences(diff(made("{F:2 S[w=64]:4} x1"), made("{F:4 S[w=16]:2} x1"), mixers(), 128).layers),
        ElementsAre("0 -> 0 groups[0].heads: 2 -> 4", "0 -> 0 groups[1].heads: 4 -> 2",
                    "0 -> 0 groups[1].window: 64 -> 16"));
}

TEST(Diff, OfScalesIsTheModelsDimensionsAndItsDepth) {
    const ArchitectureDiff found = diff(made("FS"), made("FS", "S2"), mixers(), 16384);
    EXPECT_THAT(differences(found.dimensions),
                ElementsAre(" ->  d_model: 384 -> 512", " ->  heads: 6 -> 8", " ->  ffn_width: 960 -> 1280"));
    EXPECT_THAT(differences(found.layers), ElementsAre(" -> 10 layer:  -> F", " -> 11 layer:  -> S"));
}

TEST(Diff, WritesCostsOnlyOfValidSpecs) {
    ArchitectureSpec broken = made("FS");
    broken.layers[1].groups[0].parameters.set("window", std::int64_t{0});
    const ArchitectureDiff found = diff(made("FS"), broken, mixers(), 128);
    EXPECT_THAT(differences(found.layers), ElementsAre("1 -> 1 window: 128 -> 0"));
    EXPECT_TRUE(found.costs.empty());
}

TEST(Diff, RangesOfIndices) {
    EXPECT_EQ(index_ranges({}), "");
    EXPECT_EQ(index_ranges({3}), "3");
    EXPECT_EQ(index_ranges({1, 2}), "1, 2");
    EXPECT_EQ(index_ranges({0, 1, 2, 5, 7, 8, 9}), "0-2, 5, 7-9");
}

}  // namespace
}  // namespace braid
