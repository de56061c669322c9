// Asks for the name of an architecture, and for a new one what it starts from.
#pragma once

#include <QDialog>

#include "core/spec/architecture.h"

class QComboBox;
class QPushButton;
class QVBoxLayout;

namespace braid::ui {

class DesignDocuments;
class Field;
class PatternStrip;
class TextLabel;

class NameDialog : public QDialog {
    Q_OBJECT

public:
    NameDialog(const QString& title, const QString& name, const DesignDocuments& documents, QWidget* parent);
    QString name() const;
    Field* field() const { return field_; }

protected:
    QVBoxLayout* body() const { return body_; }

private:
    void check();

    const DesignDocuments& documents_;
    Field* field_;
    QVBoxLayout* body_;
    QPushButton* accept_;
};

class NewArchitectureDialog : public NameDialog {
    Q_OBJECT

public:
    NewArchitectureDialog(const DesignDocuments& documents, const QString& name, QWidget* parent);
    ArchitectureSpec spec() const;
    QString base() const;  // "preset:full"
    QComboBox* presetChooser() const { return preset_; }
    QComboBox* scaleChooser() const { return scale_; }

private:
    void preview();

    const DesignDocuments& documents_;
    QComboBox *preset_, *scale_;
    PatternStrip* strip_;
    TextLabel* about_;
};

}  // namespace braid::ui
