#include "widgets/figure/named_figure.h"

#include "widgets/common/project_session.h"
#include "widgets/figure/figure_dialog.h"

namespace braid::ui {

void exportFigureOf(const NamedFigure& figure, const WorkspaceContext& context, QWidget* parent) {
    auto* dialog = new FigureDialog(figure.spec,
                                    {.projectFolder = context.session.folder(), .name = figure.name}, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(
        dialog, &QDialog::accepted, parent,
        [dialog, &context_shell = context.shell, &session = context.session] {
            const QStringList files = dialog->exportedFiles();
            if (files.isEmpty()) return;
            context_shell.showStatus(FigureDialog::tr("Wrote %1 files to figures/").arg(files.size()));
            session.refresh();
        });
    dialog->open();
}

}  // namespace braid::ui
