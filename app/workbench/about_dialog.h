// Version, licence, what Braid is made of.
#pragma once

#include <QDialog>

namespace braid::ui {

class AboutDialog : public QDialog {
    Q_OBJECT

public:
    explicit AboutDialog(QWidget* parent = nullptr);
};

}  // namespace braid::ui
