// A capture while it is written: a hidden folder beside its place, locked by its writer, renamed when it is
// complete. What a writer that was killed has left is removed by the next one.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/record/capture.h"

namespace braid {

class CaptureDraft {
public:
    // Makes the folder of captures where there is none.
    static Result<CaptureDraft> begin(const std::string& folder_of_captures);
    CaptureDraft(CaptureDraft&& other) noexcept;
    CaptureDraft& operator=(CaptureDraft&&) = delete;
    ~CaptureDraft();  // one that was not finished is removed

    const std::string& folder() const { return folder_; }  // for the files of the heads
    // Writes capture.json and moves the folder to <folder of captures>/<capture_id()>; an older one of this
    // name is replaced. Returns that folder.
    Result<std::string> finish(const Capture& capture);

private:
    CaptureDraft(std::string all, std::string folder, int lock)
        : all_(std::move(all)), folder_(std::move(folder)), lock_(lock) {}

    std::string all_, folder_;
    int lock_ = -1;
};

// Drafts of writers that are gone; those of living ones stay.
void remove_unfinished_captures(const std::string& folder_of_captures);

// Bytes that may still be written where this folder is (or will be made).
Result<std::int64_t> free_bytes(const std::string& folder);

}  // namespace braid
