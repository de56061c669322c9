// How fast text becomes a corpus: corpus_bench TEXT TOKENIZER [THREADS] [PATTERN].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/base/file.h"
#include "core/data/corpus.h"

int main(int argc, char** argv) {
    using namespace braid;
    if (argc < 3) {
        std::fprintf(stderr, "corpus_bench TEXT TOKENIZER [THREADS] [PATTERN]\n");
        return 2;
    }
    CorpusOptions options{.tokenizer = argv[2], .threads = argc > 3 ? std::atoi(argv[3]) : 0};
    if (argc > 4) options.tokenizer_options.pattern = argv[4];
    const auto seconds = [](auto&& work) {
        const auto start = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::shared_ptr<const Tokenizer> tokenizer;
    const double loading = seconds(
        [&] { tokenizer = open_tokenizer(options.tokenizer, options.tokenizer_options).value_or(nullptr); });
    const Result<std::string> text = read_file(argv[1]);
    if (tokenizer == nullptr || !text) {
        std::fprintf(stderr, "cannot read the tokenizer or the text\n");
        return 1;
    }
    const double megabytes = static_cast<double>(text->size()) / 1e6;
    std::vector<std::int32_t> ids;
    const double encoding = seconds([&] {
        for (std::size_t at = 0; at < text->size(); at += 1U << 20U)
            tokenizer->encode(std::string_view(*text).substr(at, 1U << 20U), SpecialText::as_text, ids);
    });
    std::printf("%.1f MB, vocabulary %lld, read in %.2f s; %.2f bytes a token\n", megabytes,
                static_cast<long long>(tokenizer->info().vocab), loading,
                static_cast<double>(text->size()) / static_cast<double>(ids.size()));
    std::printf("tokenising, one thread    %7.1f MB/s\n", megabytes / encoding);
    const std::string out = (std::filesystem::temp_directory_path() / "corpus_bench").string();
    std::filesystem::remove_all(out);
    Result<CorpusManifest> manifest = fail(ErrorKind::internal, "");
    const double building = seconds([&] { manifest = build_corpus({argv[1]}, out, options); });
    if (!manifest) {
        std::fprintf(stderr, "%s\n", describe(manifest.error()).c_str());
        return 1;
    }
    std::printf("corpus build, %s threads   %7.1f MB/s (%.2f s)\n",
                options.threads == 0 ? "all" : std::to_string(options.threads).c_str(), megabytes / building,
                building);
    std::filesystem::remove_all(out);
    return 0;
}
