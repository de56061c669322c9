#include "core/launch/gpu_list.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace braid {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr const char* query =
    "nvidia-smi --query-gpu=index,uuid,memory.free --format=csv,noheader,nounits 2>/dev/null";

std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        std::string_view part = text.substr(0, end);
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        while (!part.empty() && (part.back() == ' ' || part.back() == '\r')) part.remove_suffix(1);
        parts.emplace_back(part);
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string output_of(const char* command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command, "re"), ::pclose);
    std::string text;
    if (!pipe) return text;
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;)
        text.append(buffer.data(), got);
    return text;
}

}  // namespace

std::vector<Gpu> parse_gpus(std::string_view text, const std::optional<std::string>& visible) {
    struct Known {
        std::string index, uuid;
        std::int64_t free_bytes = 0;
    };
    std::vector<Known> known;
    for (const std::string& line : parts_of(text, '\n')) {
        const std::vector<std::string> cells = parts_of(line, ',');
        std::int64_t free_mebibytes = 0;
        if (cells.size() != 3 || cells[0].empty()) continue;
        const char* end = cells[2].data() + cells[2].size();
        const auto read = std::from_chars(cells[2].data(), end, free_mebibytes);
        if (read.ec != std::errc{} || read.ptr != end) continue;
        known.push_back({cells[0], cells[1], free_mebibytes * mebibyte});
    }
    std::vector<Gpu> gpus;
    if (!visible) {
        for (const Known& each : known) gpus.push_back({.id = each.index, .free_bytes = each.free_bytes});
        return gpus;
    }
    // As CUDA reads it: what stands behind something that is no device does not count.
    for (const std::string& id : parts_of(*visible, ',')) {
        if (id.empty() || id.front() == '-') break;
        Gpu gpu{.id = id};
        for (const Known& each : known)
            if (each.index == id || each.uuid == id) gpu.free_bytes = each.free_bytes;
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

std::vector<Gpu> visible_gpus() {
    std::optional<std::string> visible;
    if (const char* given = std::getenv("CUDA_VISIBLE_DEVICES")) visible = given;
    std::vector<Gpu> gpus = parse_gpus(output_of(query), visible);
    if (!gpus.empty() || visible) return gpus;
    std::error_code ignored;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", ignored))
        gpus.push_back({.id = std::to_string(gpus.size())});
    return gpus;
}

}  // namespace braid
