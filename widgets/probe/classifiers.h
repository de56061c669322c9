// Probing with several classifiers: array "comparison" over [classifier, layer] of a record.
#pragma once

#include <QStringList>
#include <memory>

#include "core/record/measurement.h"

namespace braid::ui {

// "Logistic regression", "MLP"; empty: the record compares none.
QStringList classifiersOf(const MeasurementRecord& record);

// The same record with accuracy and gain of this classifier and without what is not known of it; null: it was
// not compared.
std::shared_ptr<const MeasurementRecord> withClassifier(const MeasurementRecord& record,
                                                        const QString& title);

}  // namespace braid::ui
