// A score file from a stranger: refused with reasons, or a value that its JSON gives again.
#include "core/record/score.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto json = braid::parse_json(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!json) return 0;
    if (const auto score = braid::score_from_json(*json)) {
        const auto again = braid::score_from_json(braid::to_json(*score));
        must(again.has_value(), "a score that was read is written so that it reads again");
        must(braid::to_json(*again) == braid::to_json(*score), "JSON and back is the identity");
        must(braid::score_id(*again) == braid::score_id(*score), "equal scores, equal ids");
        for (const braid::ScoreSummary& one : score->summary) braid::score_metric(score->kind, one.name);
    } else {
        must(!score.error().empty(), "a refusal has a reason");
    }
    if (const auto answer = braid::answer_from_json(*json)) {
        const auto again = braid::answer_from_json(braid::to_json(*answer));
        must(again && *again == *answer, "an answer and back is the identity");
    }
    return 0;
}
