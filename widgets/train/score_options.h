// What `braid-engine eval KIND` may be told, as forms show it. Defaults are the engine's: only what differs
// is passed on.
#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "core/spec/parameter.h"

namespace braid::ui {

enum class OptionForm { value, flag, file, files, lengths, checkpoint };

struct ScoreOption {
    std::string flag;  // "--depths"
    ParameterDescription parameter;
    OptionForm form = OptionForm::value;
    bool required = false;
    std::string if_empty = {};  // what an empty text means, for its field
};

struct ScoreForm {
    std::string kind;  // the verb, ScoreKind::id
    QString help;
    std::vector<ScoreOption> options;
};

// In the order of score_kinds().
const std::vector<ScoreForm>& scoreForms();
const ScoreForm* findScoreForm(const std::string& kind);
std::vector<ParameterDescription> parametersOf(const ScoreForm& form);

// The words of the command line, without those at their default.
QStringList optionWords(const ScoreForm& form, const ParameterValues& values, const QString& project);
// Ranges, files that do not exist, lengths that are no numbers, what is required and missing. Paths are keys.
Diagnostics checkOptions(const ScoreForm& form, const ParameterValues& values, const QString& project);

}  // namespace braid::ui
