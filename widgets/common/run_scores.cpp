#include "widgets/common/run_scores.h"

#include <QCoreApplication>
#include <QStringList>

#include "core/record/metric_name.h"
#include "widgets/common/answer_folder.h"
#include "widgets/common/format.h"

namespace braid::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("RunScores", text); }

std::string scoresFolder(const RunFolder& folder) { return folder.path() + "/scores"; }

}  // namespace

std::optional<double> RunScores::latest(const std::string& metric) const {
    const auto found = lines.find(metric);
    if (found == lines.end() || found->second.values.empty()) return std::nullopt;
    return found->second.values.back();
}

std::int64_t scoresStamp(const RunFolder& folder) { return folderStamp(scoresFolder(folder)); }

RunScoresPointer readRunScores(const RunFolder& folder) {
    auto scores = std::make_shared<RunScores>();
    ScoreList list = read_scores(folder);
    scores->records = std::move(list.scores);
    scores->problem = problemsText(list.problems);
    std::map<std::string, std::map<std::int64_t, std::pair<std::string, double>>> points;  // created, value
    for (const ScoreRecord& record : scores->records)
        for (const ScoreSummary& summary : record.summary) {
            const std::string metric = score_metric(record.kind, summary.name);
            ScoreLine& line = scores->lines[metric];
            // "loss" alone is that of the training.
            line.title = record.kind == "loss" ? tr("Scored %1").arg(QString::fromStdString(summary.name))
                                               : QString::fromStdString(summary.name);
            line.unit = QString::fromStdString(summary.unit);
            if (!summary.value) continue;
            auto& point = points[metric][record.checkpoint.step.value];
            if (point.first <= record.created) point = {record.created, *summary.value};
        }
    for (const auto& [metric, steps] : points)
        for (const auto& [step, point] : steps) {
            scores->lines[metric].steps.push_back(step);
            scores->lines[metric].values.push_back(point.second);
        }
    return scores;
}

QString scoreKindTitle(const std::string& kind) {
    const ScoreKind* found = find_score_kind(kind);
    return found ? QString::fromUtf8(found->title.data(), qsizetype(found->title.size()))
                 : QString::fromStdString(kind);
}

QString scoreText(const std::optional<double>& value, const QString& unit) {
    if (!value) return QStringLiteral("—");
    const QString number = formatFixed(*value, unit == QLatin1String("%") ? 1 : 3);
    return unit.isEmpty() ? number : number + QLatin1Char(' ') + unit;
}

QString metricName(const std::string& metric) {
    static const std::map<std::string, const char*> names = {
        {"loss", QT_TRANSLATE_NOOP("RunScores", "Training loss")},
        {"eval/loss", QT_TRANSLATE_NOOP("RunScores", "Validation loss")},
        {"eval/log_longppl", QT_TRANSLATE_NOOP("RunScores", "log LongPPL")},
        {"recall/far", QT_TRANSLATE_NOOP("RunScores", "Far recall")},
        {"recall/mid", QT_TRANSLATE_NOOP("RunScores", "Mid recall")},
        {"recall/near", QT_TRANSLATE_NOOP("RunScores", "Near recall")},
    };
    if (const auto found = names.find(metric); found != names.end()) return tr(found->second);
    // Needles found while training, by depth from the beginning of the context.
    if (constexpr std::string_view needles = "niah/depth-"; metric.starts_with(needles))
        return tr("NIAH depth %1").arg(QString::fromStdString(metric.substr(needles.size())));
    if (!is_score(metric)) return QString::fromStdString(metric);
    // "score/niah/niah-average": names of tasks and models keep their capitals.
    static const std::map<QString, QString> words = {
        {QStringLiteral("niah"), QStringLiteral("NIAH")},
        {QStringLiteral("ruler"), QStringLiteral("RULER")},
        {QStringLiteral("longppl"), QStringLiteral("LongPPL")},
        {QStringLiteral("ppl"), QStringLiteral("PPL")},
        {QStringLiteral("babilong"), QStringLiteral("BABILong")},
        {QStringLiteral("longbench"), QStringLiteral("LongBench")},
        {QStringLiteral("shortavg"), QStringLiteral("ShortAvg")},
        {QStringLiteral("qa"), QStringLiteral("QA")},
    };
    const QString slug = QString::fromStdString(metric).section(QLatin1Char('/'), 2);
    QStringList shown;
    for (const QString& word : slug.split(QLatin1Char('-'), Qt::SkipEmptyParts)) {
        const auto known = words.find(word);
        shown << (known == words.end() ? word : known->second);
    }
    QString name = shown.join(QLatin1Char(' '));
    if (metric.starts_with("score/loss/")) return tr("Scored %1").arg(name);
    if (!name.isEmpty() && !name.startsWith(QLatin1String("log "))) name[0] = name[0].toUpper();
    return name;
}

}  // namespace braid::ui
