#include "core/measure/ruler/words.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>

namespace braid {
namespace {

constexpr std::string_view adjectives_text =
    "able agile alert amber ancient apt arid ashen balmy bare blunt bold brave breezy brief "
    "bright brisk broad bronze calm candid careful cheap clean clear clever cloudy coarse cold "
    "comic common cool coral crisp curious curly damp daring dark deep dense dim dizzy dry dull "
    "eager early earnest easy elder empty exact faint fair famous fancy fast fierce fine firm "
    "flat fluffy fond formal frank free fresh frosty full fuzzy gentle giant glad gloomy golden "
    "grand grave gray green grim hardy hasty hazy heavy hidden hollow honest humble icy idle "
    "jolly keen kind large late lean light little lively local lone long loud loyal lucky lunar "
    "mellow merry mild minor misty modest muddy narrow neat nimble noble noisy odd olive open "
    "orange pale patient plain polite proud purple quick quiet rapid rare ready rough round royal "
    "rusty salty sandy secret shallow sharp shiny shy silent silver simple sleek slim slow smart "
    "smooth sober soft solar solid sour spare spicy steady steep stern still stout strict strong "
    "sturdy sunny sweet swift tall tame tender thick thin tidy tiny tough vast vivid warm wary "
    "wavy wide wild wise witty young zesty ";
constexpr std::string_view nouns_text =
    "acorn anchor apple apron arrow attic badge bakery banjo barley barrel basin basket beacon "
    "beaver bench berry bishop blanket blossom bonnet border bottle boulder branch bridge bucket "
    "buffalo button cabin camel candle canoe canyon carpet castle cedar cellar chapel chimney "
    "cider circle clover cobbler comet compass copper corner cottage cotton cradle crane cricket "
    "crown curtain dagger daisy dairy desert diamond dolphin donkey dragon drum eagle easel ember "
    "engine falcon farmer feather fiddle field finch flagon flute forest fossil fountain fox "
    "galley garden garlic gate glacier glove goblet goose grain granite grove guitar hammer "
    "harbor harp harvest hawk hazel hedge helmet heron hill hinge honey hornet horse island ivory "
    "ivy jacket jasmine jewel jungle kettle kitten knight ladder ladle lagoon lantern lark laurel "
    "lemon lily linen lizard lobster locket lumber magnet mango maple marble market meadow melon "
    "mill mirror monk moose mortar moth mountain mule needle nest nutmeg oak oasis ocean onion "
    "orchard otter owl oyster paddle palace panther parcel parrot pastry peach pearl pebble "
    "pepper piano pigeon pillow pilot pine planet plum pocket pond poppy prairie pumpkin quail "
    "quarry quilt rabbit raft raven ribbon river robin rocket saddle sailor salmon sandal satchel "
    "scarf school seal shadow shelf shepherd shield shovel sickle siren sled sparrow spider spoon "
    "spruce squirrel stable starling statue stone stork stove swan tailor tavern temple thimble "
    "thistle throne tiger timber tower trumpet tulip tunnel turtle valley velvet vessel village "
    "violin wagon walnut walrus weasel whale wheat whistle willow window winter wizard wolf wren "
    "yarrow zebra ";

std::vector<std::string_view> split(std::string_view text) {  // each word ends with a blank
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find(' ', at);
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

const std::vector<std::string_view>& adjectives() {
    static const std::vector<std::string_view> words = split(adjectives_text);
    return words;
}
const std::vector<std::string_view>& nouns() {
    static const std::vector<std::string_view> words = split(nouns_text);
    return words;
}

template <class List>
const auto& any_of(Random& random, const List& list) {
    return list[random.below(list.size())];
}

std::string made_up_word(Random& random) {
    constexpr std::string_view consonants = "bdfgklmnprstvz", vowels = "aeiou";
    std::string word;
    const std::uint64_t syllables = 2 + random.below(3);
    for (std::uint64_t i = 0; i < syllables; ++i) {
        word.push_back(any_of(random, consonants));
        word.push_back(any_of(random, vowels));
    }
    return word;
}

}  // namespace

std::string random_word_pair(Random& random) {
    std::string pair(any_of(random, adjectives()));
    return pair.append("-").append(any_of(random, nouns()));
}

std::string random_number(Random& random, std::int64_t digits) {
    std::string number;
    for (std::int64_t i = 0; i < digits; ++i)
        number.push_back(static_cast<char>('0' + (i == 0 ? 1 + random.below(9) : random.below(10))));
    return number;
}

std::string random_uuid(Random& random) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string uuid;
    for (int i = 0; i < 32; ++i) {
        if (i == 8 || i == 12 || i == 16 || i == 20) uuid.push_back('-');
        const std::uint64_t digit = random.below(16);
        uuid.push_back(digits[i == 12 ? 4 : i == 16 ? 8 + digit % 4 : digit]);
    }
    return uuid;
}

std::string random_letters(Random& random, std::int64_t length, char first) {
    std::string letters;
    for (std::int64_t i = 0; i < length; ++i)
        letters.push_back(static_cast<char>(first + static_cast<char>(random.below(26))));
    return letters;
}

std::vector<std::string> distinct_words(Random& random, std::int64_t count) {
    std::vector<std::string> words(nouns().begin(), nouns().end());
    words.insert(words.end(), adjectives().begin(), adjectives().end());
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        std::swap(words[i], words[i + random.below(words.size() - i)]);
    std::unordered_set<std::string> known(words.begin(), words.end());
    const auto wanted = static_cast<std::size_t>(count);
    while (words.size() < wanted) {
        std::string word = made_up_word(random);
        // The stock of short ones runs out: a longer one is always new some day.
        while (!known.insert(word).second) word += made_up_word(random);
        words.push_back(std::move(word));
    }
    words.resize(wanted);
    return words;
}

std::string_view noise_sentence(std::int64_t index) {
    constexpr std::array<std::string_view, 5> sentences = {"The sky is clear.", "The grass is wet.",
                                                           "A mild wind blows.", "Clouds pass by.",
                                                           "Soon it will rain."};
    return sentences[static_cast<std::size_t>(index) % sentences.size()];
}

std::string enumeration(const std::vector<std::string>& items) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i)
        text.append(i == 0 ? "" : i + 1 == items.size() ? " and " : ", ").append(items[i]);
    return text;
}

std::vector<std::int64_t> distinct_below(Random& random, std::int64_t n, std::int64_t count) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto wanted = static_cast<std::size_t>(std::min(n, count));
    for (std::size_t i = 0; i < wanted; ++i)
        std::swap(numbers[i], numbers[i + random.below(numbers.size() - i)]);
    numbers.resize(wanted);
    return numbers;
}

}  // namespace braid
