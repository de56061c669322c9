// The file side of Design: new, duplicate, rename, delete, import, export.
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QPointer>

#include "core/base/json.h"
#include "core/spec/edit.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/design/banner.h"
#include "widgets/design/design_inspector.h"
#include "widgets/design/design_page.h"
#include "widgets/design/design_workspace.h"
#include "widgets/design/name_dialog.h"
#include "widgets/design/train_dialog.h"

namespace braid::ui {

void DesignWorkspace::newArchitecture() {
    auto* dialog =
        new NewArchitectureDialog(*documents_, context_.session.freeArchitectureName(tr("hybrid")), page_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog] { documents_->create(dialog->name(), dialog->spec(), dialog->base()); });
    dialog->open();
}

void DesignWorkspace::duplicateArchitecture() {
    if (!current_) {
        return;
    }
    const QString from = current_->name;
    auto* dialog = new NameDialog(tr("Duplicate Architecture"), context_.session.freeArchitectureName(from),
                                  *documents_, page_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, from] {
        if (const OpenDesign* design = documents_->find(from)) {
            documents_->create(dialog->name(), design->document->spec(), from);
        }
    });
    dialog->open();
}

void DesignWorkspace::renameArchitecture() {
    if (!current_) {
        return;
    }
    const QString from = current_->name;
    auto* dialog = new NameDialog(tr("Rename Architecture"), from, *documents_, page_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, from] {
        documents_->rename(from, dialog->name());
        updateTitle();
    });
    dialog->open();
}

void DesignWorkspace::deleteArchitecture() {
    if (!current_) {
        return;
    }
    const QString name = current_->name;
    // Its file goes to the project's trash; what was not saved goes with it as a side file.
    const ArchitectureSpec unsaved = current_->document->spec();
    const bool modified = documents_->isModified(name);
    documents_->remove(name);
    context_.session.setCurrentArchitecture({});
    showCurrent();
    page_->banner()->say(tr("%1 was deleted.").arg(name), {{tr("Undo"),
                                                            [this, name, unsaved, modified] {
                                                                context_.session.restoreArchitecture(name);
                                                                if (modified) {
                                                                    context_.session.autosaveArchitecture(
                                                                        name, unsaved);
                                                                }
                                                                context_.session.setCurrentArchitecture(name);
                                                            }},
                                                           {tr("Close"), {}}});
}

void DesignWorkspace::importArchitecture() {
    auto* dialog = new QFileDialog(page_, tr("Import Architecture"), QString(),
                                   tr("Architectures (*.json);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        QString problem;
        const Result<Json> json = read_json(file.toStdString());
        if (!json) {
            problem = QString::fromStdString(describe(json.error()));
        } else if (Checked<ArchitectureSpec> spec = architecture_from_json(*json)) {
            const QString wish =
                spec->name.empty() ? QFileInfo(file).completeBaseName() : QString::fromStdString(spec->name);
            const bool usable = documents_->nameProblem(wish).isEmpty();
            documents_->create(
                usable ? wish : context_.session.freeArchitectureName(QFileInfo(file).completeBaseName()),
                std::move(*spec), {});
        } else {
            problem = QString::fromStdString(describe(to_error(spec.error(), file.toStdString())));
        }
        if (!problem.isEmpty()) {
            auto* box = new QMessageBox(QMessageBox::Warning, tr("Import Architecture"), problem,
                                        QMessageBox::Ok, page_);
            box->setAttribute(Qt::WA_DeleteOnClose);
            box->open();
        }
    });
    dialog->open();
}

void DesignWorkspace::exportArchitecture() {
    if (!current_) {
        return;
    }
    auto* dialog = new QFileDialog(page_, tr("Export Architecture"), QString(), tr("Architectures (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(current_->name + QStringLiteral(".json"));
    ArchitectureSpec spec = current_->document->spec();
    spec.name = current_->name.toStdString();
    connect(dialog, &QFileDialog::fileSelected, this, [this, spec](const QString& file) {
        const Result<void> written = write_json_atomically(file.toStdString(), to_json(spec));
        if (written) {
            context_.shell.showStatus(tr("Exported to %1").arg(file));
        } else {
            auto* box =
                new QMessageBox(QMessageBox::Warning, tr("Export Architecture"),
                                QString::fromStdString(describe(written.error())), QMessageBox::Ok, page_);
            box->setAttribute(Qt::WA_DeleteOnClose);
            box->open();
        }
    });
    dialog->open();
}

void DesignWorkspace::train() {
    if (!current_ || !current_->document->problems().empty()) {
        return;
    }
    ArchitectureSpec spec = current_->document->spec();
    spec.name = current_->name.toStdString();
    auto* dialog = new TrainDialog(spec, documents_->catalog(), context_.session, context_.commands, page_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        context_.commands.startTraining(dialog->plan());
        context_.session.refresh();
    });
    dialog->open();
}

}  // namespace braid::ui
