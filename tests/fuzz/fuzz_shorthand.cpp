// The pattern field: whatever is typed, it is refused with columns inside the text or it survives the round
// trip.
#include "core/mixers/builtin.h"
#include "core/spec/cost.h"
#include "core/spec/edit.h"
#include "core/spec/validate.h"
#include "tests/fuzz/must.h"

namespace {

void check(const braid::ArchitectureSpec& spec, const braid::Pattern& pattern) {
    const braid::MixerCatalog& mixers = braid::builtin_mixers();
    braid::Diagnostics problems = braid::validate(spec, mixers);
    braid::mark_in_text(problems, pattern);
    const std::string text = braid::format_pattern(spec.layers, spec, mixers);
    if (!problems.empty()) return;
    must(braid::cost(spec, mixers, 4096).total_parameters > 0, "a valid model has parameters");
    const auto again = braid::parse_pattern(text, mixers);
    must(again.has_value(), "formatted text parses");
    must(braid::instantiate(*again, spec, 1) == spec, "formatted text gives the spec back");
    must(braid::respec_from_pattern(spec, *again, mixers) == spec, "an edit without a change keeps the ids");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const braid::MixerCatalog& mixers = braid::builtin_mixers();
    const auto pattern = braid::parse_pattern(text, mixers);
    if (!pattern) {
        must(!pattern.error().empty(), "a refusal has a reason");
        for (const braid::Diagnostic& each : pattern.error())
            must(each.span && each.span->begin <= each.span->end && each.span->end <= size &&
                     !each.rule.empty(),
                 "a problem lies in the text");
        (void)braid::show_problems(text, pattern.error());
        // What only breaks a range is kept for an editor.
        if (const auto shown = braid::parse_pattern(text, mixers, braid::PatternValues::unchecked))
            check(braid::instantiate(*shown, *braid::find_scale("S1")), *shown);
        return 0;
    }
    must(pattern->spans.size() == pattern->layers.size() && !pattern->layers.empty(),
         "each layer has its text");
    for (const char* scale : {"S1", "S3", "tiny"})
        check(braid::instantiate(*pattern, *braid::find_scale(scale)), *pattern);
    return 0;
}
