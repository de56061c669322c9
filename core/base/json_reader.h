// Reads a JSON object key by key and remembers everything that is wrong with it.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"

namespace braid {

class JsonReader {
public:
    // Problems go to `problems` with places below `path` ("data.corpus"). `json` must outlive the reader.
    JsonReader(const Json& json, std::string path, Diagnostics& problems);

    // The value of a known key; null where it is absent.
    const Json* find(const std::string& key);
    // As find(); absence is a problem.
    const Json* require(const std::string& key);

    // Leave the value alone where the key is absent.
    void text(const std::string& key, std::string& value);
    void number(const std::string& key, double& value);
    void flag(const std::string& key, bool& value);
    void integer(const std::string& key, std::int64_t& value,
                 std::int64_t minimum = std::numeric_limits<std::int64_t>::min(),
                 std::int64_t maximum = std::numeric_limits<std::int64_t>::max());

    // "schema_version" must be there and at most `known`; false (and one problem) for one of the future,
    // whose other keys should then not be judged.
    bool schema_version(int known);
    // Call last: every key that was not asked for is a problem.
    void refuse_unknown_keys();

    bool is_object() const { return is_object_; }
    std::string place(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
    void report(std::string path, std::string rule, const Json& found);
    void report(std::string path, std::string rule);

    // The value of something read, or its problems with their places put below `key`.
    template <class T>
    void take(const std::string& key, Checked<T> checked, T& value) {
        if (checked)
            value = std::move(*checked);
        else
            add(key, std::move(checked.error()));
    }
    void add(const std::string& key, Diagnostics problems);

private:
    const Json& json_;
    std::string path_;
    Diagnostics& problems_;
    std::set<std::string> known_;
    bool is_object_;
};

}  // namespace braid
