// How long this process has been alive, counted from its exec by the kernel: what a user waits.
#pragma once

namespace braid::ui {

double millisecondsSinceProcessStart();

}  // namespace braid::ui
