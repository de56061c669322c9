// The page of Heads: toolbar, one or two maps with their rows and tokens, the checkpoints beneath.
#pragma once

#include <QWidget>

#include "widgets/common/workspace.h"
#include "widgets/heads/heads_choice.h"
#include "widgets/heads/tile_store.h"

class QComboBox;
class QPushButton;
class QStackedWidget;

namespace braid::ui {

class CaptureBar;
class CheckpointSlider;
class EmptyState;
class HeadPane;
class HeadsPanel;
class MapRenderer;
class PageToolbar;
class PromptDialog;
class Segments;

class HeadsPage : public QWidget {
    Q_OBJECT

public:
    HeadsPage(const WorkspaceContext& context, HeadsChoice& choice, TileStore& tiles, HeadsPanel* panel,
              QWidget* parent = nullptr);
    ~HeadsPage() override;

    HeadPane* pane(HeadSide side) const { return side == HeadSide::a ? a_ : b_; }
    CheckpointSlider* slider() const { return slider_; }
    CaptureBar* bar() const { return bar_; }
    Segments* form() const { return form_; }
    Segments* view() const { return view_; }
    QPushButton* linksButton() const { return links_; }
    QPushButton* promptButton() const { return prompt_; }
    QPushButton* figureButton() const { return figure_; }
    EmptyState* empty() const { return empty_; }
    MapRenderer& renderer() const { return *renderer_; }
    PromptDialog* ask();  // opens it; null without a project
    void exportFigure();
    QString title() const;
    // Heads are picked in the toolbar: there is no room for their thumbnails.
    void setCompact(bool compact);
    QComboBox* headChoice() const { return heads_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void makeToolbar();
    void orderTabs();
    void follow();
    void fillHeads();
    void status();
    bool showsContent() const;

    WorkspaceContext context_;
    HeadsChoice& choice_;
    HeadsState& state_;
    MapRenderer* renderer_;
    PageToolbar* toolbar_;
    QComboBox* heads_;
    bool compact_ = false;
    CapturePointer listed_;  // in heads_
    Segments *form_, *view_;
    QPushButton *links_, *prompt_, *figure_;
    CaptureBar* bar_;
    QStackedWidget* pages_;
    EmptyState* empty_;
    HeadPane *a_, *b_;
    CheckpointSlider* slider_;
    QString title_, lastStatus_;
};

}  // namespace braid::ui
