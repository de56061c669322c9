// KV cache and FLOPs against context, with the base and the all-full model for comparison.
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>

#include "widgets/design/spec_document.h"

class QBoxLayout;
class QComboBox;

namespace braid::ui {

class ContextChart;

class CostCurves : public QWidget {
    Q_OBJECT

public:
    explicit CostCurves(QWidget* parent = nullptr);

    void setDocument(SpecDocument* document);  // null: nothing
    void setName(const QString& name);         // of the design, at its line's end
    void setBase(const QString& name, std::shared_ptr<const ArchitectureSpec> base);  // null: none
    QComboBox* contextChooser() const { return chooser_; }
    ContextChart* cache() const { return cache_; }
    ContextChart* flops() const { return flops_; }
    void setSideBySide(bool side_by_side);
    // Draws what is pending now; otherwise it follows an edit by a few milliseconds.
    void flush();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void update_();
    void followContext();

    SpecDocument* document_ = nullptr;
    QString name_, base_name_;
    std::shared_ptr<const ArchitectureSpec> base_;
    QBoxLayout* layout_;
    ContextChart *cache_, *flops_;
    QComboBox* chooser_;
    QTimer soon_;
};

}  // namespace braid::ui
