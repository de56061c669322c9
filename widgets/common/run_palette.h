// Which colour a run has, remembered in the project (ui.json), so that it is the same in every panel and
// tomorrow.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/record/run_plan.h"

namespace braid::ui {

class RunPalette {
public:
    // A file that is missing or broken is as good as an empty one: colours are no work of the user.
    void load(const std::string& file);
    // Writes when something was given out since; an error is for the caller to show or not.
    Result<void> save();

    // Runs of one variant of a study share their colour (their seeds are one group); other runs have their
    // own.
    static std::string keyOf(const RunPlan& plan);
    // The stored index, or the smallest that nobody has.
    int indexOf(const std::string& key);
    void set(const std::string& key, int index);
    // Forgets keys that no run has any more, so that their colours can be given out again.
    void keepOnly(const std::vector<std::string>& keys);

private:
    std::string file_;
    std::map<std::string, int> indices_;
    bool changed_ = false;
};

}  // namespace braid::ui
