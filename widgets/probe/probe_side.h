// The left side of Probe: which runs are compared, and what was measured of them.
#pragma once

#include <QWidget>

class QComboBox;
class QStandardItemModel;
class QTreeView;

namespace braid::ui {

class ProbeChoice;
class SectionTitle;
class TextLabel;

class ProbeSide : public QWidget {
    Q_OBJECT

public:
    explicit ProbeSide(ProbeChoice& choice, QWidget* parent = nullptr);

    void refresh();
    QTreeView* runs() const { return runs_; }
    QTreeView* kinds() const { return kinds_; }
    // "6 of 6", "Run"
    QString state(const std::string& kind) const;
    QString settings() const;
    QComboBox* stepChoice() const { return steps_; }
    QComboBox* settingsChoice() const { return variants_; }

Q_SIGNALS:
    void measureWanted(const QString& kind);

private:
    void fillRuns();
    void fillKinds();
    void fillSettings();
    void fillChoices();

    ProbeChoice& choice_;
    SectionTitle* run_title_;
    QStandardItemModel *run_model_, *kind_model_;
    QTreeView *runs_, *kinds_;
    SectionTitle* settings_title_;
    QComboBox *steps_, *variants_;  // hidden where there is nothing to choose
    TextLabel* settings_;
    bool filling_ = false;
};

}  // namespace braid::ui
