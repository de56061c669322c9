#include "app/engine/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace braid::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto redraw_every = 100ms;
constexpr auto line_every = 5s;

bool stderr_is_a_terminal() {
    const char* term = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

std::size_t terminal_columns() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

void write(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

// At most `columns` code points: a line that wraps could not be erased.
std::string cut(const std::string& line, std::size_t columns) {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
        if ((static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U && seen++ == columns)
            return line.substr(0, i);
    return line;
}

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(stderr_is_a_terminal()) {}

Progress::~Progress() {
    if (quiet_ || shown_.empty()) return;
    if (terminal_) draw(shown_);
}

std::string Progress::bar(double fraction, int width) {
    const double clamped = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
    const auto full = static_cast<std::size_t>(std::lround(clamped * width));
    return "[" + std::string(full, '#') + std::string(static_cast<std::size_t>(width) - full, '.') + "]";
}

bool Progress::due() {
    const auto now = std::chrono::steady_clock::now();
    if (last_ != std::chrono::steady_clock::time_point{} &&
        now - last_ <
            (terminal_ ? std::chrono::nanoseconds(redraw_every) : std::chrono::nanoseconds(line_every)))
        return false;
    last_ = now;
    return true;
}

void Progress::update(double fraction, const std::string& text) {
    if (quiet_) return;
    const int percent = static_cast<int>(std::floor(std::clamp(fraction, 0.0, 1.0) * 100));
    const std::string number = (percent < 10    ? "  "
                                : percent < 100 ? " "
                                                : "") +
                               std::to_string(percent) + "%  ";
    update({bar(fraction) + " " + number + text}, number + text);
}

void Progress::update(const std::vector<std::string>& lines, const std::string& summary) {
    if (quiet_) return;
    shown_ = lines;
    if (!due()) return;
    if (terminal_)
        draw(lines);
    else
        write(summary + "\n");
}

void Progress::say(const std::string& line) {
    if (quiet_) return;
    if (terminal_) erase();
    write(line + "\n");
    if (terminal_ && !shown_.empty()) draw(shown_);
}

void Progress::draw(const std::vector<std::string>& lines) {
    erase();
    const std::size_t columns = terminal_columns();
    std::string text;
    for (const std::string& line : lines) text += cut(line, columns - 1) + "\n";
    write(text);
    drawn_lines_ = lines.size();
}

void Progress::erase() {
    if (drawn_lines_ == 0) return;
    write("\r\x1b[" + std::to_string(drawn_lines_) + "A\x1b[J");
    drawn_lines_ = 0;
}

}  // namespace braid::cli
