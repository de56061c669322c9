// The captures that lie on disk, and what their heads say of themselves. Any thread.
#pragma once

#include <QStringList>
#include <optional>
#include <utility>
#include <vector>

#include "core/record/run_folder.h"
#include "widgets/heads/open_head.h"

namespace braid::ui {

struct CaptureEntry {
    RunId run = {};  // empty: of a checkpoint that belongs to none
    QString run_name = {};
    CapturePointer capture;
};

struct CapturedRun {
    RunId run;
    QString name;
    RunFolder folder;
};

struct FoundCaptures {
    std::vector<CaptureEntry> captures;  // newest first
    QString problem;                     // the first of those that cannot be read
};
// Of runs, and of the folders of checkpoints that belong to none.
FoundCaptures findCaptures(const std::vector<CapturedRun>& runs, const QStringList& folders);

using HeadPlaceOf = std::pair<std::int64_t, std::int64_t>;  // layer, head

bool isDetailed(const CaptureHead& head, std::int64_t tokens);
// The head with the most mass on the needle, else the one that looks farthest. A head that a recurrence
// implies only where there is no other.
std::optional<HeadPlaceOf> strongestHead(const Capture& capture);

}  // namespace braid::ui
