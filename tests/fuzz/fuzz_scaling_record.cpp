// A fit's file from a stranger: refused with reasons, or a record that its JSON gives again.
#include "core/analysis/scaling_record.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto json = braid::parse_json(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!json) return 0;
    const auto record = braid::scaling_record_from_json(*json);
    if (!record) {
        must(!record.error().empty(), "a refusal has a reason");
        return 0;
    }
    const braid::Json written = braid::to_json(*record);
    const auto again = braid::scaling_record_from_json(written);
    must(again.has_value(), "a record that was read is written so that it reads again");
    must(braid::to_json(*again) == written, "JSON and back is the identity");
    braid::coefficients_csv(record->report);
    braid::scaling_csv(record->report);
    braid::scaling_latex(record->report);
    braid::efficiency_latex(record->report);
    for (const braid::ScalingFit& fit : record->report.fits) braid::predict(fit, 1e8, 1e10);
    return 0;
}
