// Heads that earlier captures of the same text and weights have already: their files serve again.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/error.h"
#include "core/measure/mechanism/head_looks.h"
#include "core/record/capture.h"

namespace braid {

class FinishedHeads {
public:
    // Those in the folder of captures whose settings are those of `like` but for the heads, and that are
    // younger than the weights. What cannot be read is left out.
    FinishedHeads(const std::string& folder_of_captures, const Capture& like,
                  std::filesystem::file_time_type weights_written);
    // Only those that were computed in this type: known once the model is open.
    void keep_type(const std::string& compute_type);

    // A head down to single tokens or not, whose file is whole; null: there is none.
    const CaptureHead* find(const HeadPlace& head, bool detail);
    // The file of a head that was found, as a file of the folder `to`: the same file where the disk can have
    // it twice, else a copy. Errors: those of the disk.
    static Result<void> put(const std::string& from, const std::string& to);
    std::string file_of(const CaptureHead& head) const;

private:
    const CaptureHead* look_for(const HeadPlace& head, bool detail) const;

    std::vector<Capture> captures_;
    std::map<std::tuple<std::int64_t, std::int64_t, bool>, const CaptureHead*> known_;  // what find() found
};

}  // namespace braid
