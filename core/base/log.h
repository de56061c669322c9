// The log goes to stderr; results go to stdout. One line an event, with the time.
#pragma once

#include <string>

namespace braid {

enum class LogLevel { debug, info, warning, error };

void set_log_level(LogLevel level);
void log(LogLevel level, const std::string& message);
inline void log_info(const std::string& message) { log(LogLevel::info, message); }
inline void log_warning(const std::string& message) { log(LogLevel::warning, message); }
inline void log_error(const std::string& message) { log(LogLevel::error, message); }

}  // namespace braid
