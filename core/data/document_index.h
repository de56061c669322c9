// documents.bin while a corpus is built: the entries, kept in memory (32 bytes a document), and the texts
// seen.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/error.h"
#include "core/data/corpus.h"

namespace braid {

class DocumentIndex {
public:
    // Notes the hash of a text whose entry will be added later; false where it had been seen.
    bool see(std::uint64_t hash) { return seen_.insert(hash).second; }
    void add(const DocumentEntry& entry) {
        entries_.push_back(entry);
        seen_.insert(entry.hash);
    }
    std::size_t size() const { return entries_.size(); }
    void go_back_to(std::size_t size) {
        for (std::size_t i = size; i < entries_.size(); ++i) seen_.erase(entries_[i].hash);
        entries_.resize(size);
        saved_ = std::min(saved_, size);
    }
    std::vector<DocumentEntry>& entries() { return entries_; }

    // Appends what is new to the file and syncs it; a longer file is cut.
    Result<void> save(const std::string& file);
    // Writes everything anew.
    Result<void> rewrite(const std::string& file);
    // The first `size` entries of an interrupted build.
    Result<void> load(const std::string& file, std::size_t size);

private:
    std::vector<DocumentEntry> entries_;
    std::unordered_set<std::uint64_t> seen_;
    std::size_t saved_ = 0;
};

}  // namespace braid
