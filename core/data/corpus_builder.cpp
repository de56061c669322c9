#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/data/build_state.h"
#include "core/data/corpus.h"
#include "core/data/document_index.h"
#include "core/data/document_reader.h"
#include "core/data/mapped_file.h"
#include "core/data/shard_hash.h"
#include "core/data/token_writer.h"
#include "core/data/utf8.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr auto between_saves = std::chrono::seconds(2);
constexpr auto between_reports = std::chrono::milliseconds(100);

// Everything that this object made is removed by its owner; the descriptor is the lock.
class FolderLock {
public:
    static Result<FolderLock> take(const std::string& file) {
        const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (descriptor < 0) return fail(error_from_errno(errno, "cannot create", file));
        FolderLock lock(descriptor);
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
            return fail(ErrorKind::busy, "another process builds this corpus", file,
                        "Wait for it or stop it");
        return lock;
    }
    FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    FolderLock& operator=(FolderLock&&) = delete;
    ~FolderLock() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

private:
    explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

std::string in_quotes(const std::string& text) {
    const bool plain = !text.empty() && text.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                            "/._-:@%+=,") == std::string::npos;
    if (plain) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

class Builder {
public:
    Builder(std::vector<SourceFile> files, std::string out, CorpusOptions options,
            const std::function<void(const CorpusProgress&)>& progress, const std::atomic<bool>* cancel)
        : files_(std::move(files)),
          out_(std::move(out)),
          options_(options),
          report_progress_(progress),
          cancel_(cancel),
          train_(out_, Split::train, options.shard_tokens),
          validation_(out_, Split::validation, options.shard_tokens) {
        state_.fingerprint = build_fingerprint(files_, options_);
        progress_.files_total = static_cast<std::int64_t>(files_.size());
        for (const SourceFile& file : files_) progress_.bytes_total += file.bytes;
    }

    Result<CorpusManifest> run(const std::string& command) {
        // Nothing of a build that is not ours is touched.
        if (Result<void> resumed = resume(); !resumed) return fail(std::move(resumed.error()));
        Result<void> done = {};
        for (std::size_t i = state_.files.size(); done && i < files_.size(); ++i) done = read_file(files_[i]);
        if (done) done = carve_validation();
        if (!done) {
            // What is finished stays, also when this saving fails: then the last safe point counts.
            go_back();
            save();
            return fail(std::move(done.error()));
        }
        return finish(command);
    }

private:
    Result<void> resume() {
        const std::string file = out_ + "/build.json";
        std::error_code error;
        if (!fs::exists(file, error)) return save();
        Result<BuildState> state = read_build_state(file);
        if (!state) return fail(std::move(state.error()));
        if (state->fingerprint != state_.fingerprint)
            return fail(ErrorKind::already_exists, "holds an unfinished build of other sources or options",
                        out_, "Choose another folder, or delete this one");
        state_ = std::move(*state);
        const std::int64_t documents = state_.train.documents + state_.validation.documents;
        if (Result<void> done = index_.load(out_ + "/documents.bin", static_cast<std::size_t>(documents));
            !done)
            return done;
        for (std::size_t i = 0; i < state_.files.size() && i < files_.size(); ++i)
            progress_.bytes_done += files_[i].bytes;
        progress_.files_done = static_cast<std::int64_t>(state_.files.size());
        progress_.documents = documents;
        Result<void> done = train_.resume_at(state_.train.tokens);
        return done ? validation_.resume_at(state_.validation.tokens) : done;
    }

    // To the end of the last finished file.
    Result<void> go_back() {
        index_.go_back_to(static_cast<std::size_t>(state_.train.documents + state_.validation.documents));
        Result<void> done = train_.go_back_to(state_.train.tokens);
        return done ? validation_.go_back_to(state_.validation.tokens) : done;
    }

    Result<void> save() {
        Result<void> done = train_.sync();
        if (done) done = validation_.sync();
        if (done) done = index_.save(out_ + "/documents.bin");
        if (done) done = write_json_atomically(out_ + "/build.json", to_json(state_));
        saved_ = Clock::now();
        return done;
    }

    Result<void> read_file(const SourceFile& source) {
        BuildState next = state_;
        CorpusFile file{.path = source.path, .bytes = source.bytes};
        const std::int64_t before = progress_.bytes_done;
        progress_.file = source.path;
        const DocumentVisitor visitor{
            .document = [&](std::string_view text) { return add_document(text, next, file); },
            .position =
                [&](std::int64_t position) {
                    progress_.bytes_done = before + std::clamp<std::int64_t>(position, 0, source.bytes);
                    report(false);
                },
            .cancel = cancel_};
        Result<ReadReport> read = read_documents(source, visitor);
        if (!read) {
            const ErrorKind kind = read.error().kind;
            if (kind != ErrorKind::corrupt && kind != ErrorKind::permission && kind != ErrorKind::not_found)
                return fail(std::move(read.error()));
            // One bad file of many is left out as a whole and named in the manifest.
            if (Result<void> back = go_back(); !back) return back;
            next = state_;
            file = {.path = source.path, .bytes = source.bytes, .note = "left out: " + read.error().message};
        } else {
            file.skipped = read->skipped;
            file.note = read->note;
        }
        next.files.push_back(std::move(file));
        state_ = std::move(next);
        progress_.bytes_done = before + source.bytes;
        progress_.files_done = static_cast<std::int64_t>(state_.files.size());
        report(true);
        return Clock::now() - saved_ < between_saves ? Result<void>{} : save();
    }

    Result<void> add_document(std::string_view text, BuildState& state, CorpusFile& file) {
        const std::uint64_t hash = document_hash(text);
        if (index_.has(hash)) {
            ++state.duplicates;
            return {};
        }
        // The first document trains in any case, so that there is something to train on.
        const double place = static_cast<double>(hash >> 11) * 0x1.0p-53;
        const Split split =
            index_.size() > 0 && place < options_.validation_fraction ? Split::validation : Split::train;
        TokenWriter& writer = split == Split::train ? train_ : validation_;
        SplitCounts& counts = split == Split::train ? state.train : state.validation;
        const auto tokens = static_cast<std::int64_t>(text.size()) + 1;
        index_.add({.hash = hash,
                    .offset = static_cast<std::uint64_t>(counts.tokens),
                    .tokens = static_cast<std::uint64_t>(tokens),
                    .file = static_cast<std::uint32_t>(state_.files.size()),
                    .split = static_cast<std::uint32_t>(split)});
        ++counts.documents;
        counts.tokens += tokens;
        if (static_cast<std::int64_t>(text.size()) >= options_.long_bytes) {
            ++counts.long_documents;
            counts.long_tokens += tokens;
        }
        file.invalid_utf8 += count_invalid_utf8(text);
        ++file.documents;
        ++progress_.documents;
        return writer.append_document(text);
    }

    // Few documents, none of them chosen: the end of the last one(s) becomes the validation split.
    Result<void> carve_validation() {
        if (state_.train.tokens == 0) {
            std::string notes;
            for (const CorpusFile& file : state_.files)
                if (!file.note.empty() && notes.size() < 500) notes += "\n" + file.path + " " + file.note;
            return fail(ErrorKind::invalid_input, "the sources hold no text" + notes, out_);
        }
        const auto wanted = static_cast<std::int64_t>(options_.validation_fraction *
                                                      static_cast<double>(state_.train.tokens));
        if (state_.validation.tokens > 0 || wanted < 2) return {};
        // Later documents first; the last one touched is cut, at a line end where one is near.
        std::vector<DocumentEntry>& entries = index_.entries();
        const std::int64_t start = state_.train.tokens - wanted;
        const auto first_moved =
            std::find_if(entries.begin(), entries.end(), [&](const DocumentEntry& entry) {
                return static_cast<std::int64_t>(entry.offset + entry.tokens) > start;
            });
        Result<std::vector<std::uint16_t>> moved =
            train_.read_from(static_cast<std::int64_t>(first_moved->offset));
        if (!moved) return fail(std::move(moved.error()));
        const auto text_of = [&](std::uint64_t begin, std::uint64_t end) {
            std::string text;
            for (std::uint64_t i = begin; i < end; ++i) text += static_cast<char>((*moved)[i]);
            return text;
        };
        const std::vector<DocumentEntry> old(first_moved, entries.end());
        state_.train.tokens = static_cast<std::int64_t>(first_moved->offset);
        index_.go_back_to(static_cast<std::size_t>(first_moved - entries.begin()));
        recount();
        if (Result<void> done = train_.go_back_to(state_.train.tokens); !done) return done;
        CorpusFile ignored;
        for (std::size_t i = 0; i < old.size(); ++i) {
            const std::uint64_t begin = old[i].offset - old[0].offset + 1;  // behind BOS
            const std::uint64_t end = begin + old[i].tokens - 1;
            std::uint64_t cut = begin;
            if (i == 0) {
                cut = std::max(begin, static_cast<std::uint64_t>(start) - old[0].offset);
                const auto from = moved->begin() + static_cast<std::ptrdiff_t>(cut);
                const auto limit = moved->begin() + static_cast<std::ptrdiff_t>(std::min(end, cut + 1'000));
                if (const auto line = std::find(from, limit, std::uint16_t{'\n'});
                    line != limit && line + 1 != moved->end())
                    cut = static_cast<std::uint64_t>(line - moved->begin()) + 1;
            }
            if (Result<void> done = place(text_of(begin, cut), old[i].file, Split::train); !done) return done;
            if (Result<void> done = place(text_of(cut, end), old[i].file, Split::validation); !done)
                return done;
        }
        return {};
    }

    Result<void> place(const std::string& text, std::uint32_t file, Split split) {
        if (text.empty()) return {};
        TokenWriter& writer = split == Split::train ? train_ : validation_;
        index_.add({.hash = document_hash(text),
                    .offset = static_cast<std::uint64_t>(writer.tokens()),
                    .tokens = text.size() + 1,
                    .file = file,
                    .split = static_cast<std::uint32_t>(split)});
        Result<void> done = writer.append_document(text);
        recount();
        return done;
    }

    void recount() {
        state_.train = {};
        state_.validation = {};
        for (const DocumentEntry& entry : index_.entries()) {
            SplitCounts& counts = entry.split == 0 ? state_.train : state_.validation;
            const auto tokens = static_cast<std::int64_t>(entry.tokens);
            ++counts.documents;
            counts.tokens += tokens;
            if (tokens > options_.long_bytes) {
                ++counts.long_documents;
                counts.long_tokens += tokens;
            }
        }
    }

    Result<CorpusManifest> finish(const std::string& command) {
        Result<void> done = train_.sync();
        if (done) done = validation_.sync();
        if (done) done = index_.rewrite(out_ + "/documents.bin");
        if (!done) return fail(std::move(done.error()));
        CorpusManifest manifest{.options = options_,
                                .train = state_.train,
                                .validation = state_.validation,
                                .duplicates = state_.duplicates,
                                .shards = train_.shards(),
                                .files = state_.files,
                                .created = utc_now(),
                                .command = command};
        for (ShardInfo& shard : validation_.shards()) manifest.shards.push_back(std::move(shard));
        Json content = {{"tokenizer", manifest.tokenizer}, {"shards", Json::array()}};
        for (ShardInfo& shard : manifest.shards) {
            if (cancel_ != nullptr && cancel_->load()) {
                save();
                return fail(ErrorKind::interrupted, "stopped", out_);
            }
            const Result<MappedFile> map = MappedFile::open(out_ + "/" + shard.file);
            if (!map) return fail(map.error());
            shard.hash = shard_hash(map->as<std::byte>());
            content["shards"].push_back({shard.file, shard.hash});
        }
        manifest.hash = content_hash(content);
        if (done = write_json_atomically(out_ + "/manifest.json", to_json(manifest)); !done)
            return fail(std::move(done.error()));
        std::error_code error;
        fs::remove(out_ + "/build.json", error);
        fs::remove(out_ + "/build.lock", error);
        progress_.file.clear();
        report(true);
        return manifest;
    }

    void report(bool now) {
        if (!report_progress_ || (!now && Clock::now() - reported_ < between_reports)) return;
        reported_ = Clock::now();
        report_progress_(progress_);
    }

    std::vector<SourceFile> files_;
    std::string out_;
    CorpusOptions options_;
    const std::function<void(const CorpusProgress&)>& report_progress_;
    const std::atomic<bool>* cancel_;
    TokenWriter train_;
    TokenWriter validation_;
    DocumentIndex index_;
    BuildState state_;  // as of the last finished file
    CorpusProgress progress_;
    Clock::time_point saved_ = Clock::now();
    Clock::time_point reported_ = {};
};

Diagnostics check(const CorpusOptions& options) {
    Diagnostics problems;
    if (!(options.validation_fraction >= 0 && options.validation_fraction <= 0.5))
        problems.push_back({.path = "validation_fraction",
                            .rule = "must be between 0 and 0.5",
                            .found = std::to_string(options.validation_fraction)});
    if (options.long_bytes < 1)
        problems.push_back({.path = "long_bytes",
                            .rule = "must be at least 1",
                            .found = std::to_string(options.long_bytes)});
    if (options.shard_tokens < 1'024)
        problems.push_back({.path = "shard_tokens",
                            .rule = "must be at least 1024",
                            .found = std::to_string(options.shard_tokens)});
    return problems;
}

}  // namespace

Result<CorpusManifest> build_corpus(const std::vector<std::string>& sources, const std::string& out,
                                    const CorpusOptions& options,
                                    const std::function<void(const CorpusProgress&)>& progress,
                                    const std::atomic<bool>* cancel) {
    Diagnostics problems = check(options);
    Checked<std::vector<SourceFile>> files = collect_sources(sources);
    if (!files) problems.insert(problems.end(), files.error().begin(), files.error().end());
    if (!problems.empty()) return fail(to_error(problems));
    std::error_code error;
    const std::string folder = fs::absolute(out, error).lexically_normal().string();
    if (fs::exists(folder + "/manifest.json", error))
        return fail(ErrorKind::already_exists, "holds a finished corpus", folder,
                    "Choose another folder, or delete this one");
    if (fs::exists(folder, error) && !fs::exists(folder + "/build.json", error) &&
        !fs::is_empty(folder, error))
        return fail(ErrorKind::already_exists, "holds other files", folder, "Choose a new or empty folder");
    if (Result<void> made = make_folder(folder); !made) return fail(std::move(made.error()));
    // A corpus inside one of its own sources must not read itself.
    std::erase_if(*files, [&](const SourceFile& file) {
        return fs::absolute(file.path, error).lexically_normal().string().starts_with(folder + "/");
    });
    Result<FolderLock> lock = FolderLock::take(folder + "/build.lock");
    if (!lock) return fail(std::move(lock.error()));
    std::string command = "braid-engine corpus build";
    for (const std::string& source : sources) command += " " + in_quotes(source);
    command += " --tokenizer byte --out " + in_quotes(out);
    return Builder(std::move(*files), folder, options, progress, cancel).run(command);
}

}  // namespace braid
