#include "core/measure/token_array.h"

#include "core/base/npy.h"

namespace braid {

Result<std::vector<std::int64_t>> read_token_array(const std::string& file, std::int64_t vocab) {
    Result<NpyIntegers> array = read_npy_integers(file);
    if (!array) return fail(std::move(array.error()));
    const bool one_text = array->shape.size() == 1 || (array->shape.size() == 2 && array->shape[0] == 1);
    if (!one_text || array->values.empty()) {
        std::string shape;
        for (const std::int64_t size : array->shape)
            shape.append(shape.empty() ? "" : ", ").append(std::to_string(size));
        return fail(ErrorKind::invalid_input,
                    "must be a list of at least one token, got the shape [" + shape + "]", file);
    }
    Diagnostics problems;
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < array->values.size() && problems.size() < shown; ++i)
        if (array->values[i] < 0 || array->values[i] >= vocab)
            problems.push_back({.path = "[" + std::to_string(i) + "]",
                                .rule = "must be a token from 0 to " + std::to_string(vocab - 1),
                                .found = std::to_string(array->values[i])});
    if (!problems.empty()) return fail(to_error(problems, file));
    return std::move(array->values);
}

}  // namespace braid
