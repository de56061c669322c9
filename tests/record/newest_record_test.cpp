#include "core/record/newest_record.h"

#include <gtest/gtest.h>

#include "core/record/measurement.h"
#include "core/record/score.h"

namespace braid {
namespace {

template <class Record>
Record made(std::int64_t step, const char* created, const char* kind = "trace") {
    Record record;
    record.kind = kind;
    record.created = created;
    record.checkpoint.step = Step(step);
    return record;
}

template <class Record>
void expect_rule() {
    const std::vector<Record> records{
        made<Record>(400, "2026-02-03T09:00:00Z"), made<Record>(600, "2026-02-03T05:00:00Z"),
        made<Record>(600, "2026-02-03T07:00:00Z"), made<Record>(600, "2026-02-03T07:00:00Z"),
        made<Record>(600, "2026-02-03T06:00:00Z"), made<Record>(900, "2026-02-03T04:00:00Z", "heads")};
    EXPECT_EQ(newest_of_kind(records, "trace"), &records[3])
        << "the last step, the newest, the last of equals";
    EXPECT_EQ(newest_of_kind(records, "heads"), &records[5]);
    EXPECT_EQ(newest_of_kind(records, "probe"), nullptr);
    EXPECT_EQ(newest_record(records, [](const Record& record) { return record.checkpoint.step < Step(600); }),
              &records[0]);
}

TEST(NewestRecord, OfTheLastStepTheNewest) {
    expect_rule<MeasurementRecord>();
    expect_rule<ScoreRecord>();
}

}  // namespace
}  // namespace braid
