// The right dock of Design: the selected layers (or the model), their settings, figures and what they are.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/design/spec_document.h"

class QFrame;
class QGridLayout;
class QMenu;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace braid::ui {

class HeadsStrip;
class LayerForm;
class LayerSwatch;
class TextLabel;

class DesignInspector : public QWidget {
    Q_OBJECT

public:
    explicit DesignInspector(QWidget* parent = nullptr);

    void setDocument(SpecDocument* document, const QString& name);  // null: nothing
    void setLayers(const std::vector<LayerId>& layers);             // none: the model
    LayerForm* form() const { return form_; }
    QString title() const;
    // "Parameters, paper count" -> "10.49 M"; empty: no such row.
    QString figure(const QString& label) const;
    QPushButton* copyButton() const { return copy_; }
    QToolButton* moreButton() const { return more_; }

Q_SIGNALS:
    void copyCommandRequested();
    // The menu of "..." is about to show: the workspace fills it.
    void moreRequested(QMenu* menu);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    // Wrapped text keeps its height: a scroll area asks layouts for less than they need.
    void fitText();
    void update_();
    void updateHead(const std::vector<std::size_t>& rows);
    void updateFigures(const std::vector<std::size_t>& rows);
    void updateHelp(const std::vector<std::size_t>& rows);
    std::vector<std::size_t> rows() const;

    SpecDocument* document_ = nullptr;
    QString name_;
    std::vector<LayerId> layers_;
    LayerSwatch* swatch_;
    TextLabel *title_, *subtitle_, *problem_, *heads_title_;
    LayerForm* form_;
    QWidget* heads_box_;
    QFrame* lines_[3];  // between the parts; hidden without a document
    HeadsStrip* heads_;
    QGridLayout* figures_;
    QWidget* content_;
    TextLabel *help_, *equation_, *citation_;
    QPushButton* copy_;
    QToolButton* more_;
};

}  // namespace braid::ui
