// Layers and figures in words, the same in the stack, the inspector, the difference and for screen readers.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/spec/architecture.h"
#include "core/spec/mixer_kind.h"
#include "widgets/common/value_text.h"

namespace braid::ui {

// "Sliding window", "Full" (the word "attention" goes without saying); "Head-wise" for several groups; the id
// where the catalogue does not know it.
QString layerTitle(const LayerSpec& layer, const MixerCatalog& catalog);
// "w 1,024 · RoPE 1e5", "h16 kv4 · NoPE", "4 full + 12 window heads"
QString layerSettings(const LayerSpec& layer, const MixerCatalog& catalog);
// One group's settings, without heads.
QString groupSettings(const HeadGroup& group, const MixerCatalog& catalog);

// "12", "16, 20", "17–19, 21–23"
QString rowsText(const std::vector<std::size_t>& rows);

// "1k", "128k", "1M"
QString contextText(std::int64_t tokens);
// Four digits: "10.49 M", "402.2 M", "998".
QString quantityText(double value, int digits = 4);
// Three digits: "128 MiB", "32.8 MiB", "33 KiB", "0 B".
QString byteText(double bytes);
// With sign and true minus: "+0.15 M", "−102 MiB".
QString signedText(double difference, const QString& magnitude);
// "+0.04 %", "−13 %", "±0 %"
QString percentText(double ratio);

}  // namespace braid::ui
