// The architecture being edited: immutable snapshots, one undo stack, every problem, and what it costs.
//
// The pattern text and the list of layers are two views of one state. Text that cannot be read stays in the
// state as it was typed while the layers stay the last ones that could be read; an edit of the layers writes
// the text anew. Undo walks over both, so whatever a wrong text hid comes back exactly.
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <memory>
#include <optional>
#include <vector>

#include "core/spec/architecture.h"
#include "core/spec/mixer_kind.h"
#include "core/spec/scale.h"
#include "widgets/design/design_cost.h"

namespace braid::ui {

// What undo goes back to. Copies share the layers.
struct DesignState {
    std::shared_ptr<const ArchitectureSpec> spec;
    QString pattern;
    std::size_t depth = 0;  // layers that a pattern without a repeat count is cycled to
    bool operator==(const DesignState& other) const {
        return pattern == other.pattern && depth == other.depth &&
               (spec == other.spec || *spec == *other.spec);
    }
};

// Characters of the pattern field, from 0.
struct PatternRange {
    qsizetype begin = 0;
    qsizetype length = 0;
    bool operator==(const PatternRange&) const = default;
};

// A diagnostic, placed in both views.
struct DesignProblem {
    Diagnostic diagnostic;
    std::optional<std::size_t> layer = {};   // row to mark; absent: the text or the model itself
    std::optional<PatternRange> range = {};  // what to underline
    bool in_text = false;                    // the text cannot be read; the layers are older than it

    // "window: must be at least 1, got 0": what the row says.
    QString rowText() const;
    // "Column 22: window must be at least 1, got 0": what stands beneath the field and in the list of
    // problems.
    QString text() const;
};

class SpecDocument : public QObject {
    Q_OBJECT

public:
    explicit SpecDocument(const MixerCatalog& catalog, QObject* parent = nullptr);

    // Starts anew: no undo, clean.
    void open(ArchitectureSpec spec, const QString& pattern = {});

    const MixerCatalog& catalog() const { return catalog_; }
    const ArchitectureSpec& spec() const { return *state_.spec; }
    std::shared_ptr<const ArchitectureSpec> snapshot() const { return state_.spec; }
    const DesignState& state() const { return state_; }
    const QString& pattern() const { return state_.pattern; }
    bool patternReadable() const { return pattern_readable_; }
    // Of the layers that are shown, also while the text is another.
    QString layersPattern() const { return pattern_readable_ ? state_.pattern : formatted(spec()); }
    const std::vector<DesignProblem>& problems() const { return problems_; }
    // Rules that the layers break, without those of a text that cannot be read.
    const Diagnostics& specProblems() const { return spec_problems_; }
    const DesignProblem* problemOfLayer(std::size_t layer) const;
    const DesignCost& cost() const { return cost_; }
    std::int64_t context() const { return context_; }
    void setContext(std::int64_t context);
    QUndoStack* undoStack() { return &undo_; }
    bool isClean() const { return undo_.isClean(); }

    // Text as typed. Consecutive typing is one undo step until endTyping().
    void setPattern(const QString& text);
    void endTyping() { ++merge_session_; }

    // Edits of layers; each is one undo step. Ids that are gone are ignored.
    using Layers = std::vector<LayerId>;
    void insertLayer(std::size_t at, const std::string& mixer);  // before row `at`, all heads on the mixer
    void moveLayers(const Layers& layers, std::size_t at);       // before what is row `at` now
    void duplicateLayers(const Layers& layers);
    void removeLayers(const Layers& layers);
    void setMixer(const Layers& layers, const std::string& mixer);
    // Which groups of a layer an edit is about: those of a mixer, or only the one at an index.
    struct Groups {
        std::string mixer;
        std::optional<std::size_t> index = {};
    };
    void setParameter(const Layers& layers, const Groups& groups, const std::string& key,
                      const ParameterValue& value);
    enum class HeadField { heads, kv_heads };
    void setHeads(const Layers& layers, std::size_t group, HeadField field, std::int64_t value);
    // Splits the heads of layer-wise layers in two groups, the second with `mixer`.
    void splitHeads(const Layers& layers, const std::string& mixer);
    void setScale(const Scale& scale);
    void setDimension(const std::string& key, std::int64_t value);
    void setModelParameter(const std::string& key, const ParameterValue& value);
    void usePreset(const Preset& preset);
    // Any edit. `title` is what the Edit menu says after "Undo"; edits in a row with one non-empty
    // `merge_key` are one step. `touched` are the layers to show.
    void apply(const QString& title, ArchitectureSpec next, const Layers& touched,
               const QString& merge_key = {});

    // The scale whose dimensions the model has, or null.
    const Scale* scale() const;
    // Microseconds that the last edit took from new state to problems and cost.
    qint64 lastEvaluationMicroseconds() const { return evaluation_microseconds_; }

Q_SIGNALS:
    // After the state, problems and cost have all been updated.
    void changed();
    void contextChanged();
    // Layers that an edit, its undo or redo was about; after changed().
    void layersTouched(const std::vector<braid::LayerId>& layers);

private:
    friend class StateCommand;
    void push(const QString& title, DesignState next, const Layers& touched, const QString& merge_key);
    void enter(const DesignState& state, const Layers& touched);
    void evaluate();
    QString formatted(const ArchitectureSpec& spec) const;

    const MixerCatalog& catalog_;
    DesignState state_;
    QUndoStack undo_;
    std::vector<DesignProblem> problems_;
    Diagnostics spec_problems_;
    bool pattern_readable_ = true;
    DesignCost cost_;
    std::int64_t context_ = 131072;
    int merge_session_ = 0;
    qint64 evaluation_microseconds_ = 0;
};

}  // namespace braid::ui
