#include "core/data/tokenizer/normalizer.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "core/base/json_reader.h"
#include "core/data/utf8.h"

namespace braid {
namespace {

struct FormName {
    UnicodeForm form;
    const char* name;
    int options;
};
constexpr FormName forms[] = {
    {UnicodeForm::nfc, "NFC", UTF8PROC_STABLE | UTF8PROC_COMPOSE},
    {UnicodeForm::nfd, "NFD", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE},
    {UnicodeForm::nfkc, "NFKC", UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
    {UnicodeForm::nfkd, "NFKD", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT},
};

const FormName& name_of(UnicodeForm form) {
    for (const FormName& one : forms)
        if (one.form == form) return one;
    std::abort();
}

// Whether normalisation can be cut before this character: nothing of it composes with what is before.
bool begins_cluster(char32_t c) {
    if (c < 0x80) return true;
    if (c >= 0x1160 && c <= 0x11FF) return false;  // Hangul vowels and final consonants
    const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
    return property->combining_class == 0 && property->category != UTF8PROC_CATEGORY_MN &&
           property->category != UTF8PROC_CATEGORY_MC && property->category != UTF8PROC_CATEGORY_ME;
}

// One character that every form leaves alone.
bool is_plain(char32_t c) {
    if (c < 0x80) return true;
    if (c >= 0xAC00 && c <= 0xD7A3) return false;  // decomposed by rule, not by table
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->decomp_seqindex == UINT16_MAX;
}

void keep(std::string_view text, std::size_t begin, std::size_t end, NormalizedText& out) {
    out.text.append(text.substr(begin, end - begin));
    for (std::size_t i = begin; i < end; ++i)
        out.from.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)});
}

void put(std::string_view with, std::size_t begin, std::size_t end, NormalizedText& out) {
    out.text.append(with);
    out.from.insert(out.from.end(), with.size(),
                    {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
}

bool to_form(UnicodeForm form, std::string_view text, NormalizedText& out) {
    const int options = name_of(form).options;
    bool changed = false;
    std::size_t kept_from = 0;  // everything before is in `out` once something has changed
    for (std::size_t at = 0; at < text.size();) {
        std::size_t length = utf8_character(text, at);
        char32_t c = utf8_code_point(text, at, length);
        bool plain = is_plain(c);
        std::size_t end = at + length;
        for (; end < text.size(); end += length) {
            length = utf8_character(text, end);
            c = utf8_code_point(text, end, length);
            if (begins_cluster(c)) break;
            plain = false;
        }
        if (!plain) {
            utf8proc_uint8_t* mapped = nullptr;
            const utf8proc_ssize_t size = utf8proc_map(
                reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                static_cast<utf8proc_ssize_t>(end - at), &mapped, static_cast<utf8proc_option_t>(options));
            const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(mapped, &std::free);
            const std::string_view old = text.substr(at, end - at);
            const std::string_view now(size < 0 ? old.data() : reinterpret_cast<const char*>(mapped),
                                       size < 0 ? old.size() : static_cast<std::size_t>(size));
            if (now != old) {
                changed = true;
                keep(text, kept_from, at, out);
                put(now, at, end, out);
                kept_from = end;
            }
        }
        at = end;
    }
    if (changed) keep(text, kept_from, text.size(), out);
    return changed;
}

bool replace_all(std::string_view what, std::string_view with, std::string_view text, NormalizedText& out) {
    std::size_t at = text.find(what);
    if (at == std::string_view::npos) return false;
    std::size_t kept_from = 0;
    for (; at != std::string_view::npos; at = text.find(what, kept_from)) {
        keep(text, kept_from, at, out);
        put(with, at, at + what.size(), out);
        kept_from = at + what.size();
    }
    keep(text, kept_from, text.size(), out);
    return true;
}

}  // namespace

Normalizer Normalizer::from_json(const Json& json, const std::string& path, Diagnostics& problems) {
    Normalizer normalizer;
    normalizer.read(json, path, problems);
    return normalizer;
}

void Normalizer::read(const Json& json, const std::string& path, Diagnostics& problems) {
    if (json.is_null()) return;
    JsonReader reader(json, path, problems);
    std::string type;
    if (!reader.is_object()) return;
    reader.text("type", type);
    for (const FormName& form : forms)
        if (type == form.name) return add_form(form.form);
    if (type == "Sequence") {
        const Json* list = reader.require("normalizers");
        if (list == nullptr) return;
        if (!list->is_array()) return reader.report(reader.place("normalizers"), "must be a list", *list);
        for (std::size_t i = 0; i < list->size(); ++i)
            read((*list)[i], path + ".normalizers[" + std::to_string(i) + "]", problems);
    } else if (type == "Prepend") {
        std::string text;
        reader.text("prepend", text);
        add_prepend(std::move(text), false);
    } else if (type == "Replace") {
        Step step{.kind = Step::Kind::replace};
        const Json* pattern = reader.require("pattern");
        reader.text("content", step.with);
        if (pattern == nullptr) return;
        if (!pattern->is_object() || !pattern->contains("String") || !(*pattern)["String"].is_string() ||
            (*pattern)["String"].get_ref<const std::string&>().empty())
            return reader.report(reader.place("pattern"),
                                 "must be {\"String\": TEXT}; others are not supported", *pattern);
        step.what = (*pattern)["String"].get<std::string>();
        steps_.push_back(std::move(step));
    } else {
        reader.report(reader.place("type"),
                      "this normalizer is not supported; known are NFC, NFD, NFKC, NFKD, Prepend, Replace, "
                      "Sequence",
                      Json(type));
    }
}

std::string Normalizer::loss() const {
    std::string list;
    for (const Step& step : steps_) {
        if (step.kind == Step::Kind::form)
            list += (list.empty() ? "normalises text to " : " and ") + std::string(name_of(step.form).name);
    }
    return list;
}

bool Normalizer::apply(const Step& step, std::string_view text, NormalizedText& out) {
    switch (step.kind) {
        case Step::Kind::form:
            return to_form(step.form, text, out);
        case Step::Kind::replace:
            return replace_all(step.what, step.with, text, out);
        case Step::Kind::prepend:
            if (text.empty() || (step.unless_there && text.starts_with(step.with))) return false;
            put(step.with, 0, 0, out);
            keep(text, 0, text.size(), out);
            return true;
    }
    return false;
}

bool Normalizer::apply(std::string_view text, NormalizedText& out) const {
    bool changed = false;
    for (const Step& step : steps_) {
        NormalizedText next;
        if (!apply(step, changed ? std::string_view(out.text) : text, next)) continue;
        if (changed)
            for (TokenSpan& from : next.from)
                from = {from.begin < out.from.size() ? out.from[from.begin].begin : from.begin,
                        from.end > 0 ? out.from[from.end - 1].end : 0};
        out = std::move(next);
        changed = true;
    }
    return changed;
}

}  // namespace braid
