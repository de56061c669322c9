#include "core/data/tokenizer/sentencepiece_train.h"

#include <fcntl.h>
#include <poll.h>
#include <sentencepiece_trainer.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <unordered_map>

#include "core/base/file.h"
#include "core/data/document_reader.h"
#include "core/data/source_file.h"
#include "core/data/tokenizer/sentence_sample.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t fixed_ids = 3 + 256;
constexpr double reading_share = 0.1;  // of the progress bar
constexpr std::string_view error_mark = "braid: error: ";

class Sentences final : public sentencepiece::SentenceIterator {
public:
    explicit Sentences(const std::vector<std::string>& sentences) : sentences_(sentences) {}
    bool done() const override { return at_ >= sentences_.size(); }
    void Next() override { ++at_; }
    const std::string& value() const override { return sentences_[at_]; }
    sentencepiece::util::Status status() const override { return {}; }

private:
    const std::vector<std::string>& sentences_;
    std::size_t at_ = 0;
};

// In the child: trains, writes the model to descriptor 1, what it has to say to descriptor 2.
[[noreturn]] void run_child(const std::vector<std::string>& sentences,
                            const SentencePieceTraining& training) {
    const std::unordered_map<std::string, std::string> settings = {
        {"model_type", training.kind},
        {"vocab_size", std::to_string(training.vocab)},
        {"character_coverage", std::to_string(training.character_coverage)},
        {"byte_fallback", "true"},
        {"normalization_rule_name", "identity"},
        {"add_dummy_prefix", "false"},
        {"remove_extra_whitespaces", "false"},
        {"allow_whitespace_only_pieces", "true"},
        {"split_digits", "true"},
        {"max_sentence_length", "8192"},
        {"num_threads", "8"},  // sums of the EM steps depend on it
        {"unk_id", "0"},
        {"bos_id", "1"},
        {"eos_id", "2"},
        {"pad_id", "-1"},
    };
    Sentences iterator(sentences);
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &iterator, &model);
    std::string problem = status.ok() ? "" : std::string(error_mark) + status.ToString() + "\n";
    for (std::string_view rest = status.ok() ? model : problem; !rest.empty();) {
        const ssize_t n = ::write(status.ok() ? 1 : 2, rest.data(), rest.size());
        if (n < 0 && errno != EINTR) ::_exit(3);
        if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
    }
    ::_exit(status.ok() ? 0 : 1);
}

// What the library's log says about how far it is.
class LogReader {
public:
    explicit LogReader(const SentencePieceTraining& training) : training_(training) {}

    void add(std::string_view bytes) {
        text_.append(bytes);
        for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1))
            line(text_.substr(0, end));
    }
    double fraction() const { return fraction_; }
    const std::string& error() const { return error_; }
    const std::string& last() const { return last_; }

private:
    void line(const std::string& line) {
        if (line.starts_with(error_mark)) error_ = line.substr(error_mark.size());
        if (!line.empty()) last_ = line;
        const std::size_t size = line.find(" size=");
        if (size == std::string::npos) return;
        const double pieces = std::strtod(line.c_str() + size + 6, nullptr);
        if (pieces < 1) return;
        const auto vocab = static_cast<double>(training_.vocab);
        if (line.find("Added:") != std::string::npos) {
            // BPE grows to the vocabulary.
            fraction_ = std::max(fraction_, std::min(1.0, pieces / std::max(1.0, vocab - fixed_ids)));
        } else if (line.find("EM sub_iter=") != std::string::npos) {
            // Unigram shrinks to 1.1 times the vocabulary, by a quarter each time.
            if (first_pieces_ == 0) first_pieces_ = pieces;
            const double all = std::log(first_pieces_ / std::max(1.0, 1.1 * vocab));
            const double done = std::log(first_pieces_ / pieces);
            fraction_ = std::max(fraction_, all > 0 ? std::clamp(done / all, 0.0, 1.0) : 0.5);
        }
    }

    const SentencePieceTraining& training_;
    std::string text_, error_, last_;
    double first_pieces_ = 0;
    double fraction_ = 0;
};

struct Pipe {
    int read = -1;
    int write = -1;
    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close(read);
        close(write);
    }
    bool open() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return false;
        read = ends[0];
        write = ends[1];
        return true;
    }
    static void close(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
};

// "Vocabulary size too high (900). Please set it to a value <= 541." in our words; else the library's.
Error training_error(const std::string& text, const SentencePieceTraining& training) {
    const std::size_t limit = text.find("<= ");
    if (text.find("too high") != std::string::npos && limit != std::string::npos)
        return to_error({{.path = "--vocab",
                          .rule = "must be at most " + std::to_string(std::atoll(text.c_str() + limit + 3)) +
                                  " for so little text",
                          .found = std::to_string(training.vocab)}});
    // ".. smaller than required_chars. 285 vs 290. .."
    if (const std::size_t versus = text.find(" vs "); text.find("required_chars") != std::string::npos)
        return to_error(
            {{.path = "--vocab",
              .rule = "must be at least " +
                      (versus == std::string::npos ? std::string("the number of different characters")
                                                   : std::to_string(std::atoll(text.c_str() + versus + 4))) +
                      " for the characters of this text, or --coverage smaller",
              .found = std::to_string(training.vocab)}});
    return {.kind = ErrorKind::internal, .message = "SentencePiece cannot train: " + text};
}

Result<std::string> train_in_child(const std::vector<std::string>& sentences,
                                   const SentencePieceTraining& training,
                                   const std::function<void(const SentencePieceProgress&)>& progress,
                                   const std::atomic<bool>* cancel) {
    Pipe model_pipe, log_pipe;
    if (!model_pipe.open() || !log_pipe.open())
        return fail(error_from_errno(errno, "cannot make a pipe", ""));
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return fail(error_from_errno(errno, "cannot start the training", ""));
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed parent leaves nobody who reads the model
        if (::getppid() != parent) ::_exit(3);
        Pipe::close(model_pipe.read);
        Pipe::close(log_pipe.read);
        ::dup2(model_pipe.write, 1);
        ::dup2(log_pipe.write, 2);
        std::signal(SIGINT, SIG_IGN);  // ours to decide
        run_child(sentences, training);
    }
    Pipe::close(model_pipe.write);
    Pipe::close(log_pipe.write);
    std::string model;
    LogReader log(training);
    bool interrupted = false;
    while (model_pipe.read >= 0 || log_pipe.read >= 0) {
        pollfd ends[2] = {{.fd = model_pipe.read, .events = POLLIN, .revents = 0},
                          {.fd = log_pipe.read, .events = POLLIN, .revents = 0}};
        ::poll(ends, 2, 100);
        char buffer[1 << 16];
        const auto take = [&](int& end, const auto& use) {
            const ssize_t n = ::read(end, buffer, sizeof buffer);
            if (n > 0)
                use(std::string_view(buffer, static_cast<std::size_t>(n)));
            else if (n == 0 || errno != EINTR)
                Pipe::close(end);
        };
        if (ends[0].revents != 0) take(model_pipe.read, [&](std::string_view bytes) { model.append(bytes); });
        if (ends[1].revents != 0) take(log_pipe.read, [&](std::string_view bytes) { log.add(bytes); });
        if (progress) progress({reading_share + (1 - reading_share) * log.fraction(), "training"});
        if (cancel != nullptr && cancel->load() && !interrupted) {
            interrupted = true;
            ::kill(child, SIGKILL);
        }
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (interrupted) return fail(ErrorKind::interrupted, "stopped; nothing was written");
    if (!log.error().empty()) return fail(training_error(log.error(), training));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || model.empty())
        return fail(ErrorKind::internal, "SentencePiece's training broke off" +
                                             (log.last().empty() ? "" : "; it said last: " + log.last()));
    return model;
}

Diagnostics check(const SentencePieceTraining& training) {
    Diagnostics problems;
    if (training.kind != "unigram" && training.kind != "bpe")
        problems.push_back({.path = "--kind", .rule = "must be unigram or bpe", .found = training.kind});
    if (training.vocab <= fixed_ids || training.vocab > 1'000'000)
        problems.push_back({.path = "--vocab",
                            .rule = "must be from " + std::to_string(fixed_ids + 1) +
                                    " (256 bytes, 3 special tokens, a piece) to 1000000",
                            .found = std::to_string(training.vocab)});
    if (training.sample_bytes < 1'000 || training.sample_bytes > 4'000'000'000)
        problems.push_back({.path = "--sample",
                            .rule = "must be from 1000 to 4000000000 bytes",
                            .found = std::to_string(training.sample_bytes)});
    if (!(training.character_coverage > 0.5 && training.character_coverage <= 1))
        problems.push_back({.path = "--coverage",
                            .rule = "must be above 0.5 and at most 1",
                            .found = std::to_string(training.character_coverage)});
    return problems;
}

}  // namespace

Result<TokenizerInfo> train_sentencepiece(const std::vector<std::string>& sources, const std::string& out,
                                          const SentencePieceTraining& training,
                                          const std::function<void(const SentencePieceProgress&)>& progress,
                                          const std::atomic<bool>* cancel) {
    Diagnostics problems = check(training);
    const Checked<std::vector<SourceFile>> files = collect_sources(sources);
    if (!files) problems.insert(problems.end(), files.error().begin(), files.error().end());
    if (!problems.empty()) return fail(to_error(problems));
    std::error_code error;
    if (fs::exists(out, error))
        return fail(ErrorKind::already_exists, "exists already", out, "Choose another name, or delete it");

    SentenceSample sample(training.sample_bytes);
    double bytes_total = 1;
    double bytes_before = 0;
    for (const SourceFile& file : *files) bytes_total += static_cast<double>(file.bytes);
    for (const SourceFile& file : *files) {
        const DocumentVisitor visitor{
            .document = [&](std::string_view text) -> Result<void> {
                sample.add_document(text);
                return {};
            },
            .position =
                [&](std::int64_t position) {
                    if (progress)
                        progress(
                            {reading_share * (bytes_before + static_cast<double>(position)) / bytes_total,
                             "reading " + file.path});
                },
            .cancel = cancel};
        const Result<ReadReport> read = read_documents(file, visitor);
        // As in a corpus, one bad file of many is left out.
        if (!read && read.error().kind != ErrorKind::corrupt && read.error().kind != ErrorKind::permission)
            return fail(read.error());
        bytes_before += static_cast<double>(file.bytes);
    }
    if (sample.sentences().empty()) return fail(ErrorKind::invalid_input, "the sources hold no text");
    Result<std::string> model = train_in_child(sample.sentences(), training, progress, cancel);
    if (!model) return fail(std::move(model.error()));
    const Result<std::shared_ptr<const Tokenizer>> made = read_tokenizer(*model, out);
    if (!made) return fail(made.error());
    if (const std::string folder = fs::path(out).parent_path().string(); !folder.empty())
        if (Result<void> done = make_folder(folder); !done) return fail(std::move(done.error()));
    if (Result<void> done = write_file_atomically(out, *model); !done) return fail(std::move(done.error()));
    if (progress) progress({1, "done"});
    return (*made)->info();
}

}  // namespace braid
