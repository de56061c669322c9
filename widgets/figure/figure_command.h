// `braid figure FIGURE.json|NAME --out FILE.pdf|.svg|.png`: renders a figure without a display.
#pragma once

namespace braid::ui {

// argv as main() got it: argv[0] is the program, argv[1] is "figure". Makes its own application object on the
// offscreen platform, so call it before any other exists. Exit code: 0 written; 1 failed; 2 the input is
// invalid (all problems are listed on stderr).
int runFigureCommand(int argc, char** argv);

}  // namespace braid::ui
