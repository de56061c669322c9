// completion, man: both made from the tree of verbs.
#include "app/engine/cli/description.h"
#include "app/engine/cli/output.h"
#include "app/engine/verbs/verbs.h"
#include "core/base/file.h"

namespace braid::cli {

void add_completion(CommandLine& line) {
    const auto shell = std::make_shared<std::string>();
    CLI::App& verb = line.verb(
        line.root(),
        {.name = "completion",
         .summary = "Completion script for a shell",
         .example = "braid-engine completion bash > ~/.local/share/bash-completion/completions/braid-engine"},
        [&line, shell]() -> Result<void> {
            print(completion_script(describe_verbs(line), *shell));
            return {};
        });
    verb.add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

void add_man(CommandLine& line) {
    const auto folder = std::make_shared<std::string>();
    CLI::App& verb =
        line.verb(line.root(),
                  {.name = "man",
                   .summary = "Man pages: of the program on stdout, or of every verb into a folder",
                   .example = "braid-engine man | man -l -\nbraid-engine man --out ~/.local/share/man/man1"},
                  [&line, folder]() -> Result<void> {
                      const VerbDescription root = describe_verbs(line);
                      if (folder->empty()) {
                          print(man_page(root));
                          return {};
                      }
                      if (Result<void> made = make_folder(*folder); !made) return made;
                      std::vector<const VerbDescription*> open{&root};
                      while (!open.empty()) {
                          const VerbDescription* next = open.back();
                          open.pop_back();
                          for (const VerbDescription& inner : next->verbs) open.push_back(&inner);
                          const std::string file = *folder + "/" + man_page_name(*next);
                          if (Result<void> written = write_file_atomically(file, man_page(*next)); !written)
                              return written;
                          print(file + "\n");
                      }
                      return {};
                  });
    verb.add_option("--out", *folder, "Folder for one page a verb")->type_name("DIR");
}

}  // namespace braid::cli
