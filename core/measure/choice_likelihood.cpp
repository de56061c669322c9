#include "core/measure/choice_likelihood.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "core/engine/guard.h"
#include "core/engine/text_losses.h"

namespace braid {
namespace {

constexpr std::int64_t tokens_at_a_time = 16'384;

struct Row {
    std::vector<std::int32_t> ids;
    std::size_t first = 0;  // of the option's tokens
    OptionLikelihood* result = nullptr;
};

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

Row row_of(const Tokenizer& tokenizer, const std::string& context, const std::string& option) {
    std::string text = context;
    const bool joined = context.empty() || is_blank(context.back()) || is_blank(option.front());
    text.append(joined ? "" : " ").append(option);
    Row row;
    std::vector<TokenSpan> spans;
    if (const std::int32_t opening = tokenizer.info().document_token(); opening >= 0) {
        row.ids.push_back(opening);
        spans.emplace_back();
    }
    tokenizer.encode(text, SpecialText::as_text, row.ids, &spans);
    while (row.first < spans.size() && spans[row.first].end <= context.size()) ++row.first;
    return row;
}

class Scoring {
public:
    Scoring(Model& model, const std::function<bool(double)>& go_on) : model_(model), go_on_(go_on) {}

    // False where it was stopped. Rows of like length share a batch.
    bool score(std::vector<Row>& rows) {
        std::stable_sort(rows.begin(), rows.end(),
                         [](const Row& a, const Row& b) { return a.ids.size() < b.ids.size(); });
        std::size_t done = 0;
        while (done < rows.size()) {
            if (go_on_ && !go_on_(double(done) / double(rows.size()))) return false;
            std::size_t end = done + 1;
            while (end < rows.size() &&
                   std::int64_t((end + 1 - done) * rows[end].ids.size()) <= tokens_at_a_time)
                ++end;
            batch(std::span(rows).subspan(done, end - done));
            done = end;
        }
        return true;
    }

private:
    void batch(std::span<Row> rows) {
        const std::size_t length = rows.back().ids.size() - 1;
        Batch batch{.sequences = std::int64_t(rows.size()),
                    .context = std::int64_t(length),
                    .tokens_BT = std::vector<std::int32_t>(rows.size() * length, 0),
                    .targets_BT = std::vector<std::int32_t>(rows.size() * length, no_target)};
        for (std::size_t b = 0; b < rows.size(); ++b)
            for (std::size_t t = 0; t + 1 < rows[b].ids.size(); ++t) {
                batch.tokens_BT[b * length + t] = rows[b].ids[t];
                if (t + 1 >= rows[b].first) batch.targets_BT[b * length + t] = rows[b].ids[t + 1];
            }
        const std::vector<float> losses = text_losses(model_, batch);
        for (std::size_t b = 0; b < rows.size(); ++b)
            for (std::size_t t = 0; t < length; ++t)
                if (batch.targets_BT[b * length + t] != no_target) {
                    rows[b].result->log_likelihood -= double(losses[b * length + t]);
                    ++rows[b].result->tokens;
                }
    }

    Model& model_;
    const std::function<bool(double)>& go_on_;
};

}  // namespace

Result<std::vector<std::vector<OptionLikelihood>>> option_likelihoods(
    Model& model, const Tokenizer& tokenizer, std::span<const ChoiceItem> items, std::int64_t context,
    const std::function<bool(double fraction)>& go_on) {
    std::vector<std::vector<OptionLikelihood>> result;
    for (const ChoiceItem& item : items) result.emplace_back(item.choices.size());
    std::vector<Row> rows;
    for (std::size_t i = 0; i < items.size(); ++i)
        for (std::size_t c = 0; c < items[i].choices.size(); ++c) {
            Row row = row_of(tokenizer, items[i].context, items[i].choices[c]);
            row.result = &result[i][c];
            row.result->bytes = std::int64_t(items[i].choices[c].size());
            // One token more than is read: the last is a target only. The option needs a token before it.
            const auto most = std::size_t(context) + 1;
            const std::size_t option = row.ids.size() - row.first;
            if (option + 1 > most || row.ids.size() < 2 || row.first == 0) {
                std::string place = "questions[";
                place.append(std::to_string(i)).append("].choices[").append(std::to_string(c)).append("]");
                const bool alone = row.first == 0;
                return fail(to_error(
                    {{.path = place,
                      .rule = alone ? "must have a context before it"
                                    : "must have fewer tokens than the context of " + std::to_string(context),
                      .found = std::to_string(option)}}));
            }
            if (row.ids.size() > most) {
                const std::size_t left_out = row.ids.size() - most;
                row.ids.erase(row.ids.begin(), row.ids.begin() + std::ptrdiff_t(left_out));
                row.first -= left_out;
                row.result->cut = true;
            }
            rows.push_back(std::move(row));
        }
    return guarded("scoring choices", [&]() -> Result<std::vector<std::vector<OptionLikelihood>>> {
        if (!Scoring(model, go_on).score(rows))
            return fail(ErrorKind::interrupted, "stopped before all choices were scored");
        return std::move(result);
    });
}

std::int64_t best_option(std::span<const OptionLikelihood> options, LikelihoodLength length) {
    const auto mark = [length](const OptionLikelihood& option) {
        switch (length) {
            case LikelihoodLength::none:
                return option.log_likelihood;
            case LikelihoodLength::bytes:
                return option.log_likelihood / double(std::max<std::int64_t>(1, option.bytes));
            case LikelihoodLength::tokens:
                return option.log_likelihood / double(std::max<std::int64_t>(1, option.tokens));
        }
        return 0.0;
    };
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < std::int64_t(options.size()); ++i)
        if (mark(options[std::size_t(i)]) > mark(options[std::size_t(best)])) best = i;
    return best;
}

}  // namespace braid
