// The menus of Design, its list of problems, and what it adds to the command palette.
#include <QAction>
#include <QClipboard>
#include <QCursor>
#include <QGuiApplication>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>

#include "widgets/common/command_registry.h"
#include "widgets/common/controls.h"
#include "widgets/common/icons.h"
#include "widgets/common/project_session.h"
#include "widgets/design/design_inspector.h"
#include "widgets/design/design_page.h"
#include "widgets/design/design_workspace.h"
#include "widgets/design/layer_text.h"
#include "widgets/design/pattern_edit.h"
#include "widgets/design/pattern_field.h"
#include "widgets/design/problems_popup.h"
#include "widgets/design/stack_view.h"

namespace braid::ui {

void DesignWorkspace::popUp(QPushButton* button, void (DesignWorkspace::*fill)(QMenu&)) {
    auto* menu = new QMenu(page_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    (this->*fill)(*menu);
    // In a narrow window the button lives in the toolbar's menu.
    menu->popup(button->isVisible() ? button->mapToGlobal(button->rect().bottomLeft()) : QCursor::pos());
}

void DesignWorkspace::fillPresets(QMenu& menu) {
    for (const Preset& preset : presets()) {
        QAction* action = menu.addAction(QStringLiteral("%1\t%2").arg(
            QString::fromStdString(preset.title), QString::fromStdString(preset.pattern)));
        action->setToolTip(QString::fromStdString(preset.citation));
        connect(action, &QAction::triggered, this, [this, &preset] {
            if (document()) {
                document()->usePreset(preset);
            }
        });
    }
    menu.setToolTipsVisible(true);
}

void DesignWorkspace::fillCompare(QMenu& menu) {
    if (!current_) {
        return;
    }
    const QString name = current_->name;
    const QString chosen = documents_->baseChoice(name);
    const auto add = [&](QMenu& to, const QString& text, const QString& choice) {
        QAction* action = to.addAction(text);
        action->setCheckable(true);
        action->setChecked(choice == chosen);
        connect(action, &QAction::triggered, this,
                [this, name, choice] { documents_->setBase(name, choice); });
    };
    add(menu, tr("Saved Version"), {});
    menu.addSeparator();
    for (const ArchitectureEntry& entry : context_.session.architectures()) {
        if (entry.name != name && entry.spec) {
            add(menu, entry.name, entry.name);
        }
    }
    QMenu* with_preset = menu.addMenu(tr("Preset"));
    for (const Preset& preset : presets()) {
        add(*with_preset, QString::fromStdString(preset.title),
            QStringLiteral("preset:") + QString::fromStdString(preset.name));
    }
}

void DesignWorkspace::fillMore(QMenu& menu) {
    if (!current_) {
        return;
    }
    connect(menu.addAction(icon(QStringLiteral("copy")), tr("Copy Pattern")), &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(document()->pattern()); });
    connect(menu.addAction(tr("Copy as JSON")), &QAction::triggered, this, [this] {
        QGuiApplication::clipboard()->setText(QString::fromStdString(to_json(document()->spec()).dump(2)));
    });
    menu.addSeparator();
    page_->stack()->fillMenu(menu);
}

QList<CommandItem> DesignWorkspace::paletteItems() {
    QList<CommandItem> items;
    if (!active_ || !document()) {
        return items;
    }
    for (const Preset& preset : presets()) {
        items << CommandItem{.text = tr("Use preset %1").arg(QString::fromStdString(preset.title)),
                             .group = tr("Design"),
                             .iconName = {},
                             .run = [this, &preset] {
                                 if (document()) {
                                     document()->usePreset(preset);
                                 }
                             }};
    }
    const std::vector<LayerSpec>& layers = document()->spec().layers;
    for (std::size_t row = 0; row < layers.size(); ++row) {
        items << CommandItem{
            .text = tr("Layer %1: %2").arg(row).arg(layerTitle(layers[row], documents_->catalog())),
            .group = tr("Layer"),
            .iconName = {},
            .run = [this, id = layers[row].id] {
                page_->stack()->selectLayers({id});
                page_->stack()->setFocus(Qt::OtherFocusReason);
            }};
    }
    return items;
}

void DesignWorkspace::showProblems() {
    if (!document() || document()->problems().empty()) {
        return;
    }
    auto* popup = new ProblemsPopup(document()->problems(), page_);
    connect(popup, &ProblemsPopup::chosen, this, [this](std::size_t index) {
        if (!document() || index >= document()->problems().size()) {
            return;
        }
        const DesignProblem& problem = document()->problems()[index];
        if (problem.layer && *problem.layer < document()->spec().layers.size()) {
            page_->stack()->selectLayers({document()->spec().layers[*problem.layer].id});
            page_->stack()->setFocus(Qt::OtherFocusReason);
        } else if (problem.range) {
            PatternEdit* edit = page_->pattern()->edit();
            edit->setFocus(Qt::OtherFocusReason);
            QTextCursor cursor = edit->textCursor();
            cursor.setPosition(static_cast<int>(problem.range->begin));
            cursor.setPosition(static_cast<int>(problem.range->begin + problem.range->length),
                               QTextCursor::KeepAnchor);
            edit->setTextCursor(cursor);
        } else {
            page_->stack()->clearSelection();  // the inspector then shows the model's dimensions
        }
    });
    popup->adjustSize();
    const QRect area = page_->rect();
    popup->move(page_->mapToGlobal(area.bottomRight()) -
                QPoint(popup->width() + metrics::gap3, popup->height() + metrics::gap3));
    popup->show();
    popup->list()->setFocus();
}

}  // namespace braid::ui
