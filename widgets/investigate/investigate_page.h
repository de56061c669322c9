// Investigate: why some variants of a study come to look far sooner than others. Two of them beside each
// other, seed by seed: the attention of the head that ends on top, its entropy, the gradient over distance,
// all heads.
#pragma once

#include <QWidget>
#include <map>

#include "widgets/common/run_commands.h"
#include "widgets/common/throttle.h"
#include "widgets/common/workspace.h"
#include "widgets/investigate/investigation.h"

class QComboBox;
class QPushButton;
class QStackedWidget;

namespace braid::ui {

class EmptyState;
class InvestigateViews;
class PageToolbar;

class InvestigatePage : public QWidget {
    Q_OBJECT

public:
    explicit InvestigatePage(const WorkspaceContext& context, QWidget* parent = nullptr);

    void showStudy(const QString& name);  // empty: none
    void setActive(bool active);
    // Measures what the finished runs have no answer of.
    void measure();
    void cancel();
    void exportFigure();
    QString commandLine() const;

    QPushButton* measureButton() const { return measure_; }
    QPushButton* cancelButton() const { return cancel_; }
    QPushButton* figureButton() const { return figure_; }
    EmptyState* empty() const { return empty_; }
    QComboBox* earlyChoice() const { return early_; }
    QComboBox* lateChoice() const { return late_; }
    QComboBox* seedChoice() const { return seed_; }
    InvestigateViews* views() const { return views_; }

private:
    void makeToolbar();
    void refresh();
    void refreshChoices(const StudySpec& spec);
    void refreshButtons();
    void follow(const ScoreJob& job);
    void start(const std::vector<RunPointer>& without);
    std::vector<ScoreRequest> missing() const;
    std::size_t early() const;
    std::size_t late() const;
    std::uint64_t seed() const;

    WorkspaceContext context_;
    QString name_;
    bool active_ = false;
    Throttle throttle_{100, this, [this] { refresh(); }};
    Investigation shown_;
    std::map<int, ScoreJob> jobs_;  // since measure()
    PageToolbar* toolbar_;
    QComboBox *early_, *late_, *seed_;
    QPushButton *figure_, *cancel_, *measure_;
    InvestigateViews* views_;
    QStackedWidget* pages_;
    EmptyState* empty_;
    QString left_out_;  // of measure(): which runs could not be measured, and why
};

}  // namespace braid::ui
