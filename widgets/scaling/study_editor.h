// A grid study on its way into the project: what is compared, at which sizes, budgets and seeds, how it is
// trained and fitted. What it comes to is shown before anything starts; every problem stands at its field.
#pragma once

#include <QDialog>
#include <map>
#include <memory>
#include <string>

#include "core/spec/study_cost.h"
#include "widgets/common/throttle.h"

class QCheckBox;
class QComboBox;
class QPlainTextEdit;
class QPushButton;

namespace braid::ui {

class DataForm;
class FactList;
class Field;
class LatestWorker;
class ParameterForm;
class ProjectSession;
class TextLabel;

class StudyEditor : public QDialog {
    Q_OBJECT

public:
    // `isNew`: its name is asked for and must be free.
    StudyEditor(const ProjectSession& session, const StudySpec& spec, bool isNew, QWidget* parent = nullptr);
    ~StudyEditor() override;

    const StudySpec& spec() const { return spec_; }
    Field* nameField() const { return name_; }
    Field* budgetField() const { return budgets_; }
    Field* seedField() const { return seeds_; }
    QPlainTextEdit* list(const std::string& key) const;  // "variants", "scales", "axes", "excluded", ...
    QPushButton* saveButton() const { return save_; }
    QString problemAt(const std::string& key) const;  // beneath a list
    QString problemText() const;                      // of all, a line each
    QString summary() const;
    bool isChecked() const { return checked_; }  // the numbers are of what the fields say now

private:
    struct List {
        QPlainTextEdit* edit;
        TextLabel* problem;
    };
    QWidget* makeList(const std::string& key, const QString& title, const QString& hint, int lines);
    QWidget* makeLeft();
    QWidget* makeRight();
    void read();   // the fields into spec_
    void check();  // plans in the background
    void show(const Diagnostics& problems, const StudyCost& cost, std::size_t points);

    const ProjectSession& session_;
    StudySpec spec_;
    const StudySpec before_;
    const bool isNew_;
    std::map<std::string, List> lists_;
    Field *name_, *title_, *budgets_, *seeds_, *metric_, *metrics_;
    QCheckBox* branching_;
    QComboBox* form_;
    DataForm* data_;
    ParameterForm* training_;
    FactList* facts_;
    TextLabel* problem_;
    QPushButton* save_;
    Diagnostics syntax_, problems_;  // of the texts; of all
    bool checked_ = false;
    int asked_ = 0;
    Throttle throttle_;
    std::unique_ptr<LatestWorker> worker_;
};

// A study to begin with: two hybrids at the smallest scales.
StudySpec firstGridStudy(const std::string& name);

}  // namespace braid::ui
