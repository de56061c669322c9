#include "core/data/babi.h"

#include <array>

#include "core/data/generated_source.h"

namespace braid {
namespace {

enum Word : std::int32_t { went, to, the, took, dropped, where, is, question, stop, first_name };
static_assert(first_name == BabiParameters::words);
constexpr std::array<const char*, first_name> words = {"went",  "to", "the", "took", "dropped",
                                                       "where", "is", "?",   "."};
constexpr std::array<const char*, 4> people_names = {"mary", "john", "sandra", "daniel"};
constexpr std::array<const char*, 6> place_names = {"bathroom", "bedroom", "garden",
                                                    "hallway",  "kitchen", "office"};
constexpr std::array<const char*, 3> object_names = {"apple", "football", "milk"};

// The world of one story, told as it changes.
class Story {
public:
    Story(const BabiParameters& parameters, Random& random, DrawnSequence& sequence)
        : parameters_(parameters),
          random_(random),
          sequence_(sequence),
          people_(static_cast<std::size_t>(parameters.people)),
          objects_(static_cast<std::size_t>(parameters.objects)) {}

    void tell() {
        while (at_ < sequence_.tokens.size()) {
            if (random_.chance(parameters_.questions) && ask()) continue;
            happen();
        }
    }

private:
    static constexpr std::int64_t nowhere = -1;
    struct Person {
        std::int64_t place = nowhere;
        std::size_t said = 0;  // position of the place's word
    };
    struct Object {
        std::int64_t holder = nowhere;  // a person
        std::int64_t place = nowhere;   // where it was dropped
        std::size_t said = 0;           // of the place's word that decides
    };

    std::size_t any(std::size_t n) { return random_.below(n); }
    void say(std::int32_t word) {
        if (at_ < sequence_.tokens.size()) sequence_.tokens[at_] = word;
        ++at_;
    }

    void happen() {
        const std::size_t who = any(people_.size());
        Person& person = people_[who];
        const std::size_t what = objects_.empty() ? 0 : any(objects_.size());
        const bool at_hand = !objects_.empty() && person.place != nowhere &&
                             (objects_[what].holder == nowhere &&
                              (objects_[what].place == nowhere || objects_[what].place == person.place));
        const bool holds = !objects_.empty() && objects_[what].holder == static_cast<std::int64_t>(who);
        say(parameters_.person(static_cast<std::int64_t>(who)));
        if ((at_hand || holds) && random_.chance(0.5)) {
            Object& object = objects_[what];
            say(at_hand ? took : dropped);
            say(the);
            say(parameters_.object(static_cast<std::int64_t>(what)));
            object.holder = at_hand ? static_cast<std::int64_t>(who) : nowhere;
            object.place = person.place;
            object.said = person.said;
        } else {
            person.place = static_cast<std::int64_t>(any(static_cast<std::size_t>(parameters_.places)));
            say(went);
            say(to);
            say(the);
            person.said = at_;
            say(parameters_.place(person.place));
        }
        say(stop);
    }

    // False where nothing is known that could be asked for.
    bool ask() {
        std::vector<std::size_t> known;  // people first, then objects
        for (std::size_t i = 0; i < people_.size(); ++i)
            if (people_[i].place != nowhere) known.push_back(i);
        for (std::size_t i = 0; i < objects_.size(); ++i)
            if (objects_[i].place != nowhere) known.push_back(people_.size() + i);
        if (known.empty()) return false;
        const std::size_t about = known[any(known.size())];
        const bool object = about >= people_.size();
        std::int64_t place = nowhere;
        std::size_t said = 0;
        say(where);
        say(is);
        if (object) {
            const Object& one = objects_[about - people_.size()];
            const bool held = one.holder != nowhere;
            place = held ? people_[static_cast<std::size_t>(one.holder)].place : one.place;
            said = held ? people_[static_cast<std::size_t>(one.holder)].said : one.said;
            say(the);
            say(parameters_.object(static_cast<std::int64_t>(about - people_.size())));
        } else {
            place = people_[about].place;
            said = people_[about].said;
            say(parameters_.person(static_cast<std::int64_t>(about)));
        }
        say(question);
        if (at_ <= sequence_.tokens.size())
            sequence_.answers.push_back({.position = static_cast<std::int32_t>(at_ - 1),
                                         .answer = parameters_.place(place),
                                         .distance = static_cast<std::int32_t>(at_ - said),
                                         .group = object ? 1 : 0});
        say(parameters_.place(place));
        say(stop);
        return true;
    }

    const BabiParameters& parameters_;
    Random& random_;
    DrawnSequence& sequence_;
    std::vector<Person> people_;
    std::vector<Object> objects_;
    std::size_t at_ = 0;
};

}  // namespace

std::string babi_word(const ParameterValues& values, std::int32_t token) {
    const BabiParameters parameters = babi_parameters(values);
    if (token < 0 || token >= parameters.vocab()) return {};
    if (token < first_name) return words[static_cast<std::size_t>(token)];
    const auto name = [](const auto& names, std::int64_t i, const char* kind) {
        return i < static_cast<std::int64_t>(names.size()) ? std::string(names[static_cast<std::size_t>(i)])
                                                           : kind + ("-" + std::to_string(i + 1));
    };
    std::int64_t i = token - first_name;
    if (i < parameters.people) return name(people_names, i, "person");
    i -= parameters.people;
    if (i < parameters.places) return name(place_names, i, "place");
    return name(object_names, i - parameters.places, "object");
}

std::unique_ptr<DataSource> make_babi_task(const ParameterValues& values, std::int64_t context,
                                           std::uint64_t seed) {
    const BabiParameters parameters = babi_parameters(values);
    std::vector<std::string> groups = {"babi/1-fact"};
    if (parameters.objects > 0) groups.emplace_back("babi/2-facts");
    return make_generated_source(
        {.id = babi_task.id,
         .values = normalised(values, babi_task.parameters),
         .vocab = parameters.vocab(),
         .groups = std::move(groups),
         .evaluation_sequences = parameters.evaluation_sequences,
         .draw = [parameters](Random& random, std::int64_t,
                              DrawnSequence& sequence) { Story(parameters, random, sequence).tell(); }},
        context, seed);
}

}  // namespace braid
