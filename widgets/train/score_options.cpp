#include "widgets/train/score_options.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>

namespace braid::ui {

namespace {

ScoreOption text(const char* flag, const char* label, const char* help, OptionForm form,
                 bool required = false, const char* if_empty = "") {
    return {.flag = flag,
            .parameter = {.key = std::string(flag).substr(2),
                          .label = label,
                          .help = help,
                          .default_value = std::string()},
            .form = form,
            .required = required,
            .if_empty = if_empty};
}

ScoreOption whole(const char* flag, const char* label, const char* unit, const char* help, std::int64_t value,
                  double minimum, double maximum) {
    return {.flag = flag,
            .parameter = {.key = std::string(flag).substr(2),
                          .label = label,
                          .unit = unit,
                          .help = help,
                          .default_value = value,
                          .minimum = minimum,
                          .maximum = maximum}};
}

ScoreOption choice(const char* flag, const char* label, const char* help, std::vector<std::string> choices) {
    ScoreOption option{.flag = flag,
                       .parameter = {.key = std::string(flag).substr(2),
                                     .label = label,
                                     .help = help,
                                     .default_value = choices.front()}};
    option.parameter.choices = std::move(choices);
    return option;
}

ScoreOption flag(const char* flag, const char* label, const char* help) {
    return {.flag = flag,
            .parameter = {.key = std::string(flag).substr(2),
                          .label = label,
                          .help = help,
                          .default_value = false},
            .form = OptionForm::flag};
}

ScoreOption lengths() {
    return text("--lengths", "Lengths", "Tokens of prompt and answer, \"1024, 4096\"", OptionForm::lengths,
                false, "the context of the training");
}
ScoreOption haystack() {
    return text("--haystack", "Haystack", "Text to hide things in", OptionForm::file, false,
                "long validation documents");
}
ScoreOption samples(std::int64_t value) {
    return whole("--samples", "Samples", "of each kind", "Questions of each kind", value, 1, 1e6);
}
ScoreOption seed() { return whole("--seed", "Seed", "", "Of the questions", 42, 0, 1e18); }
ScoreOption context() {
    return whole("--context", "Context", "tokens; 0: as trained", "Tokens the model sees", 0, 0, 1 << 27);
}
ScoreOption data(const char* help) { return text("--data", "Questions", help, OptionForm::files, true); }
ScoreOption device() { return choice("--device", "Device", "Where to compute", {"auto", "cpu", "cuda"}); }

std::vector<ScoreForm> makeForms() {
    const auto tr = [](const char* text) { return QCoreApplication::translate("ScoreForm", text); };
    ScoreOption metric = choice("--metric", "Marked by", "How answers are compared with the references",
                                {"f1", "rouge_l", "accuracy", "edit_similarity"});
    metric.required = true;
    ScoreOption variant =
        choice("--variant", "Variant", "auto: the task's tokens for a model trained on needles, else text",
               {"auto", "tokens", "niah_single_1", "niah_single_2", "niah_single_3", "niah_multikey_1",
                "niah_multikey_2", "niah_multikey_3"});
    return {
        {.kind = "loss",
         .help = tr("Loss and perplexity on validation text, and the loss by position in the context."),
         .options = {choice("--documents", "Documents", "short: packed; long: each read from its beginning",
                            {"short", "long"}),
                     context(),
                     whole("--tokens", "Tokens", "tokens", "About so many are scored", 65'536, 1, 1 << 30),
                     whole("--buckets", "Positions", "ranges", "Ranges of positions", 16, 1, 4'096),
                     flag("--log", "Growing ranges", "Ranges that grow with the position"),
                     text("--against", "Against", "RUN@STEP: also the difference to this checkpoint",
                          OptionForm::checkpoint, false, "nothing"),
                     device()}},
        {.kind = "longppl",
         .help =
             tr("log LongPPL on texts whose key tokens are known from a file, or found with a reference."),
         .options = {text("--keys", "Key tokens", "Key-token file", OptionForm::file, false,
                          "found with the reference"),
                     text("--reference", "Reference", "RUN@STEP: the model that finds the key tokens",
                          OptionForm::checkpoint, false, "the file says which"),
                     context(), device()}},
        {.kind = "niah",
         .help = tr("Needles at every depth and length: the map of depth by length."),
         .options = {lengths(),
                     whole("--depths", "Depths", "", "Evenly from the beginning to the end", 10, 1, 1'000),
                     variant, samples(10), haystack(), seed(), device()}},
        {.kind = "ruler",
         .help = tr("RULER's thirteen tasks; qa_1 and qa_2 need questions of your own."),
         .options = {lengths(),
                     text("--tasks", "Tasks", "Only these, \"niah_single_1, vt\"", OptionForm::value, false,
                          "all thirteen"),
                     samples(200), haystack(),
                     text("--qa", "Questions", "Files in the form of SQuAD and HotpotQA, separated by commas",
                          OptionForm::files),
                     choice("--metric", "Marked by",
                            "ruler: any reference of a question; lm-eval: the share of them",
                            {"ruler", "lm-eval"}),
                     seed(), device()}},
        {.kind = "babilong",
         .help = tr("Facts at random gaps of a long text, and a question about them."),
         .options = {lengths(), samples(100), haystack(), seed(), device()}},
        {.kind = "choices",
         .help = tr("Multiple choice by length-normalised likelihood, from JSONL files of your own."),
         .options = {data("JSONL with \"context\", \"choices\", \"answer\"; several separated by commas"),
                     choice("--normalise", "Divided by", "Length of an option", {"bytes", "tokens"}),
                     context(), device()}},
        {.kind = "longbench",
         .help = tr("Answers over long texts of your own, marked against references."),
         .options = {data("JSONL with \"context\", \"input\", \"answers\"; several separated by commas"),
                     metric, lengths(), flag("--one-line", "One line", "An answer ends with its first line"),
                     seed(), device()}},
    };
}

QStringList parts(const std::string& text) {
    QStringList result;
    for (const QString& part : QString::fromStdString(text).split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!part.trimmed().isEmpty()) result << part.trimmed();
    return result;
}

QString place(const QString& project, const QString& file) {
    return QDir::cleanPath(QDir(project).absoluteFilePath(file));
}

}  // namespace

const std::vector<ScoreForm>& scoreForms() {
    static const std::vector<ScoreForm> forms = makeForms();
    return forms;
}

const ScoreForm* findScoreForm(const std::string& kind) {
    for (const ScoreForm& form : scoreForms())
        if (form.kind == kind) return &form;
    return nullptr;
}

std::vector<ParameterDescription> parametersOf(const ScoreForm& form) {
    std::vector<ParameterDescription> parameters;
    for (const ScoreOption& option : form.options) parameters.push_back(option.parameter);
    return parameters;
}

QStringList optionWords(const ScoreForm& form, const ParameterValues& values, const QString& project) {
    QStringList words;
    for (const ScoreOption& option : form.options) {
        const ParameterValue* value = values.find(option.parameter.key);
        const bool standard = !value || *value == option.parameter.default_value;
        if (standard && !(option.required && !option.parameter.choices.empty())) continue;
        const std::string shown = to_text(value ? *value : option.parameter.default_value);
        const QString name = QString::fromStdString(option.flag);
        switch (option.form) {
            case OptionForm::flag:
                words << name;
                break;
            case OptionForm::file:
                words << name << place(project, QString::fromStdString(shown));
                break;
            case OptionForm::files:
                for (const QString& file : parts(shown)) words << name << place(project, file);
                break;
            case OptionForm::lengths:
                words << name << parts(shown).join(QLatin1Char(','));
                break;
            case OptionForm::checkpoint:
            case OptionForm::value:
                words << name
                      << (option.parameter.key == "tasks" ? parts(shown).join(QLatin1Char(','))
                                                          : QString::fromStdString(shown));
                break;
        }
    }
    return words;
}

Diagnostics checkOptions(const ScoreForm& form, const ParameterValues& values, const QString& project) {
    Diagnostics problems;
    for (const ScoreOption& option : form.options) {
        const std::string& key = option.parameter.key;
        const ParameterValue* value = values.find(key);
        const ParameterValue shown = value ? *value : option.parameter.default_value;
        if (std::optional<Diagnostic> broken = check_parameter(option.parameter, shown, key)) {
            problems.push_back(*std::move(broken));
            continue;
        }
        const auto* words = std::get_if<std::string>(&shown);
        if (!words) continue;
        if (words->empty()) {
            if (option.required) problems.push_back({.path = key, .rule = "must be given", .found = {}});
            continue;
        }
        if (option.form == OptionForm::file || option.form == OptionForm::files)
            for (const QString& file : option.form == OptionForm::file
                                           ? QStringList{QString::fromStdString(*words)}
                                           : parts(*words))
                if (!QFileInfo(place(project, file)).isFile())
                    problems.push_back({.path = key, .rule = "must be a file", .found = file.toStdString()});
        if (option.form == OptionForm::lengths)
            for (const QString& length : parts(*words)) {
                bool good = false;
                const qint64 tokens = length.toLongLong(&good);
                if (!good || tokens < 1 || tokens > (1 << 27))
                    problems.push_back({.path = key,
                                        .rule = "must be numbers of tokens, separated by commas",
                                        .found = length.toStdString()});
            }
    }
    if (form.kind == "longppl") {
        const auto given = [&](const char* key) {
            const ParameterValue* value = values.find(key);
            return value && !std::get<std::string>(*value).empty();
        };
        if (given("keys") == given("reference"))
            problems.push_back({.path = given("keys") ? "reference" : "keys",
                                .rule = given("keys") ? "must be empty: the file says which they are"
                                                      : "must be given, or a reference that finds them",
                                .found = {}});
    }
    return problems;
}

}  // namespace braid::ui
