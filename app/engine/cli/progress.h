// Progress on stderr: a bar that is redrawn on a terminal, a line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace braid::cli {

class Progress {
public:
    // quiet: nothing at all.
    explicit Progress(bool quiet = false);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();  // leaves what was drawn last

    // fraction in [0, 1]; text follows the bar. Cheap to call often.
    void update(double fraction, const std::string& text);
    // Several lines at once, for several jobs: `lines` on a terminal, `summary` elsewhere.
    void update(const std::vector<std::string>& lines, const std::string& summary);
    // Says `line` above the bar, at once.
    void say(const std::string& line);

    static std::string bar(double fraction, int width = 24);  // "########....... "

private:
    bool due();
    void draw(const std::vector<std::string>& lines);
    void erase();

    bool quiet_;
    bool terminal_;
    std::size_t drawn_lines_ = 0;
    std::vector<std::string> shown_;
    std::chrono::steady_clock::time_point last_{};
};

}  // namespace braid::cli
