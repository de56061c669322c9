#include "widgets/train/runs_filter.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <functional>

namespace braid::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("RunsFilter", text); }

// "Learning rate", "learning_rate" and "learning-rate" are one name.
QString plain(const QString& name) {
    QString result;
    for (const QChar c : name)
        if (c.isLetterOrNumber() || c == QLatin1Char('.') || c == QLatin1Char('/')) result += c.toLower();
    return result;
}

QString lastPart(const QString& id) {
    return id.mid(std::max(id.lastIndexOf(QLatin1Char('.')), id.lastIndexOf(QLatin1Char('/'))) + 1);
}

// "3", "1e-3", "2.5M", "1,024"
bool toNumber(QString text, double& number) {
    text.remove(QLatin1Char(',')).remove(QLatin1Char('%'));
    static const QString suffixes = QStringLiteral("kMGT");
    double factor = 1;
    if (!text.isEmpty()) {
        const qsizetype suffix = suffixes.indexOf(text.back());
        if (suffix >= 0) {
            factor = std::pow(1e3, double(suffix + 1));
            text.chop(1);
        }
    }
    bool good = false;
    number = text.toDouble(&good) * factor;
    return good;
}

// At blanks outside of quotes; the quotes go.
QStringList words(const QString& text) {
    QStringList result;
    QString word;
    bool quoted = false, any = false;
    for (const QChar c : text) {
        if (c == QLatin1Char('"')) {
            quoted = !quoted;
            any = true;
        } else if (c.isSpace() && !quoted) {
            if (any) result << word;
            word.clear();
            any = false;
        } else {
            word += c;
            any = true;
        }
    }
    if (any) result << word;
    return result;
}

}  // namespace

int RunsFilter::find(const QString& name, const std::vector<RunsColumn>& columns) {
    const QString wanted = plain(name);
    if (wanted.isEmpty()) return -1;
    const auto first = [&](auto matches) {
        const auto found = std::find_if(columns.begin(), columns.end(), matches);
        return found == columns.end() ? -1 : int(found - columns.begin());
    };
    for (const auto& matches : std::initializer_list<std::function<bool(const RunsColumn&)>>{
             [&](const RunsColumn& column) { return plain(column.id) == wanted; },
             [&](const RunsColumn& column) { return plain(column.title) == wanted; },
             [&](const RunsColumn& column) { return plain(lastPart(column.id)) == wanted; },
             [&](const RunsColumn& column) { return plain(column.title).startsWith(wanted); },
             [&](const RunsColumn& column) { return plain(lastPart(column.id)).startsWith(wanted); }})
        if (const int column = first(matches); column >= 0) return column;
    return -1;
}

RunsFilter RunsFilter::parse(const QString& text, const std::vector<RunsColumn>& columns) {
    static const QRegularExpression blanks(QStringLiteral("\\s*(<=|>=|!=|<|>|=)\\s*"));
    static const QRegularExpression comparison(QStringLiteral("^([^<>=!:]+)(<=|>=|!=|<|>|=|:)(.*)$"));
    static const std::pair<const char*, Op> ops[] = {
        {"<=", Op::lessOrEqual}, {">=", Op::greaterOrEqual}, {"!=", Op::notEqual}, {"<", Op::less},
        {">", Op::greater},      {"=", Op::equal},           {":", Op::contains}};
    QString joined = text;
    joined.replace(blanks, QStringLiteral("\\1"));
    RunsFilter filter;
    QStringList problems;
    for (const QString& word : words(joined)) {
        const QRegularExpressionMatch match = comparison.match(word);
        if (!match.hasMatch()) {
            filter.terms_.push_back({.text = word});
            continue;
        }
        Term term{.text = match.captured(3).trimmed()};
        for (const auto& [sign, op] : ops)
            if (match.captured(2) == QLatin1String(sign)) term.op = op;
        term.isNumber = toNumber(term.text, term.number);
        term.column = find(match.captured(1), columns);
        const bool ordered = term.op == Op::less || term.op == Op::lessOrEqual || term.op == Op::greater ||
                             term.op == Op::greaterOrEqual;
        if (term.column < 0)
            problems << tr("There is no column \"%1\".").arg(match.captured(1));
        else if (term.text.isEmpty())
            problems << tr("%1 is compared with nothing yet.").arg(match.captured(1));
        else if (ordered && !term.isNumber)
            problems << tr("\"%1\" is no number.").arg(term.text);
        else
            filter.terms_.push_back(term);
    }
    filter.problem_ = problems.join(QLatin1Char(' '));
    return filter;
}

bool RunsFilter::holds(const Term& term, const RunsCell& cell) {
    if (cell.missing()) return term.op == Op::notEqual;
    const bool numbers = term.isNumber && !std::isnan(cell.number);
    // As the cell is shown (0.984 typed finds 0.98412), or one of several values ("4, 16").
    bool same = numbers && cell.number == term.number;
    for (const QString& part : cell.text.split(QStringLiteral(", ")))
        same = same || part.compare(term.text, Qt::CaseInsensitive) == 0;
    same = same || cell.text.compare(term.text, Qt::CaseInsensitive) == 0;
    switch (term.op) {
        case Op::contains:
            return cell.text.contains(term.text, Qt::CaseInsensitive);
        case Op::equal:
            return same;
        case Op::notEqual:
            return !same;
        case Op::less:
            return numbers && cell.number < term.number;
        case Op::lessOrEqual:
            return numbers && cell.number <= term.number;
        case Op::greater:
            return numbers && cell.number > term.number;
        case Op::greaterOrEqual:
            return numbers && cell.number >= term.number;
    }
    return false;
}

bool RunsFilter::accepts(const std::vector<RunsCell>& cells) const {
    for (const Term& term : terms_) {
        const bool good =
            term.column >= 0 ? term.column < int(cells.size()) && holds(term, cells[std::size_t(term.column)])
                             : std::any_of(cells.begin(), cells.end(), [&](const RunsCell& cell) {
                                   return cell.text.contains(term.text, Qt::CaseInsensitive);
                               });
        if (!good) return false;
    }
    return true;
}

}  // namespace braid::ui
