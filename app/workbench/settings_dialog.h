// Preferences: theme, size of text, runs at a time. Each takes effect at once.
#pragma once

#include <QDialog>

namespace braid::ui {

// Runs that train at the same time on this machine (QSettings "runs/jobs").
int savedJobs();

class SettingsDialog : public QDialog {
    Q_OBJECT

public:
    explicit SettingsDialog(QWidget* parent = nullptr);

Q_SIGNALS:
    void jobsChanged(int jobs);
    void shortcutsWanted();
};

}  // namespace braid::ui
