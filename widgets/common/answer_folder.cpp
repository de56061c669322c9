#include "widgets/common/answer_folder.h"

#include <sys/stat.h>

#include <QStringList>

namespace braid::ui {

std::int64_t folderStamp(const std::string& folder) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0) return 0;
    return std::int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

QString problemsText(const std::vector<Error>& problems) {
    QStringList lines;
    for (const Error& problem : problems) lines << QString::fromStdString(describe(problem));
    return lines.join(QLatin1Char('\n'));
}

}  // namespace braid::ui
