#include "app/workbench/settings_dialog.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QSettings>
#include <QSpinBox>
#include <QThread>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/segments.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

const QString jobs_key = QStringLiteral("runs/jobs");
constexpr int label_width = 130;

// Label, field, unit or explanation outside.
void addRow(QVBoxLayout* layout, const QString& label, QWidget* field, const QString& note) {
    auto* row = new QHBoxLayout;
    row->setSpacing(metrics::gap3);
    auto* text = new TextLabel(label, TypeStep::control, 400, 1);
    text->setFixedWidth(label_width);
    text->setBuddy(field);
    row->addWidget(text);
    row->addWidget(field);
    row->addWidget(new TextLabel(note, TypeStep::control, 400, 3));
    row->addStretch();
    layout->addLayout(row);
}

}  // namespace

int savedJobs() { return std::max(1, QSettings().value(jobs_key, 1).toInt()); }

SettingsDialog::SettingsDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Settings"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::gap6, metrics::gap4, metrics::gap6, metrics::gap4);
    layout->setSpacing(metrics::gap3);

    layout->addWidget(new SectionTitle(tr("Look")));
    auto* theme = new Segments(tr("Theme"), {tr("System"), tr("Light"), tr("Dark")});
    theme->setCurrent(int(Theme::instance().mode()));
    connect(theme, &Segments::chosen, this, [](int index) { Theme::instance().setMode(ThemeMode(index)); });
    addRow(layout, tr("Theme"), theme, {});
    auto* size = new QSpinBox;
    size->setAccessibleName(tr("Text size"));
    size->setRange(Theme::smallest_font, Theme::largest_font);
    size->setValue(Theme::instance().fontSize());
    size->setFixedWidth(72);
    connect(size, &QSpinBox::valueChanged, this, [](int pixels) { Theme::instance().setFontSize(pixels); });
    addRow(layout, tr("Text size"), size, tr("pixels"));

    layout->addWidget(makeSeparator());
    layout->addWidget(new SectionTitle(tr("Runs")));
    auto* jobs = new QSpinBox;
    jobs->setAccessibleName(tr("Runs at a time"));
    jobs->setRange(1, std::max(1, QThread::idealThreadCount()));
    jobs->setValue(savedJobs());
    jobs->setFixedWidth(72);
    connect(jobs, &QSpinBox::valueChanged, this, [this](int value) {
        QSettings().setValue(jobs_key, value);
        Q_EMIT jobsChanged(value);
    });
    addRow(layout, tr("Runs at a time"), jobs, tr("on this machine; others wait in the queue"));

    layout->addWidget(makeSeparator());
    auto* buttons = new QHBoxLayout;
    auto* shortcuts = makeButton(tr("Keyboard shortcuts…"), QStringLiteral("keyboard"));
    connect(shortcuts, &QPushButton::clicked, this, &SettingsDialog::shortcutsWanted);
    buttons->addWidget(shortcuts);
    buttons->addStretch();
    auto* close = makeButton(tr("Close"));
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    buttons->addWidget(close);
    layout->addLayout(buttons);
    layout->addStretch();
}

}  // namespace braid::ui
