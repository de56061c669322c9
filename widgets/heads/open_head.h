// A captured head as the window has it open. Made on a worker thread, immutable, passed by shared_ptr.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/attention/capture_file.h"
#include "core/record/capture.h"

namespace braid::ui {

using CapturePointer = std::shared_ptr<const Capture>;

struct OpenHead {
    std::uint64_t serial = 0;  // of this opening: what was computed from it is known by this
    CapturePointer capture;
    CaptureHead description;
    CapturedHead data;
    std::vector<float> row_largest;  // [T] magnitudes; of a first look bounds
    bool whole = false;              // false: a first look, the coarsest tile alone

    std::int64_t tokens() const { return data.pyramid.tokens(); }
    int finest() const { return data.factors ? 0 : data.pyramid.finest(); }
    // Any row is exact: from the factors, or because single tokens are stored.
    bool exactRows() const { return finest() == 0; }
    // Zooms further than its thumbnail.
    bool detailed() const {
        return data.factors || data.pyramid.finest() < data.pyramid.coarsest() || tokens() <= 256;
    }
    const std::vector<float>* sink() const {
        return data.factors && !data.factors->sink_T.empty() ? &data.factors->sink_T : nullptr;
    }
    bool isSigned() const { return description.implied; }
    // Weights of the finest level known around a pair; exact where exactRows().
    float weight(std::int64_t query, std::int64_t key) const;
    // [T] each; of heads without exact rows the largest of each square, the same for all its tokens.
    std::vector<float> row(std::int64_t query) const;
    std::vector<float> column(std::int64_t key) const;
};

using HeadPointer = std::shared_ptr<const OpenHead>;

// Reads the head's file: its last tile only (about 1 ms), or all of it.
Result<HeadPointer> openHead(const CapturePointer& capture, const CaptureHead& head, bool whole);

QString headName(const CaptureHead& head);  // "8.3"
// The text of a token for people: spaces and line ends are seen; what is no character is told by its number.
QString tokenText(const Capture& capture, std::int64_t token);
// The query that the scores of a capture are of: the last token, which the model answers.
std::int64_t answerQuery(const Capture& capture);
bool sameText(const Capture& a, const Capture& b);

}  // namespace braid::ui
