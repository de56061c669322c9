#include "core/data/token_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "core/data/mapped_file.h"

namespace braid {
namespace {

constexpr std::size_t buffer_tokens = std::size_t{1} << 19;

}  // namespace

TokenWriter::TokenWriter(std::string folder, Split split, std::int64_t shard_tokens, std::size_t token_bytes)
    : folder_(std::move(folder)), split_(split), shard_tokens_(shard_tokens), token_bytes_(token_bytes) {
    buffer_.reserve(buffer_tokens);
}

TokenWriter::~TokenWriter() { close(); }

void TokenWriter::close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    open_shard_ = -1;
}

std::string TokenWriter::file_of(std::int64_t shard) const {
    char name[40];
    std::snprintf(name, sizeof name, "%s-%05lld.bin", split_ == Split::train ? "train" : "validation",
                  static_cast<long long>(shard));
    return name;
}

Result<void> TokenWriter::append_document(std::int32_t document_token, std::span<const std::int32_t> tokens) {
    if (buffer_.size() + tokens.size() + 1 > buffer_tokens)
        if (Result<void> done = flush(); !done) return done;
    buffer_.push_back(document_token);
    buffer_.insert(buffer_.end(), tokens.begin(), tokens.end());
    tokens_ += static_cast<std::int64_t>(tokens.size()) + 1;
    return {};
}

Result<std::vector<std::int32_t>> TokenWriter::read_from(std::int64_t offset) {
    if (Result<void> done = flush(); !done) return fail(std::move(done.error()));
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(tokens_ - offset));
    for (std::size_t got = 0; got < tokens.size();) {
        const std::int64_t at = offset + static_cast<std::int64_t>(got);
        const std::string file = folder_ + "/" + file_of(at / shard_tokens_);
        Result<MappedFile> shard = MappedFile::open(file);
        if (!shard) return fail(std::move(shard.error()));
        const auto inside = static_cast<std::size_t>(at % shard_tokens_);
        const std::size_t stored = shard->size() / token_bytes_;
        if (stored <= inside) return fail(ErrorKind::corrupt, "is shorter than what was written", file);
        const std::size_t count = std::min(stored - inside, tokens.size() - got);
        const auto copy = [&](auto from) { std::copy_n(from.data() + inside, count, tokens.data() + got); };
        if (token_bytes_ == 2)
            copy(shard->as<std::uint16_t>());
        else
            copy(shard->as<std::uint32_t>());
        got += count;
    }
    return tokens;
}

Result<void> TokenWriter::flush() {
    std::int64_t at = tokens_ - static_cast<std::int64_t>(buffer_.size());
    std::vector<std::uint16_t> narrow;
    if (token_bytes_ == 2) narrow.assign(buffer_.begin(), buffer_.end());
    const char* first = token_bytes_ == 2 ? reinterpret_cast<const char*>(narrow.data())
                                          : reinterpret_cast<const char*>(buffer_.data());
    std::size_t written = 0;
    while (written < buffer_.size()) {
        const std::int64_t shard = at / shard_tokens_;
        const std::string file = folder_ + "/" + file_of(shard);
        if (open_shard_ != shard) {
            if (descriptor_ >= 0 && ::fdatasync(descriptor_) != 0)
                return fail(error_from_errno(errno, "cannot write", file));
            close();
            descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
            if (descriptor_ < 0) return fail(error_from_errno(errno, "cannot create", file));
            open_shard_ = shard;
        }
        const std::int64_t inside = at % shard_tokens_;
        const std::size_t count =
            std::min(buffer_.size() - written, static_cast<std::size_t>(shard_tokens_ - inside));
        const char* bytes = first + written * token_bytes_;
        const std::size_t size = count * token_bytes_;
        const auto place = static_cast<off_t>(inside) * static_cast<off_t>(token_bytes_);
        for (std::size_t done = 0; done < size;) {
            const ssize_t n =
                ::pwrite(descriptor_, bytes + done, size - done, place + static_cast<off_t>(done));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return fail(error_from_errno(errno, "cannot write", file));
            done += static_cast<std::size_t>(n);
        }
        written += count;
        at += static_cast<std::int64_t>(count);
    }
    buffer_.clear();
    return {};
}

Result<void> TokenWriter::sync() {
    if (Result<void> done = flush(); !done) return done;
    if (descriptor_ >= 0 && ::fdatasync(descriptor_) != 0)
        return fail(error_from_errno(errno, "cannot write", folder_ + "/" + file_of(open_shard_)));
    return {};
}

Result<void> TokenWriter::go_back_to(std::int64_t tokens) {
    const std::int64_t written = tokens_ - static_cast<std::int64_t>(buffer_.size());
    if (tokens < written) return resume_at(tokens);
    buffer_.resize(static_cast<std::size_t>(tokens - written));
    tokens_ = tokens;
    return {};
}

Result<void> TokenWriter::resume_at(std::int64_t tokens) {
    close();
    buffer_.clear();
    tokens_ = tokens;
    const std::int64_t last = tokens / shard_tokens_;
    const std::string file = folder_ + "/" + file_of(last);
    const auto wanted = static_cast<std::uintmax_t>(tokens % shard_tokens_) * token_bytes_;
    std::error_code none;
    if (wanted > 0 &&
        (!std::filesystem::exists(file, none) || std::filesystem::file_size(file, none) < wanted))
        return fail(ErrorKind::corrupt, "is shorter than the build had come", file,
                    "Delete the corpus folder and build again");
    if (::access(file.c_str(), F_OK) == 0 &&
        ::truncate(file.c_str(),
                   static_cast<off_t>(tokens % shard_tokens_) * static_cast<off_t>(token_bytes_)) != 0)
        return fail(error_from_errno(errno, "cannot shorten", file));
    if (tokens % shard_tokens_ == 0) ::unlink(file.c_str());
    for (std::int64_t shard = last + 1;; ++shard)
        if (::unlink((folder_ + "/" + file_of(shard)).c_str()) != 0) break;
    return {};
}

std::vector<ShardInfo> TokenWriter::shards() const {
    std::vector<ShardInfo> shards;
    for (std::int64_t at = 0; at < tokens_; at += shard_tokens_)
        shards.push_back({.file = file_of(at / shard_tokens_),
                          .split = split_,
                          .tokens = std::min(shard_tokens_, tokens_ - at),
                          .hash = {}});
    return shards;
}

}  // namespace braid
