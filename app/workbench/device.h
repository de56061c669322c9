// What this machine can train on, found without loading Torch.
#pragma once

#include <QString>

namespace braid::ui {

struct Device {
    QString text;  // "CPU · 2 cores", "H200", "8 × H200"
    bool accelerator = false;
};

// Looks into /proc/driver/nvidia; some microseconds.
Device findDevice();

}  // namespace braid::ui
