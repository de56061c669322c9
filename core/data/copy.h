// Copying: n random symbols, a separator, the same n symbols again (Jelassi et al., "Repeat After Me", 2024;
// arXiv:2402.01032). n = T / 2 unless `length` says less; what is left behind is padding. Only the copy
// counts. Symbols are 0..symbols-1, then the separator, then padding.
//
// Groups by the place in the copy: "copy/first", "copy/middle", "copy/last" third.
#pragma once

#include "core/data/task.h"
#include "core/spec/tasks/copy.h"
