// A project folder: project.json, architectures/*.json, studies/*.json, figures/*.json, runs/<id>/, and
// index.db, a cache that can be deleted at any time. Any number of processes may work on one project.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/record/run_folder.h"
#include "core/record/run_status.h"

namespace braid {

inline constexpr int project_schema_version = 1;

// The folders of documents; each document is a JSON file, its name is the file's without ".json".
enum class DocumentKind { architecture, study, figure };

struct ProjectDocument {
    DocumentKind kind = DocumentKind::architecture;
    std::string name;
    std::string file;              // absolute
    std::int64_t modified_ns = 0;  // time of the last change
    bool operator==(const ProjectDocument&) const = default;
};

// A run in a list; its id is the name of its folder. What cannot be read is in `problem`, the rest of the
// list is not harmed.
struct RunEntry {
    RunId id;
    RunFolder folder;
    std::string name = {};
    std::string created = {};
    StudyId study = {};
    std::string point = {};
    std::int64_t steps = 0;  // planned
    RunStatus status = {};
    std::optional<Error> problem = {};
};
bool operator==(const RunEntry& a, const RunEntry& b);  // what they show; problems by their text

class Project {
public:
    // Makes the folder (which may exist when it holds no project.json) and its parts.
    static Result<Project> create(const std::string& folder, const std::string& title);
    static Result<Project> open(const std::string& folder);
    // The nearest folder with a project.json, from `start` upwards.
    static Result<Project> find(const std::string& start);
    // A copy of an example project at `folder`, which must not exist; runs are not copied. An existing
    // project there is opened as it is.
    static Result<Project> open_copy(const std::string& template_folder, const std::string& folder);

    const std::string& folder() const;
    const std::string& title() const;

    std::vector<ProjectDocument> documents(DocumentKind kind) const;  // by name
    std::string document_file(DocumentKind kind, std::string_view name) const;

    // Oldest first. Answers from index.db where a run has not changed since; a missing or broken index.db is
    // made anew without a word.
    std::vector<RunEntry> runs() const;
    // By id, unambiguous beginning of an id, folder, or name (the newest run of that name).
    Result<RunFolder> find_run(std::string_view text) const;

    // Gives the plan a new id ("a91f": begins with a letter, unique even between processes), the time where
    // it has none, and makes runs/<id>/.
    Result<RunFolder> add_run(RunPlan plan) const;
    enum class Removal { to_trash, forever };
    // A run that works is refused (ErrorKind::busy). Returns where it lies now (empty: nowhere); the trash is
    // <project>/.trash/.
    Result<std::string> remove_run(const RunFolder& folder, Removal removal) const;
    Result<RunFolder> restore_run(const std::string& trashed) const;

private:
    struct Data;
    explicit Project(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
    std::shared_ptr<const Data> data_;
};

}  // namespace braid
