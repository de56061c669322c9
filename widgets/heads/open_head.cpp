#include "widgets/heads/open_head.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/attention/coarsest_tile.h"
#include "core/attention/row_largest.h"

namespace braid::ui {

namespace {

std::atomic<std::uint64_t> last_serial{0};

float squareAt(const AttentionPyramid& pyramid, std::int64_t query, std::int64_t key) {
    const int level = pyramid.finest();
    const std::int64_t row = query >> level, column = key >> level;
    const AttentionTile* tile = pyramid.tile(level, row / attention_tile_side, column / attention_tile_side);
    if (tile == nullptr) return 0;
    return tile->largest[std::size_t((row % attention_tile_side) * attention_tile_side +
                                     column % attention_tile_side)];
}

}  // namespace

float OpenHead::weight(std::int64_t query, std::int64_t key) const {
    if (query < 0 || key < 0 || key > query || query >= tokens()) return 0;
    if (!data.factors) return squareAt(data.pyramid, query, key);
    float value = 0;
    attention_block(*data.factors, query, 1, key, 1, {&value, 1});
    return value;
}

std::vector<float> OpenHead::row(std::int64_t query) const {
    if (data.factors) return attention_row(*data.factors, query);
    std::vector<float> values(std::size_t(tokens()), 0.0F);
    for (std::int64_t key = 0; key <= query && key < tokens(); ++key)
        values[std::size_t(key)] = squareAt(data.pyramid, query, key);
    return values;
}

std::vector<float> OpenHead::column(std::int64_t key) const {
    if (data.factors) return attention_column(*data.factors, key);
    std::vector<float> values(std::size_t(tokens()), 0.0F);
    for (std::int64_t query = key; query < tokens(); ++query)
        values[std::size_t(query)] = squareAt(data.pyramid, query, key);
    return values;
}

Result<HeadPointer> openHead(const CapturePointer& capture, const CaptureHead& head, bool whole) {
    const std::string file = capture->folder + "/" + head.file;
    auto open = std::make_shared<OpenHead>();
    open->serial = ++last_serial;
    open->capture = capture;
    open->description = head;
    open->whole = whole;
    if (whole) {
        Result<CapturedHead> read = read_captured_head(file);
        if (!read) return fail(read.error());
        open->data = std::move(*read);
    } else {
        Result<CoarsestTile> read = read_coarsest_tile(file);
        if (!read) return fail(read.error());
        open->data.pyramid = AttentionPyramid(read->tokens, read->level);
        std::vector<AttentionTile> tiles;
        tiles.push_back(std::move(read->tile));
        open->data.pyramid.set_tiles(read->level, std::move(tiles));
    }
    if (open->tokens() != std::int64_t(capture->tokens.size()))
        return fail(ErrorKind::corrupt,
                    "holds a text of " + std::to_string(open->tokens()) + " tokens, its capture one of " +
                        std::to_string(capture->tokens.size()),
                    file, "Capture the text again.");
    open->row_largest = row_largest(open->data);
    return open;
}

QString headName(const CaptureHead& head) { return QStringLiteral("%1.%2").arg(head.layer).arg(head.head); }

QString tokenText(const Capture& capture, std::int64_t token) {
    if (token < 0 || std::size_t(token) >= capture.texts.size()) return {};
    QString text = QString::fromStdString(capture.texts[std::size_t(token)]);
    text.replace(QLatin1Char('\n'), QChar(0x21B5)).replace(QLatin1Char('\t'), QChar(0x21E5));
    text.remove(QLatin1Char('\r'));
    if (text.trimmed().isEmpty() || text.contains(QChar(0xFFFD)))
        return text.trimmed().isEmpty() && !text.isEmpty()
                   ? QString(text.size(), QChar(0x2423))
                   : QStringLiteral("<%1>").arg(capture.tokens[std::size_t(token)]);
    return text;
}

std::int64_t answerQuery(const Capture& capture) { return std::int64_t(capture.tokens.size()) - 1; }

bool sameText(const Capture& a, const Capture& b) { return a.tokens == b.tokens; }

}  // namespace braid::ui
