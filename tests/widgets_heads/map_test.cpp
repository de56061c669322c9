// Viewports, scales, tiles and the scene of a map.
#include <QTest>

#include "core/base/random.h"
#include "tests/base/temporary_folder.h"
#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_heads/captures.h"
#include "widgets/common/colour_map.h"
#include "widgets/heads/heads_state.h"
#include "widgets/heads/map_scene_maker.h"
#include "widgets/heads/map_viewport.h"
#include "widgets/heads/tile_store.h"

namespace braid::ui {
namespace {

TEST(MapViewport, ZoomKeepsWhatLiesUnderThePointer) {
    const QRectF square(10, 20, 400, 400);
    Random random(1, "zoom");
    MapViewport view = MapViewport::whole(16'384);
    for (int i = 0; i < 200; ++i) {
        const QPointF at(random.uniform(10, 410), random.uniform(20, 420));
        const double key = view.keyAt(at.x(), square), query = view.queryAt(at.y(), square);
        const MapViewport next =
            view.zoomed(random.uniform(0.4, 1.2), {(at.x() - 10) / 400, (at.y() - 20) / 400});
        ASSERT_LE(next.span, 16'384);
        ASSERT_GE(next.span, MapViewport::fewest);
        if (next.span < view.span) {  // zooming out may meet an edge
            ASSERT_NEAR(next.keyAt(at.x(), square), key, 1e-6 * 16'384);
            ASSERT_NEAR(next.queryAt(at.y(), square), query, 1e-6 * 16'384);
        }
        view = next;
    }
    EXPECT_TRUE(view.zoomed(1e9, {0.3, 0.7}).isWhole());
    EXPECT_EQ(MapViewport::whole(5).zoomed(0.001, {0, 0}).span, 5);  // shorter than the highest zoom
}

TEST(MapViewport, SquaresAreNeverThinnerThanAPixel) {
    for (const double pixels : {90.0, 341.0, 700.0, 1400.0})
        for (double span = 16'384; span > 8; span *= 0.83) {
            const MapViewport view{16'384, 0, 0, span};
            const int level = view.level(pixels);
            const double wide = double(std::int64_t{1} << level) / span * pixels;
            ASSERT_GE(wide, 1 - 1e-6);
            ASSERT_TRUE(level == 0 || wide < 2 + 1e-6) << span << " " << pixels;
        }
}

TEST(AttentionScales, EndsAreRoundAndColoursFollow) {
    std::vector<float> weights(1'000, 0.003F);
    for (std::size_t i = 0; i < 10; ++i) weights[i] = 0.8F;
    weights[50] = 0.41F;
    const AttentionScale log = fittingScale(AttentionForm::log, false, weights);
    EXPECT_DOUBLE_EQ(log.high, 1);
    EXPECT_DOUBLE_EQ(log.low, 0.01);
    EXPECT_EQ(log.colour(1), cividis(1));
    EXPECT_EQ(log.colour(0), cividis(0));
    EXPECT_NEAR(log.share(0.1), 0.5, 1e-9);
    EXPECT_EQ(log.ticks().size(), 3U);
    const AttentionScale both = fittingScale(AttentionForm::linear, true, weights);
    EXPECT_NEAR(both.share(-both.high), -1, 1e-9);
    EXPECT_EQ(both.ticks()[1], 0);
    EXPECT_EQ(fittingScale(AttentionForm::row, false, {}).share(0.25), 0.25);
    EXPECT_DOUBLE_EQ(roundUp(0.0013), 0.002);
    EXPECT_DOUBLE_EQ(roundUp(0.0056), 0.01);
}

class Tiles : public ::testing::Test {
protected:
    HeadPointer open(std::int64_t tokens, std::int64_t layer, std::int64_t head, int finest,
                     bool factors = true) {
        auto capture = std::make_shared<Capture>();
        capture->tokens.assign(std::size_t(tokens), 1);
        capture->texts.assign(std::size_t(tokens), " x");
        const HeadFactors made = made_factors({.tokens = tokens}, layer, head);
        const std::string file = folder_ / (std::to_string(++number_) + ".att");
        CapturedHead data{.factors = {}, .pyramid = attention_pyramid(made, finest)};
        if (factors) data.factors = made;
        EXPECT_TRUE(write_captured_head(file, data));
        capture->folder = folder_.path();
        CaptureHead told{
            .layer = layer, .head = head, .mixer = "full", .implied = made.implied, .window = made.window};
        told.file = std::to_string(number_) + ".att";
        Result<HeadPointer> opened = openHead(capture, told, true);
        EXPECT_TRUE(opened) << describe(opened.error());
        return *opened;
    }
    TemporaryFolder folder_;
    int number_ = 0;
};

TEST_F(Tiles, AreColouredFromFilesAndComputedWhereNoFileHoldsThem) {
    const HeadPointer coarse = open(700, 2, 0, 2), fine = open(700, 2, 0, 0);
    const MapSource source{.head = coarse, .minus = nullptr, .scale = {}};
    const MapSource exact{.head = fine, .minus = nullptr, .scale = {}};
    EXPECT_EQ(source.finest(), 0);
    for (const TilePlace place : {TilePlace{0, 2, 1}, TilePlace{1, 1, 0}, TilePlace{2, 0, 0}}) {
        EXPECT_EQ(tileIsStored(source, place), place.level >= 2);
        const std::vector<float> computed = tileWeights(source, place), stored = tileWeights(exact, place);
        for (std::size_t i = 0; i < computed.size(); ++i) ASSERT_NEAR(computed[i], stored[i], 1e-5);
        EXPECT_EQ(tilePicture(source, place, stored), tilePicture(exact, place, stored));
    }
    // Above the diagonal and beyond the text nothing is seen.
    const QImage picture = tilePicture(source, {0, 2, 2}, tileWeights(source, {0, 2, 2}));
    EXPECT_EQ(picture.pixelColor(100, 50).alpha(), 0);
    EXPECT_EQ(picture.pixelColor(50, 100).alpha(), 255);
    EXPECT_EQ(picture.pixelColor(10, 220).alpha(), 0);  // token 732 of 700
}

TEST_F(Tiles, TheStoreIsBoundedAndCountsWhatItComputes) {
    const HeadPointer head = open(4'096, 2, 1, 3);
    TileStore store(std::size_t{4} << 20);
    const MapSource source{.head = head, .minus = nullptr, .scale = {}};
    std::vector<TilePlace> places;
    for (std::int64_t row = 0; row < 8; ++row) places.push_back({0, row, row / 2});
    store.want(1, source, places);
    ASSERT_TRUE(waitFor([&] { return !store.busy() && store.find(source, places.back()); }));
    QCoreApplication::processEvents();
    EXPECT_LE(store.bytes(), std::size_t{4} << 20);
    EXPECT_EQ(store.computed(), 8U);
    EXPECT_NE(store.find(source, places.back()), nullptr);
    // Another look colours what is known, and computes nothing.
    MapSource linear = source;
    linear.scale.form = AttentionForm::linear;
    store.want(1, linear, {places.back()});
    ASSERT_TRUE(waitFor([&] { return store.find(linear, places.back()); }));
    EXPECT_EQ(store.computed(), 8U);
    for (std::int64_t row = 8; row < 16; ++row) store.want(1, source, {{0, row, 3}});
    ASSERT_TRUE(waitFor([&] { return !store.busy(); }));
    QTest::qWait(20);
    EXPECT_LE(store.bytes(), std::size_t{4} << 20);
}

TEST_F(Tiles, CoarserTilesStandInUntilTheFinerComeAndTheDifferenceIsSigned) {
    const HeadPointer a = open(2'048, 2, 0, 3), b = open(2'048, 2, 1, 3);
    HeadsState state;
    state.setHead(HeadSide::a, a);
    state.setHead(HeadSide::b, b);
    TileStore store;
    const MapSceneRequest request{.state = state, .side = HeadSide::b, .size = {460, 460}, .ratio = 1};
    MadeScene made = makeMapScene(request, store);
    ASSERT_FALSE(made.missing.empty());
    EXPECT_EQ(made.missing.front(), (TilePlace{3, 0, 0}));  // the whole text first
    const auto images = [](const MapScene& scene) {
        int count = 0;
        for (const SceneItem& item : scene.items)
            if (const auto* image = std::get_if<SceneImage>(&item)) count += image->picture.width() == 256;
        return count;
    };
    EXPECT_EQ(images(*made.scene), 0);
    store.want(1, state.source(HeadSide::b), {{3, 0, 0}});
    ASSERT_TRUE(waitFor([&] { return store.find(state.source(HeadSide::b), {3, 0, 0}); }));
    state.setViewport(MapViewport{2'048, 300, 900, 200});
    made = makeMapScene(request, store);
    EXPECT_EQ(made.level, 0);
    EXPECT_GT(images(*made.scene), 0);
    EXPECT_EQ(std::size_t(images(*made.scene)), made.missing.size());  // each covered by the coarse one
    // Differences.
    state.setDifference(true);
    const MapSource difference = state.source(HeadSide::b);
    ASSERT_TRUE(difference.minus);
    EXPECT_TRUE(difference.scale.is_signed);
    const std::vector<float> more = tileWeights(difference, {3, 0, 0});
    const AttentionTile &mine = *b->data.pyramid.tile(3, 0, 0), &other = *a->data.pyramid.tile(3, 0, 0);
    for (std::size_t i = 0; i < more.size(); ++i)
        ASSERT_FLOAT_EQ(more[i], mine.largest[i] - other.largest[i]);
}

TEST_F(Tiles, RowsScaleByTheirLargest) {
    const HeadPointer head = open(300, 2, 0, 0);
    const MapSource source{.head = head, .minus = nullptr, .scale = {.form = AttentionForm::row}};
    const std::vector<float> weights = tileWeights(source, {0, 0, 0});
    const QImage picture = tilePicture(source, {0, 0, 0}, weights);
    for (int row = 0; row < 256; row += 17) {
        int best = 0;
        for (int column = 1; column <= row; ++column)
            if (weights[std::size_t(row * 256 + column)] > weights[std::size_t(row * 256 + best)])
                best = column;
        EXPECT_EQ(picture.pixelColor(best, row).rgb(), cividis(1).rgb()) << row;
    }
}

TEST_F(Tiles, WhatHasNoFactorsIsShownAsFarAsItWasStored) {
    const HeadPointer head = open(2'048, 0, 1, 2, false);
    EXPECT_EQ(head->finest(), 2);
    EXPECT_FALSE(head->exactRows());
    EXPECT_TRUE(head->isSigned());
    const std::vector<float> row = head->row(1'000);
    EXPECT_EQ(row[0], row[3]);
    EXPECT_EQ(row[1'001], 0);
    const std::vector<AttentionLink> links = strongestLinks(*head, 5, 100);
    ASSERT_EQ(links.size(), 5U);
    for (std::size_t i = 0; i < links.size(); ++i) {
        EXPECT_GE(links[i].query - links[i].key, 100);
        EXPECT_LE(std::abs(links[i].weight), std::abs(links[i > 0 ? i - 1 : 0].weight));
    }
}

TEST(TokenTicks, AreRound) {
    const std::vector<TokenTick> whole = tokenTicks(0, 16'384, 5);
    ASSERT_EQ(whole.size(), 5U);
    EXPECT_EQ(whole[1].label, QStringLiteral("4k"));
    const std::vector<TokenTick> near = tokenTicks(5'300, 40, 5);
    EXPECT_GE(near.size(), 3U);
    EXPECT_EQ(near.front().label, QStringLiteral("5,304"));
}

}  // namespace
}  // namespace braid::ui
