#include "core/measure/capture/finished_heads.h"

#include <algorithm>

#include "core/attention/capture_file.h"
#include "core/measure/capture/capture_heads.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

// What fixes the attention; how the text was asked for does not.
bool same_attention(const Capture& a, const Capture& b) {
    const auto setting = [](const Capture& capture, const char* key) {
        return capture.settings.value(key, Json());
    };
    return a.tokens == b.tokens && a.needles == b.needles && a.layers == b.layers &&
           a.checkpoint.step == b.checkpoint.step &&
           a.checkpoint.architecture_hash == b.checkpoint.architecture_hash &&
           a.tokens_seen == b.tokens_seen && setting(a, "mixers") == setting(b, "mixers");
}

bool in_detail(const Capture& capture, const HeadPlace& head) {
    const Json heads = capture.settings.value("heads", Json::array());
    return std::find(heads.begin(), heads.end(), Json(head_name(head))) != heads.end();
}

}  // namespace

FinishedHeads::FinishedHeads(const std::string& folder_of_captures, const Capture& like,
                             fs::file_time_type weights_written) {
    std::error_code error;
    for (Capture& capture : list_captures(folder_of_captures).captures) {
        const auto written = fs::last_write_time(fs::path(capture.folder) / "capture.json", error);
        if (!error && written > weights_written && same_attention(capture, like))
            captures_.push_back(std::move(capture));
    }
}

void FinishedHeads::keep_type(const std::string& compute_type) {
    known_.clear();
    std::erase_if(captures_, [&](const Capture& capture) {
        return capture.settings.value("compute_type", Json()) != compute_type;
    });
}

const CaptureHead* FinishedHeads::find(const HeadPlace& head, bool detail) {
    const auto [at, fresh] = known_.try_emplace({head.layer, head.place, detail}, nullptr);
    if (fresh) at->second = look_for(head, detail);
    return at->second;
}

const CaptureHead* FinishedHeads::look_for(const HeadPlace& head, bool detail) const {
    for (const Capture& capture : captures_) {
        const CaptureHead* found = capture.find(head.layer, head.place);
        if (found == nullptr || in_detail(capture, head) != detail) continue;
        if (read_captured_head(capture.folder + "/" + found->file)) return found;
    }
    return nullptr;
}

std::string FinishedHeads::file_of(const CaptureHead& head) const {
    for (const Capture& capture : captures_)
        if (!capture.heads.empty() && &head >= &capture.heads.front() && &head <= &capture.heads.back())
            return capture.folder + "/" + head.file;
    return {};
}

Result<void> FinishedHeads::put(const std::string& from, const std::string& to) {
    std::error_code error;
    fs::create_hard_link(from, to, error);
    if (!error) return {};
    fs::copy_file(from, to, error);
    if (error) return fail(error_from_errno(error.value(), "cannot copy to", to));
    return {};
}

}  // namespace braid
