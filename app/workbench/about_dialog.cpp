#include "app/workbench/about_dialog.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/icons.h"

namespace braid::ui {

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("About Braid"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::gap6, metrics::gap6, metrics::gap6, metrics::gap4);
    layout->setSpacing(metrics::gap3);
    auto* head = new QHBoxLayout;
    head->setSpacing(metrics::gap4);
    auto* mark = new QLabel;
    mark->setPixmap(iconPixmap(QStringLiteral("braid"), 64, tokens().text1, devicePixelRatioF()));
    mark->setAccessibleName(tr("Braid"));
    head->addWidget(mark);
    auto* names = new QVBoxLayout;
    names->addWidget(new TextLabel(QStringLiteral("Braid"), TypeStep::result, 600, 1));
    auto* version = new TextLabel(tr("Version %1").arg(QCoreApplication::applicationVersion()),
                                  TypeStep::control, 400, 2);
    version->setTextInteractionFlags(Qt::TextSelectableByMouse);
    names->addWidget(version);
    head->addLayout(names, 1);
    layout->addLayout(head);
    layout->addWidget(
        new TextLabel(tr("Workbench for hybrid language-model architectures: compose, train, compare."),
                      TypeStep::control, 400, 1));
    auto* made = new TextLabel(
        tr("Free software under the GNU General Public License, version 3 or later. Made with Qt, "
           "QCustomPlot, LibTorch, SQLite, and the fonts Inter and JetBrains Mono."),
        TypeStep::table, 400, 2);
    made->setWordWrap(true);
    made->setMinimumWidth(440);
    layout->addWidget(made);
    auto* close = makeButton(tr("Close"));
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(close);
    layout->addLayout(buttons);
}

}  // namespace braid::ui
