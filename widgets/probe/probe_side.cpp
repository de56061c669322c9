#include "widgets/probe/probe_side.h"

#include <QComboBox>
#include <QHeaderView>
#include <QPainter>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/run_name.h"
#include "widgets/common/value_text.h"
#include "widgets/probe/probe_choice.h"

namespace braid::ui {

namespace {

constexpr int id_role = Qt::UserRole + 1;

// The selected row is pale, not ink: its icon keeps its colour there.
QIcon rowIcon(const QIcon& icon) {
    QIcon same;
    const QPixmap pixmap = icon.pixmap(32, 32);
    for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Selected}) same.addPixmap(pixmap, mode);
    return same;
}

QIcon dot(int colour) {
    QPixmap pixmap(32, 32);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(runColour(colour, tokens()));
    painter.drawEllipse(QPointF(16, 16), 8, 8);
    return rowIcon(QIcon(pixmap));
}

QTreeView* makeTree(const QString& name, QStandardItemModel* model) {
    auto* tree = new QTreeView;
    tree->setAccessibleName(name);
    tree->setModel(model);
    tree->setHeaderHidden(true);
    tree->setRootIsDecorated(false);
    tree->setIndentation(0);
    tree->setFrameShape(QFrame::NoFrame);
    tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    tree->setUniformRowHeights(true);
    tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    tree->viewport()->setAutoFillBackground(false);
    tree->header()->setStretchLastSection(false);
    return tree;
}

void stretchFirst(QTreeView* tree) {
    tree->header()->setMinimumSectionSize(20);
    tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
}

}  // namespace

ProbeSide::ProbeSide(ProbeChoice& choice, QWidget* parent)
    : QWidget(parent),
      choice_(choice),
      run_title_(new SectionTitle(tr("Checkpoints"))),
      run_model_(new QStandardItemModel(0, 2, this)),
      kind_model_(new QStandardItemModel(0, 2, this)),
      runs_(makeTree(tr("Runs to compare"), run_model_)),
      kinds_(makeTree(tr("Measurements"), kind_model_)),
      settings_title_(new SectionTitle(tr("Settings"))),
      steps_(new QComboBox),
      variants_(new QComboBox),
      settings_(new TextLabel({}, TypeStep::table, 400, 2)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, metrics::gap1, 0, metrics::gap2);
    layout->setSpacing(metrics::gap1);
    const auto titled = [layout](SectionTitle* title, QWidget* content, int stretch) {
        title->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, 0);
        layout->addWidget(title);
        layout->addWidget(content, stretch);
    };
    runs_->setItemDelegateForColumn(0, new RunNameDelegate(runs_));
    titled(run_title_, runs_, 3);
    layout->addWidget(makeSeparator());
    titled(new SectionTitle(tr("Measurements")), kinds_, 4);
    layout->addWidget(makeSeparator());
    settings_title_->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, 0);
    layout->addWidget(settings_title_);
    steps_->setAccessibleName(tr("Checkpoint"));
    variants_->setAccessibleName(tr("Settings of the measurement"));
    for (QComboBox* each : {steps_, variants_}) {
        each->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        auto* box = new QWidget;
        auto* line = new QVBoxLayout(box);
        line->setContentsMargins(metrics::gap3, 0, metrics::gap3, 0);
        line->addWidget(each);
        layout->addWidget(box);
    }
    layout->addWidget(settings_);
    connect(steps_, &QComboBox::activated, this, [this] {
        const QVariant step = steps_->currentData();
        choice_.setStep(step.isValid() ? std::optional<std::int64_t>(step.toLongLong()) : std::nullopt);
    });
    connect(variants_, &QComboBox::activated, this,
            [this] { choice_.setSettings(variants_->currentData().toString().toStdString()); });
    settings_->setContentsMargins(metrics::gap3, 0, metrics::gap3, 0);
    settings_->setTextFormat(Qt::PlainText);
    settings_->setWordWrap(true);
    for (const MeasurementKind* kind : probeKinds()) {
        auto* name = new QStandardItem(QString::fromStdString(kind->title));
        name->setData(QString::fromStdString(kind->id), id_role);
        name->setToolTip(QString::fromStdString(kind->help));
        auto* state = new QStandardItem;
        state->setData(QString::fromStdString(kind->id), id_role);
        state->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        kind_model_->appendRow({name, state});
    }
    stretchFirst(runs_);
    stretchFirst(kinds_);
    connect(run_model_, &QStandardItemModel::itemChanged, this, [this](QStandardItem* item) {
        if (filling_ || item->column() != 0) return;
        const RunId id(item->data(id_role).toString().toStdString());
        choice_.setChosen(id, item->checkState() == Qt::Checked);
    });
    connect(runs_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                if (filling_ || !now.isValid()) return;
                choice_.setCurrent(RunId(now.siblingAtColumn(0).data(id_role).toString().toStdString()));
            });
    connect(kinds_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                if (filling_ || !now.isValid()) return;
                choice_.setKind(now.data(id_role).toString().toStdString());
            });
    const auto wanted = [this](const QModelIndex& index) {
        Q_EMIT measureWanted(index.siblingAtColumn(0).data(id_role).toString());
    };
    // "Run" acts like the button that it reads as; Return measures again what is there.
    connect(kinds_, &QTreeView::clicked, this, [this, wanted](const QModelIndex& index) {
        if (index.column() == 1 && state(index.data(id_role).toString().toStdString()) == tr("Run"))
            wanted(index);
    });
    connect(kinds_, &QTreeView::activated, this, wanted);
    connect(&choice_, &ProbeChoice::changed, this, &ProbeSide::refresh);
    connect(&Theme::instance(), &Theme::changed, this, &ProbeSide::refresh);
    refresh();
}

QString ProbeSide::state(const std::string& kind) const {
    const std::size_t done = choice_.measured(kind).size();
    return done == 0 ? tr("Run") : tr("%1 of %2").arg(done).arg(choice_.chosen().size());
}

void ProbeSide::refresh() {
    filling_ = true;
    fillRuns();
    fillKinds();
    fillChoices();
    fillSettings();
    filling_ = false;
}

void ProbeSide::fillRuns() {
    const std::vector<RunPointer>& runs = choice_.candidates();
    run_title_->setNote(tr("%1 of %2").arg(choice_.chosen().size()).arg(runs.size()));
    if (run_model_->rowCount() > int(runs.size())) run_model_->setRowCount(int(runs.size()));
    for (int row = 0; row < int(runs.size()); ++row) {
        const RunPointer& run = runs[std::size_t(row)];
        if (row == run_model_->rowCount()) {
            auto* step = new QStandardItem;
            step->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            run_model_->appendRow({new QStandardItem, step});
        }
        QStandardItem* name = run_model_->item(row, 0);
        name->setText(run->name);
        name->setIcon(dot(run->paletteIndex));
        name->setCheckable(true);
        name->setCheckState(choice_.isChosen(run->id) ? Qt::Checked : Qt::Unchecked);
        name->setData(QString::fromStdString(run->id.str()), id_role);
        const auto& last = run->record->status.checkpoint;
        run_model_->item(row, 1)->setText(last ? formatSi(double(last->value)) : QString());
        const QString told = tr("%1, step %2").arg(run->name, last ? formatCount(last->value) : tr("none"));
        name->setToolTip(told);
        name->setAccessibleText(told);
        if (choice_.current() && choice_.current()->id == run->id)
            runs_->setCurrentIndex(run_model_->index(row, 0));
    }
}

void ProbeSide::fillKinds() {
    for (int row = 0; row < kind_model_->rowCount(); ++row) {
        QStandardItem* name = kind_model_->item(row, 0);
        const std::string kind = name->data(id_role).toString().toStdString();
        const QString text = state(kind);
        const bool none = text == tr("Run");
        name->setIcon(
            rowIcon(none ? icon(QStringLiteral("play")) : icon(QStringLiteral("check"), ColourRole::ok)));
        kind_model_->item(row, 1)->setText(text);
        kind_model_->item(row, 1)->setToolTip(none ? tr("Measure %1").arg(name->text())
                                                   : tr("Return measures again"));
        name->setAccessibleText(none ? tr("%1, not measured").arg(name->text())
                                     : tr("%1, %2 runs").arg(name->text(), text));
        if (kind == choice_.kind()) kinds_->setCurrentIndex(kind_model_->index(row, 0));
    }
}

// What fixes the answer of the current run, in the words of the form.
void ProbeSide::fillSettings() {
    std::vector<MeasuredRun> runs = choice_.measuredCurrent(choice_.kind());
    if (runs.empty()) runs = choice_.measured(choice_.kind());
    settings_title_->setTitle(measurementTitle(choice_.kind()));
    settings_title_->setNote(runs.empty() ? QString() : runs.front().name);
    QStringList lines;
    if (!runs.empty()) {
        const MeasurementRecord& record = *runs.front().record;
        lines << tr("step %1").arg(formatCount(record.checkpoint.step.value));
        const MeasurementKind* kind = find_measurement(record.kind);
        for (const auto& [key, value] : record.settings.items()) {
            const ParameterDescription* parameter = kind ? find_parameter(kind->parameters, key) : nullptr;
            if (!parameter || (value.is_string() && value.get<std::string>().empty())) continue;
            const Checked<ParameterValue> read = parameter_from_json(value, key);
            if (!read) continue;
            QString text = valueText(*parameter, coerced(*parameter, *read));
            if (key == "context" && text == QLatin1String("0")) text = tr("of the training");
            lines << QStringLiteral("%1: %2").arg(QString::fromStdString(parameter->label), text);
        }
        for (const std::string& note : record.notes) lines << QString::fromStdString(note);
    }
    settings_->setText(lines.isEmpty() ? tr("Not measured yet.") : lines.join(QLatin1Char('\n')));
}

// Which of several records of the same kind is shown.
void ProbeSide::fillChoices() {
    steps_->clear();
    steps_->addItem(tr("the last step measured"));
    for (const std::int64_t step : choice_.steps())
        steps_->addItem(tr("step %1").arg(formatCount(step)), QVariant::fromValue<qlonglong>(step));
    if (choice_.step())
        steps_->setCurrentIndex(steps_->findData(QVariant::fromValue<qlonglong>(*choice_.step())));
    steps_->parentWidget()->setVisible(choice_.steps().size() > 1);
    variants_->clear();
    variants_->addItem(tr("the newest settings"), QString());
    for (const MeasuredSettings& one : choice_.settings())
        variants_->addItem(one.text, QString::fromStdString(one.key));
    variants_->setCurrentIndex(
        std::max(0, variants_->findData(QString::fromStdString(choice_.settingsKey()))));
    variants_->parentWidget()->setVisible(choice_.settings().size() > 1);
}

QString ProbeSide::settings() const { return settings_->text(); }

}  // namespace braid::ui
