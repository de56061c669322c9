#include "widgets/figure/figure_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFontDatabase>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/segments.h"

namespace braid::ui {
namespace {

constexpr int label_width = 78;

QHBoxLayout* row(const QString& label, std::initializer_list<QWidget*> widgets) {
    auto* layout = new QHBoxLayout;
    layout->setSpacing(metrics::gap2);
    auto* text = new TextLabel(label, TypeStep::control, 400, 2);
    text->setFixedWidth(label_width);
    if (widgets.size() > 0) {
        text->setBuddy(*widgets.begin());
    }
    layout->addWidget(text);
    for (QWidget* widget : widgets) {
        layout->addWidget(widget);
    }
    layout->addStretch();
    return layout;
}

void heading(QVBoxLayout* layout, const QString& text, bool first = false) {
    if (!first) {
        layout->addSpacing(metrics::gap2);
        layout->addWidget(makeSeparator());
        layout->addSpacing(metrics::gap2);
    }
    layout->addWidget(new TextLabel(text, TypeStep::control, 600));
}

Field* numberField(const QString& name, const QString& unit) {
    auto* field = new Field(name, unit);
    field->setFieldWidth(64);
    return field;
}

}  // namespace

FigureForm::FigureForm(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::gap4, metrics::gap4, metrics::gap4, metrics::gap3);
    layout->setSpacing(metrics::gap2);

    heading(layout, tr("Size"), true);
    size_ = new Segments(tr("Size"), {tr("Single 84"), tr("Double 174"), tr("Slide"), tr("Custom")});
    layout->addWidget(size_, 0, Qt::AlignLeft);
    width_ = numberField(tr("Width"), tr("mm"));
    height_ = numberField(tr("Height"), tr("mm"));
    auto* fit = new QPushButton(tr("Fit"));
    fit->setFlat(true);
    fit->setToolTip(tr("The height that suits this width"));
    layout->addLayout(row(tr("Width"), {width_}));
    layout->addLayout(row(tr("Height"), {height_, fit}));

    heading(layout, tr("Text"));
    font_ = new QComboBox;
    font_->setAccessibleName(tr("Font"));
    font_->setMinimumContentsLength(14);
    font_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    font_->addItem(tr("%1 (the program's)").arg(figureFontFamily({})), QString());
    for (const QString& family : QFontDatabase::families(QFontDatabase::Latin)) {
        font_->addItem(family, family);
    }
    points_ = numberField(tr("Text size"), tr("pt, smallest printed"));
    text_ = new Segments(tr("In the file"), {tr("Embedded"), tr("As paths")});
    layout->addLayout(row(tr("Font"), {font_}));
    layout->addLayout(row(tr("Size"), {points_}));
    layout->addLayout(row(tr("In the file"), {text_}));

    heading(layout, tr("Lines and colour"));
    line_ = numberField(tr("Line width"), tr("pt"));
    series_ = new Segments(tr("Series by"), {tr("Hue + dash"), tr("Hue"), tr("Dash")});
    legend_ = new Segments(tr("Legend"), {tr("Below"), tr("Inside"), tr("Labels")});
    layout->addLayout(row(tr("Line"), {line_}));
    layout->addLayout(row(tr("Series by"), {series_}));
    layout->addLayout(row(tr("Legend"), {legend_}));

    heading(layout, tr("Write"));
    const std::pair<FigureFile, QString> files[] = {{FigureFile::pdf, tr("PDF")},
                                                    {FigureFile::svg, tr("SVG")},
                                                    {FigureFile::png, tr("PNG")},
                                                    {FigureFile::csv, tr("Data, CSV")},
                                                    {FigureFile::provenance, tr("Provenance, JSON")}};
    for (const auto& [file, name] : files) {
        auto* box = new QCheckBox(name);
        box->setChecked(file != FigureFile::svg);
        auto* note = new TextLabel({}, TypeStep::table, 400, 2);
        auto* line = new QHBoxLayout;
        line->addWidget(box);
        line->addStretch();
        line->addWidget(note);
        layout->addLayout(line);
        boxes_.push_back({file, box, note});
        connect(box, &QCheckBox::toggled, this, &FigureForm::filesChanged);
    }
    layout->addStretch();

    connect(size_, &Segments::chosen, this, [this](int index) {
        style_.size = static_cast<FigureSize>(index);
        style_.width_mm = standard_width_mm(style_.size, style_.width_mm);
        show();
        Q_EMIT styleChanged();
    });
    connect(width_, &Field::committed, this,
            [this](const QString& text) { setNumber(width_, style_.width_mm, 20, 1000, text); });
    connect(height_, &Field::committed, this,
            [this](const QString& text) { setNumber(height_, style_.height_mm, 20, 1000, text); });
    connect(points_, &Field::committed, this,
            [this](const QString& text) { setNumber(points_, style_.font_pt, 3, 48, text); });
    connect(line_, &Field::committed, this,
            [this](const QString& text) { setNumber(line_, style_.line_pt, 0.1, 10, text); });
    connect(fit, &QPushButton::clicked, this, [this] {
        if (fitting_ >= 20) {
            style_.height_mm = std::min(fitting_, 1000.0);
            show();
            Q_EMIT styleChanged();
        }
    });
    connect(font_, &QComboBox::activated, this, [this](int index) {
        style_.font = font_->itemData(index).toString().toStdString();
        Q_EMIT styleChanged();
    });
    const auto choose = [this](Segments* segments, auto& value) {
        connect(segments, &Segments::chosen, this, [this, &value](int index) {
            value = static_cast<std::remove_reference_t<decltype(value)>>(index);
            Q_EMIT styleChanged();
        });
    };
    choose(text_, style_.text);
    choose(series_, style_.series_by);
    choose(legend_, style_.legend);
    show();
}

void FigureForm::setNumber(Field* field, double& value, double low, double high, const QString& text) {
    QString plain = text.trimmed();
    plain.replace(QLatin1Char(','), QLatin1Char('.'));
    bool ok = false;
    const double number = plain.toDouble(&ok);
    if (!ok || !(number >= low && number <= high)) {
        field->setError(tr("%1 to %2").arg(low).arg(high));
        return;
    }
    field->setError({});
    if (number == value) {
        return;
    }
    value = number;
    if (field == width_) {
        style_.size = FigureSize::custom;
        for (const FigureSize size : {FigureSize::single, FigureSize::double_column, FigureSize::slide}) {
            style_.size = standard_width_mm(size, 0) == number ? size : style_.size;
        }
        size_->setCurrent(static_cast<int>(style_.size));
    }
    Q_EMIT styleChanged();
}

void FigureForm::setFigureStyle(const FigureStyle& style) {
    style_ = style;
    show();
}

void FigureForm::show() {
    const QSignalBlocker block(this);
    for (Field* field : {width_, height_, points_, line_}) {
        field->setError({});
    }
    size_->setCurrent(static_cast<int>(style_.size));
    width_->setText(QString::number(style_.width_mm, 'f', 1));
    height_->setText(QString::number(style_.height_mm, 'f', 1));
    points_->setText(QString::number(style_.font_pt, 'f', 1));
    line_->setText(QString::number(style_.line_pt, 'f', 2));
    text_->setCurrent(static_cast<int>(style_.text));
    series_->setCurrent(static_cast<int>(style_.series_by));
    legend_->setCurrent(static_cast<int>(style_.legend));
    const QString family = QString::fromStdString(style_.font);
    int index = font_->findData(family);
    if (index < 0) {  // a font this machine does not have stays what the description says
        font_->addItem(family, family);
        index = font_->count() - 1;
    }
    font_->setCurrentIndex(index);
}

std::vector<FigureFile> FigureForm::files() const {
    std::vector<FigureFile> files;
    for (const FileBox& entry : boxes_) {
        if (entry.box->isChecked()) {
            files.push_back(entry.file);
        }
    }
    return files;
}

void FigureForm::setNote(FigureFile file, const QString& note) {
    for (const FileBox& entry : boxes_) {
        if (entry.file == file) {
            entry.note->setText(note);
        }
    }
}

}  // namespace braid::ui
