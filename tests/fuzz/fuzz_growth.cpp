// A file of measured speeds from a stranger: refused with reasons, or a record that its JSON gives again.
#include "core/record/growth.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto json = braid::parse_json(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!json) return 0;
    const auto record = braid::growth_from_json(*json);
    if (!record) {
        must(!record.error().empty(), "a refusal has a reason");
        return 0;
    }
    const auto again = braid::growth_from_json(braid::to_json(*record));
    must(again.has_value(), "a record that was read is written so that it reads again");
    must(*again == *record, "JSON and back is the identity");
    return 0;
}
