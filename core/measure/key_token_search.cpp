#include "core/measure/key_token_search.h"

#include <algorithm>

#include "core/engine/guard.h"
#include "core/engine/text_losses.h"

namespace braid {
namespace {

// A text as the reference reads it: the document token, if there is one, then the text. `losses[i]` belongs
// to ids[i]; the first has none.
struct Reading {
    std::vector<std::int32_t> ids;
    std::vector<TokenSpan> spans;  // of ids; the document token has an empty one
};

Reading read_text(const Tokenizer& tokenizer, const std::string& text, std::int64_t context) {
    Reading reading;
    if (const std::int32_t opening = tokenizer.info().document_token(); opening >= 0) {
        reading.ids.push_back(opening);
        reading.spans.emplace_back();
    }
    tokenizer.encode(text, SpecialText::as_text, reading.ids, &reading.spans);
    const auto most = static_cast<std::size_t>(context) + 1;
    if (reading.ids.size() > most) reading.ids.resize(most), reading.spans.resize(most);
    return reading;
}

// Windows of `length` inputs that begin at `starts`; inputs past the end of the text are padded.
Batch windows_of(const std::vector<std::int32_t>& ids, const std::vector<std::int64_t>& starts,
                 std::int64_t length) {
    Batch batch{.sequences = static_cast<std::int64_t>(starts.size()),
                .context = length,
                .tokens_BT = {},
                .targets_BT = {}};
    const auto inputs = static_cast<std::int64_t>(ids.size()) - 1;
    for (const std::int64_t start : starts)
        for (std::int64_t t = start; t < start + length; ++t) {
            batch.tokens_BT.push_back(t < inputs ? ids[static_cast<std::size_t>(t)] : 0);
            batch.targets_BT.push_back(t < inputs ? ids[static_cast<std::size_t>(t) + 1] : no_target);
        }
    return batch;
}

// Loss of the target at each input position >= short_context - 1 with the short context.
std::vector<float> short_losses(Model& reference, const Reading& reading, const KeyTokenRule& rule,
                                const std::function<bool()>& go_on) {
    const std::int64_t inputs = static_cast<std::int64_t>(reading.ids.size()) - 1;
    // A window of short_context + advance tokens has one input less: the last token is a target only.
    const std::int64_t length = rule.short_context + rule.advance - 1;
    const std::int64_t first = rule.short_context - 1;
    std::vector<std::int64_t> starts;
    for (std::int64_t start = 0; start + first < inputs; start += rule.advance) starts.push_back(start);
    const std::vector<float> in_windows =
        text_losses(reference, windows_of(reading.ids, starts, length), go_on);
    std::vector<float> losses(static_cast<std::size_t>(inputs));
    for (std::size_t w = 0; w < starts.size() && !in_windows.empty(); ++w)
        for (std::int64_t t = first; t < length && starts[w] + t < inputs; ++t)
            losses[static_cast<std::size_t>(starts[w] + t)] =
                in_windows[w * static_cast<std::size_t>(length) + static_cast<std::size_t>(t)];
    return losses;
}

}  // namespace

Result<void> find_key_tokens(Model& reference, const Tokenizer& tokenizer, const KeyTokenRule& rule,
                             std::vector<KeySample>& samples,
                             const std::function<bool(const KeyTokenProgress&)>& go_on) {
    Diagnostics problems = validate(rule);
    for (Diagnostic problem : check_fit(tokenizer.info(), reference.spec().vocab, "reference"))
        problems.push_back(std::move(problem));
    if (!problems.empty()) return fail(to_error(problems));
    return guarded("finding key tokens", [&]() -> Result<void> {
        KeyTokenProgress progress{.samples = static_cast<std::int64_t>(samples.size())};
        bool stopped = false;
        const auto ask = [&] { return !(stopped = stopped || (go_on && !go_on(progress))); };
        for (KeySample& sample : samples) {
            if (!ask()) return fail(ErrorKind::interrupted, "stopped while key tokens were looked for");
            sample.spans.clear();
            const Reading reading = read_text(tokenizer, sample.text, rule.context);
            const auto inputs = static_cast<std::int64_t>(reading.ids.size()) - 1;
            if (inputs >= rule.short_context) {
                const std::vector<float> whole =
                    text_losses(reference, windows_of(reading.ids, {0}, inputs), ask);
                const std::vector<float> in_short = short_losses(reference, reading, rule, ask);
                if (stopped) return fail(ErrorKind::interrupted, "stopped while key tokens were looked for");
                for (std::int64_t t = rule.short_context - 1; t < inputs; ++t) {
                    const auto at = static_cast<std::size_t>(t);
                    if (!(double(in_short[at]) - double(whole[at]) > rule.gain &&
                          double(whole[at]) < rule.sure))
                        continue;
                    const TokenSpan span = reading.spans[at + 1];
                    if (span.begin >= span.end) continue;
                    ++progress.key_tokens;
                    // Tokens beside each other become one span.
                    if (!sample.spans.empty() && sample.spans.back().end >= span.begin)
                        sample.spans.back().end = std::max(sample.spans.back().end, span.end);
                    else
                        sample.spans.push_back(span);
                }
            }
            ++progress.samples_done;
        }
        return {};
    });
}

}  // namespace braid
