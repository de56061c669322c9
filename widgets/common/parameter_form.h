// A form made from descriptions: one row a parameter, with its problem beneath. Parameters without effect
// (only_if) are hidden.
#pragma once

#include <QStringList>
#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "core/spec/parameter.h"

class QVBoxLayout;

namespace braid::ui {

class ParameterEditor;
class TextLabel;

inline constexpr int form_label_width = 144, form_field_width = 128;

class ParameterForm : public QWidget {
    Q_OBJECT

public:
    // Rows of `keys` in this order; empty: of all descriptions. `owner` makes accessible names unique.
    ParameterForm(std::vector<ParameterDescription> descriptions, const std::vector<std::string>& keys = {},
                  const QString& owner = {}, QWidget* parent = nullptr);

    // Absent keys show their default. A text that was refused stays where its value is the same as before.
    void setValues(const ParameterValues& values);
    ParameterEditor* editor(const std::string& key) const;  // null: no such row
    bool has(const std::string& key) const { return rows_.contains(key); }
    // Beneath the field; empty: all is well.
    void setProblem(const std::string& key, const QString& problem);
    void clearProblems();
    // "Sequences: must be 1 or more, got 0", one a field that shows what is no value: it counts for nothing,
    // so that what the form would start is not what it shows.
    QStringList refused() const;

    // A row in the look of the form: label, then the control.
    static QWidget* makeRow(const QString& label, QWidget* control);

Q_SIGNALS:
    void changed(const std::string& key, const braid::ParameterValue& value);
    void refusedChanged();

private:
    struct Row {
        QWidget* row;
        ParameterEditor* editor;
        TextLabel* problem;
    };
    std::vector<ParameterDescription> descriptions_;
    std::map<std::string, Row> rows_;
};

}  // namespace braid::ui
