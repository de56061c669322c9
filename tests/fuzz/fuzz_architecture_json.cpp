// A spec file from a stranger: refused with reasons, or a value whose JSON, rules, cost and text hold
// together.
#include "core/mixers/builtin.h"
#include "core/spec/cost.h"
#include "core/spec/diff.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto json = braid::parse_json(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!json) return 0;
    const braid::MixerCatalog& mixers = braid::builtin_mixers();
    const auto spec = braid::architecture_from_json(*json);
    if (!spec) {
        must(!spec.error().empty(), "a refusal has a reason");
        return 0;
    }
    const auto back = braid::architecture_from_json(braid::to_json(*spec));
    must(back && *back == *spec, "JSON and back is the identity");
    must(braid::content_hash(*back, mixers) == braid::content_hash(*spec, mixers),
         "equal specs, equal hashes");
    must(braid::diff(*spec, *back, mixers, 1024).same(), "a spec does not differ from itself");
    const braid::Diagnostics problems = braid::validate(*spec, mixers);
    const std::string text = braid::format_pattern(spec->layers, *spec, mixers);
    if (!problems.empty()) return 0;
    must(braid::cost(*spec, mixers, 1 << 20).total_parameters > 0, "a valid model has parameters");
    const auto pattern = braid::parse_pattern(text, mixers);
    must(pattern.has_value(), "formatted text parses");
    const braid::ArchitectureSpec again = braid::instantiate(*pattern, *spec, 1);
    must(braid::diff(*spec, again, mixers, 1024).same(), "formatted text gives the layers back");
    return 0;
}
