#include "core/base/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

// A file as numpy.save() writes it.
std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += {version, '\0', static_cast<char>(dictionary.size() & 0xff),
              static_cast<char>(dictionary.size() >> 8)};
    if (version > 1) bytes += {'\0', '\0'};
    return bytes + dictionary + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string dictionary(const std::string& type, const std::string& shape, const char* order = "False") {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }          \n";
}

TEST(Npy, ReadsWholeNumbersOfEveryWidth) {
    const TemporaryFolder folder;
    const auto read = [&](const std::string& type, const std::string& data) {
        write_text(folder / "a.npy", npy(dictionary(type, "(3,)"), data));
        const auto array = read_npy_integers(folder / "a.npy");
        EXPECT_TRUE(array) << type << ": " << (array ? "" : describe(array.error()));
        return array ? array->values : std::vector<std::int64_t>();
    };
    const std::vector<std::int64_t> wanted{7, -1, 100};
    EXPECT_EQ(read("<i8", bytes_of(wanted)), wanted);
    EXPECT_EQ(read("<i4", bytes_of(std::vector<std::int32_t>{7, -1, 100})), wanted);
    EXPECT_EQ(read("<i2", bytes_of(std::vector<std::int16_t>{7, -1, 100})), wanted);
    EXPECT_EQ(read("|i1", bytes_of(std::vector<std::int8_t>{7, -1, 100})), wanted);
    EXPECT_EQ(read("<u2", bytes_of(std::vector<std::uint16_t>{7, 65'535, 100}))[1], 65'535);
    EXPECT_EQ(read("|u1", "\x07\xff\x64")[1], 255);
    EXPECT_EQ(read("<u4", bytes_of(std::vector<std::uint32_t>{7, 0xffff'ffff, 100}))[1], 0xffff'ffffLL);
}

TEST(Npy, NumbersThatNoInt64HoldsAreNamedAsTheyAre) {
    const TemporaryFolder folder;
    const std::vector<std::uint64_t> values{5, std::uint64_t{1} << 63, ~std::uint64_t{0}};
    write_text(folder / "a.npy", npy(dictionary("<u8", "(3,)"), bytes_of(values)));
    const auto array = read_npy_integers(folder / "a.npy");
    ASSERT_FALSE(array);
    EXPECT_EQ(array.error().kind, ErrorKind::invalid_input);
    const std::string said = describe(array.error());
    EXPECT_NE(said.find("[1]: must be at most 9223372036854775807, got 9223372036854775808"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("got 18446744073709551615"), std::string::npos) << said;
    write_text(folder / "b.npy", npy(dictionary("<u8", "(1,)"), bytes_of(std::vector<std::uint64_t>{7})));
    EXPECT_EQ(read_npy_integers(folder / "b.npy")->values, std::vector<std::int64_t>{7});
}

TEST(Npy, ReadsEveryVersionAndShape) {
    const TemporaryFolder folder;
    for (const char version : {'\1', '\2', '\3'}) {
        const std::vector<std::int64_t> values{1, 2, 3, 4, 5, 6};
        write_text(folder / "a.npy", npy(dictionary("<i8", "(2, 3)"), bytes_of(values), version));
        const auto array = read_npy_integers(folder / "a.npy");
        ASSERT_TRUE(array) << describe(array.error());
        EXPECT_EQ(array->shape, (std::vector<std::int64_t>{2, 3}));
        EXPECT_EQ(array->values, values);
    }
    write_text(folder / "scalar.npy", npy(dictionary("<i8", "()"), bytes_of(std::vector<std::int64_t>{9})));
    EXPECT_EQ(read_npy_integers(folder / "scalar.npy")->values, std::vector<std::int64_t>{9});
    write_text(folder / "empty.npy", npy(dictionary("<i8", "(0,)"), ""));
    EXPECT_TRUE(read_npy_integers(folder / "empty.npy")->values.empty());
}

TEST(Npy, WhatItCannotReadIsSaid) {
    const TemporaryFolder folder;
    const auto error = [&](const std::string& bytes) {
        write_text(folder / "a.npy", bytes);
        const auto array = read_npy_integers(folder / "a.npy");
        return array ? std::string() : describe(array.error());
    };
    const std::string four = bytes_of(std::vector<std::int64_t>{1, 2, 3, 4});
    EXPECT_NE(error(npy(dictionary("<f4", "(8,)"), four)).find("whole numbers"), std::string::npos);
    EXPECT_NE(error(npy(dictionary(">i8", "(4,)"), four)).find("got type >i8"), std::string::npos);
    EXPECT_NE(error(npy(dictionary("<i8", "(2, 2)", "True"), four)).find("fortran_order"), std::string::npos);
    for (const char* shape : {"(5,)", "(3,)", "(4611686018427387904, 4)", "(4611686018427387904, 8)"})
        EXPECT_NE(error(npy(dictionary("<i8", shape), four)).find("another number of bytes"),
                  std::string::npos)
            << shape;
    for (const std::string& text :
         {std::string(), std::string("PK\3\4"), std::string("\x93NUMPY"),
          std::string("\x93NUMPY\1\0\xff\xff{", 11), npy("{'descr': '<i8'}", four),
          npy("{'descr': '<i8', 'fortran_order': False, 'shape': (-4,)}", four),
          npy("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (4,)}", four),
          npy(dictionary("<i8", "(4,)") + "x", four), npy(dictionary("<i0", "(4,)"), four),
          npy("{'descr': '<i8', 'descr': '<i8', 'fortran_order': False, 'shape': (4,)}", four),
          std::string("\x93NUMPY\x09\0\1\0 ", 11)})
        EXPECT_NE(error(text).find("no valid .npy file"), std::string::npos)
            << text.substr(0, 80) << error(text);
    EXPECT_EQ(read_npy_integers(folder / "absent.npy").error().kind, ErrorKind::not_found);
}

// Bytes changed, removed and put in: an answer or an error, never a crash or a huge allocation.
TEST(Npy, DamagedFilesAreErrorsNotCrashes) {
    const TemporaryFolder folder;
    const std::string good = npy(dictionary("<i4", "(2, 4)"), bytes_of(std::vector<std::int32_t>(8, 3)));
    std::mt19937_64 random(5);
    std::size_t refused = 0;
    for (int i = 0; i < 4'000; ++i) {
        std::string bytes = good;
        for (std::uint64_t changes = 1 + random() % 3; changes-- > 0 && !bytes.empty();) {
            const std::size_t at = random() % bytes.size();
            switch (random() % 4) {
                case 0:
                    bytes[at] = static_cast<char>(random());
                    break;
                case 1:
                    bytes.erase(at, 1 + random() % 8);
                    break;
                case 2:
                    bytes.insert(at, 1, "0123456789(){}',:- <>"[random() % 21]);
                    break;
                default:
                    bytes.resize(at);
            }
        }
        if (const auto header = parse_npy_header(bytes); !header) {
            EXPECT_EQ(header.error().kind, ErrorKind::corrupt);
            ++refused;
        }
        if (i % 8 != 0) continue;
        write_text(folder / "a.npy", bytes);
        (void)read_npy_integers(folder / "a.npy");
    }
    EXPECT_GT(refused, 1'000U);
}

TEST(Npy, WritesFloatsPieceByPiece) {
    const TemporaryFolder folder;
    std::vector<float> values(3 * 5);
    std::iota(values.begin(), values.end(), 0.5F);
    {
        auto writer = NpyWriter::create(folder / "out.npy", {3, 5});
        ASSERT_TRUE(writer) << describe(writer.error());
        ASSERT_TRUE(writer->write(std::span(values).first(4)));
        EXPECT_FALSE(std::filesystem::exists(folder / "out.npy")) << "not before it is whole";
        ASSERT_TRUE(writer->write(std::span(values).subspan(4)));
        EXPECT_FALSE(writer->write(std::span(values).first(1))) << "more than its shape";
        ASSERT_TRUE(writer->finish());
    }
    const std::string bytes = read_text(folder / "out.npy");
    const auto header = parse_npy_header(bytes);
    ASSERT_TRUE(header) << describe(header.error());
    EXPECT_EQ(header->kind, 'f');
    EXPECT_EQ(header->bytes, 4U);
    EXPECT_EQ(header->shape, (std::vector<std::int64_t>{3, 5}));
    EXPECT_EQ(header->data_begin % 64, 0U);
    ASSERT_EQ(bytes.size(), header->data_begin + 60);
    EXPECT_EQ(std::memcmp(bytes.data() + header->data_begin, values.data(), 60), 0);
}

TEST(Npy, WritesWholeNumbersThatReadBack) {
    const TemporaryFolder folder;
    const std::vector<std::int32_t> values{-1, 0, 73'447, INT32_MIN, INT32_MAX, 7};
    {
        auto writer = NpyWriter::create(folder / "out.npy", {1, 2, 3}, NpyType::int32);
        ASSERT_TRUE(writer) << describe(writer.error());
        EXPECT_FALSE(writer->write(std::vector<float>{1})) << "another type";
        ASSERT_TRUE(writer->write(values));
        ASSERT_TRUE(writer->finish());
    }
    const auto array = read_npy_integers(folder / "out.npy");
    ASSERT_TRUE(array) << describe(array.error());
    EXPECT_EQ(array->shape, (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(array->values, std::vector<std::int64_t>(values.begin(), values.end()));
}

TEST(Npy, AnUnfinishedFileLeavesNothing) {
    const TemporaryFolder folder;
    {
        auto writer = NpyWriter::create(folder / "out.npy", {2});
        ASSERT_TRUE(writer);
        EXPECT_FALSE(writer->finish()) << "values are missing";
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_FALSE(NpyWriter::create(folder / "none" + "/out.npy", {2}));
}

}  // namespace
}  // namespace braid
