// A capture from a stranger, its description or the file of a head: refused with reasons, or a value that is
// written so that it reads again.
#include "core/attention/capture_file.h"
#include "core/record/capture.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (const auto head = braid::captured_head_from_bytes(bytes, "1.0.att")) {
        const std::string written = braid::to_bytes(*head);
        const auto again = braid::captured_head_from_bytes(written, "1.0.att");
        must(again.has_value(), "a head that was read is written so that it reads again");
        must(*again == *head, "bytes and back is the identity");
    } else {
        must(!head.error().message.empty(), "a refusal has a reason");
    }
    const auto json = braid::parse_json(bytes);
    if (!json) return 0;
    const auto capture = braid::capture_from_json(*json);
    if (!capture) {
        must(!capture.error().empty(), "a refusal has a reason");
        return 0;
    }
    const auto again = braid::capture_from_json(braid::to_json(*capture));
    must(again.has_value(), "a capture that was read is written so that it reads again");
    must(*again == *capture, "JSON and back is the identity");
    must(braid::capture_id(*again) == braid::capture_id(*capture), "equal captures, equal ids");
    must(capture->texts.size() == capture->tokens.size(), "one text for each token");
    for (const braid::CaptureHead& head : capture->heads)
        must(head.file.find('/') == std::string::npos, "no file leaves the folder");
    return 0;
}
