#include "core/base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace braid {
namespace {

TEST(Error, DescribeNamesPlaceCauseAndHint) {
    const Error inner{.kind = ErrorKind::no_space, .message = "disk full", .path = "b"};
    const Error outer{.kind = ErrorKind::io,
                      .message = "no checkpoint",
                      .path = "a",
                      .hint = "Free some space",
                      .cause = std::make_shared<const Error>(inner)};
    EXPECT_EQ(describe(outer), "a: no checkpoint (because b: disk full). Free some space");
}

TEST(Error, ErrnoGetsKindAndHint) {
    const Error error = error_from_errno(ENOSPC, "cannot write", "x");
    EXPECT_EQ(error.kind, ErrorKind::no_space);
    EXPECT_FALSE(error.hint.empty());
    EXPECT_EQ(error_from_errno(EROFS, "w", "x").kind, ErrorKind::permission);
    EXPECT_EQ(error_from_errno(ENOENT, "w", "x").kind, ErrorKind::not_found);
}

TEST(Diagnostic, SaysPlaceRuleValue) {
    EXPECT_EQ((Diagnostic{.path = "layers[3].window", .rule = "must be at least 1", .found = "-1"}).message(),
              "layers[3].window: must be at least 1, got -1");
    EXPECT_EQ((Diagnostic{.path = "", .rule = "must not be empty", .found = ""}).message(),
              "must not be empty");
}

TEST(Diagnostic, AllBecomeOneError) {
    const Error error =
        to_error({{.path = "a", .rule = "r", .found = "1"}, {.path = "b", .rule = "s", .found = ""}}, "f");
    EXPECT_EQ(error.kind, ErrorKind::invalid_input);
    EXPECT_EQ(error.message, "a: r, got 1\nb: s");
}

}  // namespace
}  // namespace braid
