#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/data/build_state.h"
#include "core/data/corpus.h"
#include "core/data/document_index.h"
#include "core/data/document_reader.h"
#include "core/data/encode_pipeline.h"
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
    Builder(std::vector<SourceFile> files, std::string out, const CorpusOptions& options,
            std::shared_ptr<const Tokenizer> tokenizer,
            const std::function<void(const CorpusProgress&)>& progress, const std::atomic<bool>* cancel)
        : files_(std::move(files)),
          out_(std::move(out)),
          options_(options),
          tokenizer_(std::move(tokenizer)),
          report_progress_(progress),
          cancel_(cancel),
          train_(out_, Split::train, options.shard_tokens, token_bytes()),
          validation_(out_, Split::validation, options.shard_tokens, token_bytes()),
          pipeline_(tokenizer_, options.threads,
                    [this](const EncodedDocument& document) { return write(document); }) {
        state_.fingerprint = build_fingerprint(files_, options_, tokenizer_->info());
        progress_.files_total = static_cast<std::int64_t>(files_.size());
        for (const SourceFile& file : files_) progress_.bytes_total += file.bytes;
    }

    Result<CorpusManifest> run(const std::string& command) {
        // Nothing of a build that is not ours is touched.
        if (Result<void> resumed = resume(); !resumed) return fail(std::move(resumed.error()));
        Result<void> done = {};
        for (std::size_t i = state_.files.size(); done && i < files_.size(); ++i) done = read_file(files_[i]);
        if (done) done = pipeline_.drain();
        if (done) done = carve_validation();
        if (!done) {
            // What is finished stays, also when this saving fails: then the last safe point counts.
            if (go_back()) save();
            return fail(std::move(done.error()));
        }
        return finish(command);
    }

private:
    std::size_t token_bytes() const {
        return CorpusManifest{.tokenizer = tokenizer_->info(),
                              .options = {},
                              .train = {},
                              .validation = {},
                              .shards = {},
                              .files = {}}
            .token_bytes();
    }

    Result<void> resume() {
        const std::string file = out_ + "/build.json";
        std::error_code error;
        if (!fs::exists(file, error)) return save();
        Result<BuildState> state = read_build_state(file);
        if (!state) return fail(std::move(state.error()));
        if (state->fingerprint != state_.fingerprint)
            return fail(ErrorKind::already_exists,
                        "holds an unfinished build of other sources, options or tokenizer", out_,
                        "Choose another folder, or delete this one");
        state_ = std::move(*state);
        finished_documents_ = static_cast<std::size_t>(state_.train.documents + state_.validation.documents);
        submitted_ = finished_documents_;
        finished_duplicates_ = state_.duplicates;
        if (Result<void> done = index_.load(out_ + "/documents.bin", finished_documents_); !done) return done;
        for (std::size_t i = 0; i < state_.files.size() && i < files_.size(); ++i)
            progress_.bytes_done += files_[i].bytes;
        progress_.files_done = static_cast<std::int64_t>(state_.files.size());
        progress_.documents = static_cast<std::int64_t>(finished_documents_);
        Result<void> done = train_.resume_at(state_.train.tokens);
        return done ? validation_.resume_at(state_.validation.tokens) : done;
    }

    // To the end of the last finished file.
    Result<void> go_back() {
        Result<void> done = pipeline_.drain();
        if (!done) return done;
        index_.go_back_to(finished_documents_);
        submitted_ = finished_documents_;
        state_.duplicates = finished_duplicates_;
        recount();
        done = train_.go_back_to(state_.train.tokens);
        return done ? validation_.go_back_to(state_.validation.tokens) : done;
    }

    // Between two files only.
    Result<void> save() {
        Result<void> done = pipeline_.drain();
        recount();
        if (done) done = train_.sync();
        if (done) done = validation_.sync();
        if (done) done = index_.save(out_ + "/documents.bin");
        if (done) done = write_json_atomically(out_ + "/build.json", to_json(state_));
        saved_ = Clock::now();
        return done;
    }

    Result<void> read_file(const SourceFile& source) {
        CorpusFile file{.path = source.path, .bytes = source.bytes};
        const std::int64_t before = progress_.bytes_done;
        progress_.file = source.path;
        DocumentVisitor visitor{.document = [&](std::string_view text) { return add_text(text, file); },
                                .position =
                                    [&](std::int64_t position) {
                                        progress_.bytes_done =
                                            before + std::clamp<std::int64_t>(position, 0, source.bytes);
                                        report(false);
                                    },
                                .cancel = cancel_};
        if (tokenizer_->info().kind != "byte") {
            visitor.tokens = [&](std::span<const std::int32_t> tokens) { return add_tokens(tokens, file); };
            visitor.tokenizer = &tokenizer_->info();
        }
        Result<ReadReport> read = read_documents(source, visitor);
        if (!read) {
            const ErrorKind kind = read.error().kind;
            if (kind != ErrorKind::corrupt && kind != ErrorKind::permission && kind != ErrorKind::not_found)
                return fail(std::move(read.error()));
            // One bad file of many is left out as a whole and named in the manifest.
            if (Result<void> back = go_back(); !back) return back;
            file = {.path = source.path, .bytes = source.bytes, .note = "left out: " + read.error().message};
        } else {
            file.skipped = read->skipped;
            file.note = read->note;
        }
        state_.files.push_back(std::move(file));
        finished_documents_ = submitted_;
        finished_duplicates_ = state_.duplicates;
        progress_.bytes_done = before + source.bytes;
        progress_.files_done = static_cast<std::int64_t>(state_.files.size());
        report(true);
        return Clock::now() - saved_ < between_saves ? Result<void>{} : save();
    }

    // What is known of a document before it is tokenised; nothing where its text had been seen.
    std::optional<DocumentEntry> enter(std::uint64_t hash, bool is_long) {
        if (!index_.see(hash)) {
            ++state_.duplicates;
            return std::nullopt;
        }
        // The first document trains in any case, so that there is something to train on.
        const double place = static_cast<double>(hash >> 11) * 0x1.0p-53;
        const bool held_out = submitted_ > 0 && place < options_.validation_fraction;
        ++submitted_;
        ++progress_.documents;
        return DocumentEntry{.hash = hash,
                             .file = static_cast<std::uint32_t>(state_.files.size()),
                             .split = static_cast<std::uint16_t>(held_out ? Split::validation : Split::train),
                             .in_long_pool = static_cast<std::uint16_t>(is_long ? 1 : 0)};
    }

    Result<void> add_text(std::string_view text, CorpusFile& file) {
        if (tokenizer_->info().kind == "ids")
            return fail(ErrorKind::invalid_input,
                        "is text, and " + tokenizer_->info().hash + " is no tokenizer that could read it",
                        file.path, "Give --tokenizer byte or a tokenizer file");
        const std::optional<DocumentEntry> entry =
            enter(document_hash(text), static_cast<std::int64_t>(text.size()) >= options_.long_bytes);
        if (!entry) return {};
        file.invalid_utf8 += count_invalid_utf8(text);
        ++file.documents;
        return pipeline_.submit(*entry, text);
    }

    Result<void> add_tokens(std::span<const std::int32_t> tokens, CorpusFile& file) {
        // Four bytes a token where the text is not known.
        std::int64_t bytes =
            tokenizer_->info().kind == "ids" ? 4 * static_cast<std::int64_t>(tokens.size()) : 0;
        if (bytes == 0)
            for (const std::int32_t id : tokens)
                bytes += static_cast<std::int64_t>(tokenizer_->bytes(id).size());
        const std::optional<DocumentEntry> entry =
            enter(document_hash({reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes()}),
                  bytes >= options_.long_bytes);
        if (!entry) return {};
        ++file.documents;
        return pipeline_.submit(*entry, tokens);
    }

    // The pipeline's end: in order, on this thread.
    Result<void> write(const EncodedDocument& document) {
        DocumentEntry entry = document.entry;
        TokenWriter& writer = entry.split == 0 ? train_ : validation_;
        entry.offset = static_cast<std::uint64_t>(writer.tokens());
        entry.tokens = document.tokens.size() + 1;
        index_.add(entry);
        return writer.append_document(tokenizer_->info().document_token(), document.tokens);
    }

    // Few documents, none of them chosen: the end of the last one(s) becomes the validation split.
    Result<void> carve_validation() {
        recount();
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
        Result<std::vector<std::int32_t>> moved =
            train_.read_from(static_cast<std::int64_t>(first_moved->offset));
        if (!moved) return fail(std::move(moved.error()));
        const std::vector<DocumentEntry> old(first_moved, entries.end());
        state_.train.tokens = static_cast<std::int64_t>(first_moved->offset);
        index_.go_back_to(static_cast<std::size_t>(first_moved - entries.begin()));
        if (Result<void> done = train_.go_back_to(state_.train.tokens); !done) return done;
        const std::span<const std::int32_t> tokens(*moved);
        for (std::size_t i = 0; i < old.size(); ++i) {
            const std::size_t begin = old[i].offset - old[0].offset + 1;  // behind the document token
            const std::size_t end = begin + old[i].tokens - 1;
            std::size_t cut = begin;
            if (i == 0) {
                cut = std::max<std::size_t>(begin, static_cast<std::uint64_t>(start) - old[0].offset);
                const std::size_t limit = std::min(end, cut + 1'000);
                for (std::size_t at = cut; at + 1 < limit; ++at)
                    if (tokenizer_->bytes(tokens[at]).ends_with('\n')) {
                        cut = at + 1;
                        break;
                    }
            }
            if (Result<void> done = place(tokens.subspan(begin, cut - begin), old[i], Split::train); !done)
                return done;
            if (Result<void> done = place(tokens.subspan(cut, end - cut), old[i], Split::validation); !done)
                return done;
        }
        finished_documents_ = index_.size();
        return save();
    }

    // A part of a document that had been written already.
    Result<void> place(std::span<const std::int32_t> tokens, const DocumentEntry& whole, Split split) {
        if (tokens.empty()) return {};
        std::string text = tokenizer_->decode(tokens);
        if (text.empty()) text.assign(reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes());
        TokenWriter& writer = split == Split::train ? train_ : validation_;
        index_.add({.hash = document_hash(text),
                    .offset = static_cast<std::uint64_t>(writer.tokens()),
                    .tokens = tokens.size() + 1,
                    .file = whole.file,
                    .split = static_cast<std::uint16_t>(split),
                    .in_long_pool = static_cast<std::uint16_t>(
                        static_cast<std::int64_t>(text.size()) >= options_.long_bytes ? 1 : 0)});
        return writer.append_document(tokenizer_->info().document_token(), tokens);
    }

    void recount() {
        state_.train = {};
        state_.validation = {};
        for (const DocumentEntry& entry : index_.entries()) {
            SplitCounts& counts = entry.split == 0 ? state_.train : state_.validation;
            const auto tokens = static_cast<std::int64_t>(entry.tokens);
            ++counts.documents;
            counts.tokens += tokens;
            if (entry.in_long_pool != 0) {
                ++counts.long_documents;
                counts.long_tokens += tokens;
            }
        }
    }

    Result<void> copy_tokenizer(TokenizerInfo& info) {
        Result<std::string> file = tokenizer_file(options_.tokenizer);
        if (!file) return fail(std::move(file.error()));
        if (file->empty()) return {};
        info.file = "tokenizer" + fs::path(*file).extension().string();
        Result<std::string> bytes = braid::read_file(*file);
        if (!bytes) return fail(std::move(bytes.error()));
        return write_file_atomically(out_ + "/" + info.file, *bytes);
    }

    Result<CorpusManifest> finish(const std::string& command) {
        Result<void> done = train_.sync();
        if (done) done = validation_.sync();
        if (done) done = index_.rewrite(out_ + "/documents.bin");
        CorpusManifest manifest{.tokenizer = tokenizer_->info(),
                                .options = options_,
                                .train = state_.train,
                                .validation = state_.validation,
                                .duplicates = state_.duplicates,
                                .shards = train_.shards(),
                                .files = state_.files,
                                .created = utc_now(),
                                .command = command};
        if (done) done = copy_tokenizer(manifest.tokenizer);
        if (!done) return fail(std::move(done.error()));
        for (ShardInfo& shard : validation_.shards()) manifest.shards.push_back(std::move(shard));
        Json content = {{"tokenizer", manifest.tokenizer.hash}, {"shards", Json::array()}};
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
    std::shared_ptr<const Tokenizer> tokenizer_;
    const std::function<void(const CorpusProgress&)>& report_progress_;
    const std::atomic<bool>* cancel_;
    TokenWriter train_;
    TokenWriter validation_;
    DocumentIndex index_;
    BuildState state_;                    // as of the last finished file; its counts as of recount()
    std::size_t submitted_ = 0;           // documents, to the pipeline
    std::size_t finished_documents_ = 0;  // those of finished files
    std::int64_t finished_duplicates_ = 0;
    CorpusProgress progress_;
    Clock::time_point saved_ = Clock::now();
    Clock::time_point reported_ = {};
    EncodePipeline pipeline_;  // last: its sink uses the rest
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

// What the tokenizer must have for these sources.
Diagnostics check(const TokenizerInfo& tokenizer, const std::vector<SourceFile>& files) {
    Diagnostics problems;
    if (tokenizer.document_token() < 0)
        problems.push_back({.path = "--tokenizer",
                            .rule = "must have a token that opens or ends documents; name one of its tokens "
                                    "with --bos",
                            .found = tokenizer.file});
    const auto tokens = std::find_if(
        files.begin(), files.end(), [](const SourceFile& file) { return file.format == TextFormat::tokens; });
    if (tokenizer.kind == "byte" && tokens != files.end())
        problems.push_back({.path = tokens->path,
                            .rule =
                                "is a file of tokens; give --tokenizer with the file they were made with, or "
                                "ids:VOCABULARY:END",
                            .found = {}});
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
    const Result<std::shared_ptr<const Tokenizer>> tokenizer =
        open_tokenizer(options.tokenizer, options.tokenizer_options);
    if (tokenizer) {
        const Diagnostics more = check((*tokenizer)->info(), files ? *files : std::vector<SourceFile>{});
        problems.insert(problems.end(), more.begin(), more.end());
    } else if (!problems.empty()) {
        problems.push_back({.path = "--tokenizer", .rule = describe(tokenizer.error()), .found = {}});
    }
    if (!problems.empty()) return fail(to_error(problems));
    if (!tokenizer) return fail(tokenizer.error());
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
    command += " --tokenizer " + in_quotes(options.tokenizer);
    for (const auto& [flag, value] : {std::pair{"--pattern", &options.tokenizer_options.pattern},
                                      std::pair{"--bos", &options.tokenizer_options.bos},
                                      std::pair{"--eos", &options.tokenizer_options.eos}})
        if (!value->empty()) command += " " + std::string(flag) + " " + in_quotes(*value);
    command += " --out " + in_quotes(out);
    return Builder(std::move(*files), folder, options, *tokenizer, progress, cancel).run(command);
}

}  // namespace braid
