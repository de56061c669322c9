// The control of one parameter, made from its description: field, check box or segments. Shows "mixed" when
// the selected layers differ.
#pragma once

#include <QWidget>
#include <optional>

#include "core/base/error.h"
#include "core/spec/parameter.h"

class QCheckBox;
class QComboBox;

namespace braid::ui {

class Field;
class Segments;

class ParameterEditor : public QWidget {
    Q_OBJECT

public:
    // `owner` makes the accessible name unique: "Sliding window, Window".
    ParameterEditor(const ParameterDescription& description, const QString& owner, QWidget* parent = nullptr);

    const ParameterDescription& description() const { return description_; }
    void setValue(
        const std::optional<ParameterValue>& value);  // nothing: the layers differ; without changed()
    void setUnit(const QString& unit);
    // What stands in the control: also a text that is no value yet.
    QString shown() const;
    const std::optional<ParameterValue>& value() const { return value_; }  // the last one that was accepted
    // Why the text that stands in the field is no value; empty: it is one.
    QString refusal() const { return refusal_; }
    Field* field() const { return field_; }
    Segments* segments() const { return segments_; }
    QCheckBox* checkBox() const { return check_; }

Q_SIGNALS:
    void changed(const braid::ParameterValue& value);
    void refusalChanged();
    void finished();  // the focus left: the next change is another undo step

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void commit(const QString& text);
    Checked<ParameterValue> parse(const QString& text) const;
    void setRefusal(const QString& refusal);
    void step(double factor, std::int64_t by);

    ParameterDescription description_;
    std::optional<ParameterValue> value_;
    QString refusal_;
    Field* field_ = nullptr;
    Segments* segments_ = nullptr;
    QComboBox* choices_ = nullptr;
    QCheckBox* check_ = nullptr;
};

}  // namespace braid::ui

Q_DECLARE_METATYPE(braid::ParameterValue)
