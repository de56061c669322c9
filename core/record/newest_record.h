// Which of several answers counts where no one says which: one rule for scores and measurements.
#pragma once

#include <string_view>
#include <vector>

namespace braid {

// Of the records that fit the one of the last step; of those the newest; of equals the last in the list.
// Null: none fits.
template <class Record, class Fits>
const Record* newest_record(const std::vector<Record>& records, Fits&& fits) {
    const Record* newest = nullptr;
    for (const Record& record : records) {
        if (!fits(record)) continue;
        const auto step = record.checkpoint.step;
        const bool before =
            newest != nullptr && (step < newest->checkpoint.step ||
                                  (step == newest->checkpoint.step && record.created < newest->created));
        if (!before) newest = &record;
    }
    return newest;
}

template <class Record>
const Record* newest_of_kind(const std::vector<Record>& records, std::string_view kind) {
    return newest_record(records, [kind](const Record& record) { return record.kind == kind; });
}

}  // namespace braid
