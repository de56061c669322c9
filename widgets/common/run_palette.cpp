#include "widgets/common/run_palette.h"

#include <algorithm>
#include <set>

#include "core/base/json.h"

namespace braid::ui {

void RunPalette::load(const std::string& file) {
    file_ = file;
    indices_.clear();
    changed_ = false;
    const Result<Json> json = read_json(file);
    if (!json || !json->is_object() || !json->contains("run_palette")) return;
    for (const auto& [key, value] : json->at("run_palette").items()) {
        if (value.is_number_integer() && value.get<int>() >= 0) indices_[key] = value.get<int>();
    }
}

Result<void> RunPalette::save() {
    if (!changed_ || file_.empty()) return {};
    changed_ = false;
    return write_json_atomically(file_, {{"schema_version", 1}, {"run_palette", indices_}});
}

std::string RunPalette::keyOf(const RunPlan& plan) {
    if (plan.study.empty() || plan.point.empty()) return plan.id.str();
    return plan.study.str() + "/" + plan.point.substr(0, plan.point.find('/'));
}

int RunPalette::indexOf(const std::string& key) {
    if (const auto found = indices_.find(key); found != indices_.end()) return found->second;
    std::set<int> used;
    for (const auto& [other, index] : indices_) used.insert(index);
    int index = 0;
    while (used.contains(index)) ++index;
    set(key, index);
    return index;
}

void RunPalette::set(const std::string& key, int index) {
    indices_[key] = index;
    changed_ = true;
}

void RunPalette::keepOnly(const std::vector<std::string>& keys) {
    const std::set<std::string> kept(keys.begin(), keys.end());
    if (std::erase_if(indices_, [&kept](const auto& entry) { return !kept.contains(entry.first); }) > 0) {
        changed_ = true;
    }
}

}  // namespace braid::ui
