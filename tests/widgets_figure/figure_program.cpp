// What the command's tests start: `braid figure` without the window's program around it.
#include "widgets/figure/figure_command.h"

int main(int argc, char** argv) { return braid::ui::runFigureCommand(argc, argv); }
