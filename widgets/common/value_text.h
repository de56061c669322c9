// Values of described parameters for people.
#pragma once

#include <QString>

#include "core/spec/parameter.h"

namespace braid::ui {

// "1,024", "1e5", "RoPE", "on": a value as forms and lists show it.
QString valueText(const ParameterDescription& description, const ParameterValue& value);
QString choiceText(const std::string& choice);

}  // namespace braid::ui
