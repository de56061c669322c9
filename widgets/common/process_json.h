// Who works on something, in a file: so that a later window can tell whether that process still lives.
#pragma once

#include <optional>

#include "core/base/json.h"
#include "core/record/process_identity.h"

namespace braid::ui {

Json processToJson(const ProcessIdentity& process);
std::optional<ProcessIdentity> processFromJson(const Json& json);  // empty: damaged, or another's file

}  // namespace braid::ui
