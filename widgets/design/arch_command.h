// The braid-engine line that prints what Design shows: "Copy as command".
#pragma once

#include <QString>

#include "widgets/design/spec_document.h"

namespace braid::ui {

// braid-engine arch show "FS[w=16] x2" --scale tiny --context 131072
// A model of its own size has no shorthand for its dimensions: then the project's file is named.
QString arch_command(const SpecDocument& document, const QString& name);

// In double quotes where a shell would take the text apart.
QString shell_quoted(const QString& text);

}  // namespace braid::ui
