#include "widgets/heads/found_captures.h"

#include <QFileInfo>
#include <algorithm>
#include <tuple>

namespace braid::ui {

FoundCaptures findCaptures(const std::vector<CapturedRun>& runs, const QStringList& folders) {
    FoundCaptures found;
    for (const CapturedRun& place : runs) {
        CaptureList list = list_captures(place.folder.captures_folder());
        for (Capture& capture : list.captures) {
            capture.checkpoint.run = place.run.str();  // where it lies: runs can be copied
            found.captures.push_back(
                {place.run, place.name, std::make_shared<const Capture>(std::move(capture))});
        }
        if (!list.problems.empty() && found.problem.isEmpty())
            found.problem = QString::fromStdString(describe(list.problems.front()));
    }
    for (const QString& folder : folders) {
        CaptureList list = list_captures(folder.toStdString() + "/captures");
        for (Capture& capture : list.captures) {
            capture.checkpoint.run.clear();
            capture.checkpoint.folder = folder.toStdString();
            found.captures.push_back(
                {RunId(), QFileInfo(folder).fileName(), std::make_shared<const Capture>(std::move(capture))});
        }
    }
    std::stable_sort(found.captures.begin(), found.captures.end(),
                     [](const CaptureEntry& a, const CaptureEntry& b) {
                         // A second apart at most: the later checkpoint first.
                         return std::pair(a.capture->created, a.capture->checkpoint.step) >
                                std::pair(b.capture->created, b.capture->checkpoint.step);
                     });
    return found;
}

bool isDetailed(const CaptureHead& head, std::int64_t tokens) {
    return head.factors || head.finest == 0 || head.finest < coarsest_attention_level(tokens);
}

std::optional<HeadPlaceOf> strongestHead(const Capture& capture) {
    if (capture.heads.empty()) return {};
    const auto score = [](const CaptureHead& head) {
        // Needle masses before distances; a head without either last. Rows that a recurrence implies are no
        // attention: their magnitudes are not to be compared with it.
        return std::tuple(!head.implied, head.scores.needle.value_or(-1), head.scores.far.value_or(-1));
    };
    const auto best =
        std::max_element(capture.heads.begin(), capture.heads.end(),
                         [&](const CaptureHead& a, const CaptureHead& b) { return score(a) < score(b); });
    return HeadPlaceOf{best->layer, best->head};
}

}  // namespace braid::ui
