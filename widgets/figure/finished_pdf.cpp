#include "widgets/figure/finished_pdf.h"

#include <QList>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

namespace braid::ui {
namespace {

struct Edit {
    qsizetype place;  // in the original
    qsizetype length;
    QByteArray text;
};

// Applies the edits and corrects the cross-reference table: lines of 20 bytes, "0000000015 00000 n \n".
QByteArray edited(const QByteArray& pdf, std::vector<Edit> edits) {
    const qsizetype xref = pdf.lastIndexOf("\nxref\n") + 1;
    const qsizetype start = pdf.lastIndexOf("startxref\n");
    if (xref <= 0 || start < xref) {
        return pdf;
    }
    std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.place < b.place; });
    const auto moved = [&](qlonglong place) {
        qlonglong shift = 0;
        for (const Edit& edit : edits) {
            shift += edit.place < place ? edit.text.size() - edit.length : 0;
        }
        return place + shift;
    };
    QByteArray result;
    qsizetype done = 0;
    for (const Edit& edit : edits) {
        if (edit.place < done || edit.place + edit.length > xref) {
            return pdf;
        }
        result += pdf.mid(done, edit.place - done) + edit.text;
        done = edit.place + edit.length;
    }
    result += pdf.mid(done, xref - done);
    QByteArray table = pdf.mid(xref, start - xref);
    qsizetype line = table.indexOf('\n', table.indexOf('\n') + 1) + 1;
    for (; line + 20 <= table.size() && table.at(line + 10) == ' '; line += 20) {
        if (table.at(line + 17) == 'n') {
            const qlonglong place = moved(table.mid(line, 10).toLongLong());
            table.replace(line, 10, QByteArray::number(place).rightJustified(10, '0'));
        }
    }
    return result + table + "startxref\n" + QByteArray::number(moved(xref)) + "\n%%EOF\n";
}

// Six capitals made from the name.
QByteArray subset_tag(const QByteArray& name) {
    std::uint32_t hash = 2166136261u;
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    }
    QByteArray tag;
    for (int i = 0; i < 6; ++i, hash /= 26) {
        tag += static_cast<char>('A' + hash % 26);
    }
    return tag + '+';
}

}  // namespace

QByteArray finished_pdf(const QByteArray& pdf, const QSizeF& millimetres) {
    std::vector<Edit> edits;
    const QByteArray key = "/MediaBox [0 0 ";
    const qsizetype box = pdf.indexOf(key);
    const qsizetype close = box < 0 ? -1 : pdf.indexOf(']', box);
    if (close < 0) {
        return pdf;
    }
    const QList<QByteArray> numbers =
        pdf.mid(box + key.size(), close - box - key.size()).simplified().split(' ');
    bool ok = false;
    const double top = numbers.size() == 2 ? numbers[1].toDouble(&ok) : 0;
    if (!ok) {
        return pdf;
    }
    const auto points = [](double mm) { return mm * 72 / 25.4; };
    edits.push_back({box, close + 1 - box,
                     "/MediaBox [0 " + QByteArray::number(top - points(millimetres.height()), 'f', 3) + ' ' +
                         QByteArray::number(points(millimetres.width()), 'f', 3) + ' ' +
                         QByteArray::number(top, 'f', 3) + ']'});
    for (const QByteArray& name_key : {QByteArray("/BaseFont /"), QByteArray("/FontName /")}) {
        for (qsizetype at = pdf.indexOf(name_key); at >= 0; at = pdf.indexOf(name_key, at + 1)) {
            const qsizetype begin = at + name_key.size();
            qsizetype end = begin;
            while (end < pdf.size() && (std::isalnum(static_cast<unsigned char>(pdf[end])) ||
                                        pdf[end] == '-' || pdf[end] == '+')) {
                ++end;
            }
            const QByteArray name = pdf.mid(begin, end - begin);
            if (!name.contains('+')) {
                edits.push_back({begin, 0, subset_tag(name)});
            }
        }
    }
    return edited(pdf, std::move(edits));
}

}  // namespace braid::ui
