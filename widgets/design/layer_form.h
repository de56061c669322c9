// The form of the selected layers, generated from the descriptions of their mixers' parameters: one section a
// head group (or a mixer, where the layers are built differently). One layer or a thousand: the same form.
#pragma once

#include <QPointer>
#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/design/spec_document.h"

class QVBoxLayout;

namespace braid::ui {

class ParameterEditor;
class TextLabel;

class LayerForm : public QWidget {
    Q_OBJECT

public:
    explicit LayerForm(QWidget* parent = nullptr);

    // Layers that are not in the document are left out. No layers: the dimensions of the model.
    void show(SpecDocument* document, const std::vector<LayerId>& layers);

    // For tests and the focus: the editor of "window" in the section of a mixer (or "" for the model).
    ParameterEditor* editor(const std::string& mixer, const std::string& key) const;

private:
    struct Section {
        SpecDocument::Groups groups;
        std::vector<LayerId> layers;
        std::vector<std::string> keys;  // shown, in order
        bool heads = false;             // with fields of heads and kv heads
        bool operator==(const Section& other) const {
            return groups.mixer == other.groups.mixer && groups.index == other.groups.index &&
                   keys == other.keys && heads == other.heads;
        }
    };
    struct Control {
        std::size_t section = 0;
        std::string key;
        QPointer<ParameterEditor> editor;
    };

    std::vector<Section> sections() const;
    std::vector<const HeadGroup*> groupsOf(const Section& section) const;
    void rebuild();
    void addSection(const Section& section, std::size_t number);
    void addRow(QVBoxLayout* layout, const QString& label, ParameterEditor* editor);
    void fill();
    void fillModel();
    void commit(std::size_t section, const std::string& key, const ParameterValue& value);

    QPointer<SpecDocument> document_;
    std::vector<LayerId> layers_;
    std::vector<Section> sections_;
    bool model_ = false;
    bool built_ = false;
    std::vector<Control> controls_;
    std::vector<QPointer<TextLabel>> notes_;  // right of each section's title
    QVBoxLayout* layout_;
};

}  // namespace braid::ui
