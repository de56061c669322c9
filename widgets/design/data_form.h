// What a run reads: one of the synthetic tasks with its parameters, or a corpus. Made from the catalogue of
// core/spec/data_kinds.h; a new task appears by itself.
#pragma once

#include <QWidget>
#include <vector>

#include "core/record/corpus_summary.h"
#include "core/spec/data_kinds.h"

class QComboBox;
class QVBoxLayout;

namespace braid::ui {

class Field;
class ParameterForm;
class TextLabel;

class DataForm : public QWidget {
    Q_OBJECT

public:
    DataForm(const QString& project_folder, QWidget* parent = nullptr);

    const DataSpec& data() const { return data_; }
    void setKind(const std::string& kind);
    void setCorpus(const QString& folder);
    void setData(const DataSpec& data);  // all of it
    // Smallest vocabulary that a model needs; 0 while the corpus is not known.
    std::int64_t vocab() const;
    // Everything wrong with the data and, because of them, with the training; paths start with "data" or
    // "training". Without opening a corpus.
    Diagnostics problems(const TrainingSpec& training, std::int64_t model_vocab) const;
    // What stands in a field and is no value, a line each.
    QStringList refused() const;
    // Puts those whose path starts with "data" at their fields.
    void showProblems(const Diagnostics& problems);

    QComboBox* kinds() const { return kind_; }
    QComboBox* corpora() const { return corpora_; }
    ParameterForm* form() const { return form_; }
    QString facts() const;  // "bpe, 32,000 tokens; 1.2 M training tokens ..."

Q_SIGNALS:
    void changed();
    void refusedChanged();

private:
    void rebuild();
    void refresh();
    void browse(bool key_tokens);
    void lookUp(const QString& folder);
    const CorpusSummary* corpus() const;

    QString project_folder_;
    DataSpec data_;
    std::vector<CorpusSummary> known_;  // of the project, and those browsed to
    QString corpus_problem_;            // why the chosen one cannot be read
    QComboBox *kind_, *corpora_;
    QWidget* corpus_box_;
    TextLabel *help_, *facts_, *data_problem_, *corpus_error_;
    ParameterForm* form_ = nullptr;
    QVBoxLayout* layout_;
};

}  // namespace braid::ui
