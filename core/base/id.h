// Ids and quantities that cannot be mixed up.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace braid {

// A text id of one kind of thing: RunId("a91") is no StudyId.
template <class Tag>
class TextId {
public:
    TextId() = default;
    explicit TextId(std::string text) : text_(std::move(text)) {}
    const std::string& str() const { return text_; }
    bool empty() const { return text_.empty(); }
    auto operator<=>(const TextId&) const = default;

private:
    std::string text_;
};

// A number with a meaning: Step(3) is no TokenCount.
template <class Tag>
struct Count {
    std::int64_t value = 0;
    constexpr Count() = default;
    explicit constexpr Count(std::int64_t n) : value(n) {}
    auto operator<=>(const Count&) const = default;
};

using RunId = TextId<struct RunTag>;
using StudyId = TextId<struct StudyTag>;
using LayerId = Count<struct LayerTag>;  // stable through edits; unique inside one architecture
using Step = Count<struct StepTag>;      // optimizer steps done; 0 before the first
using TokenCount = Count<struct TokenTag>;
using AttemptNumber = Count<struct AttemptTag>;  // 1 for the first start of a run, one more for each resume

}  // namespace braid

template <class Tag>
struct std::hash<braid::TextId<Tag>> {
    std::size_t operator()(const braid::TextId<Tag>& id) const noexcept {
        return std::hash<std::string>{}(id.str());
    }
};
template <class Tag>
struct std::hash<braid::Count<Tag>> {
    std::size_t operator()(const braid::Count<Tag>& count) const noexcept {
        return std::hash<std::int64_t>{}(count.value);
    }
};
