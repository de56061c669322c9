// A measurement file from a stranger: refused with reasons, or a value that its JSON gives again.
#include "core/record/measurement.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto json = braid::parse_json(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!json) return 0;
    const auto record = braid::measurement_from_json(*json);
    if (!record) {
        must(!record.error().empty(), "a refusal has a reason");
        return 0;
    }
    const auto again = braid::measurement_from_json(braid::to_json(*record));
    must(again.has_value(), "a measurement that was read is written so that it reads again");
    must(braid::to_json(*again) == braid::to_json(*record), "JSON and back is the identity");
    must(braid::measurement_id(*again) == braid::measurement_id(*record), "equal records, equal ids");
    for (const braid::MeasuredArray& array : record->arrays) {
        must(array.size() == array.values.size(), "as many values as the axes give");
        braid::csv(array);
    }
    return 0;
}
