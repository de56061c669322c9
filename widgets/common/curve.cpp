#include "widgets/common/curve.h"

#include <algorithm>

namespace braid::ui {

void CurveWriter::append(double step, double value) {
    if (size_ > 0 && step <= buffer_->step[size_ - 1]) {
        // A resume goes back: what was published stays as it is, so the kept part moves to a buffer of its
        // own.
        const auto kept = static_cast<std::size_t>(
            std::lower_bound(buffer_->step.begin(), buffer_->step.begin() + std::ptrdiff_t(size_), step) -
            buffer_->step.begin());
        auto fresh = std::make_shared<CurveBuffer>(buffer_->step.size());
        std::copy_n(buffer_->step.begin(), kept, fresh->step.begin());
        std::copy_n(buffer_->value.begin(), kept, fresh->value.begin());
        buffer_ = std::move(fresh);
        size_ = kept;
        ++generation_;
    }
    if (!buffer_ || size_ == buffer_->step.size()) {
        auto larger = std::make_shared<CurveBuffer>(std::max<std::size_t>(256, size_ * 2));
        if (buffer_) {
            std::copy_n(buffer_->step.begin(), size_, larger->step.begin());
            std::copy_n(buffer_->value.begin(), size_, larger->value.begin());
        }
        buffer_ = std::move(larger);
    }
    buffer_->step[size_] = step;
    buffer_->value[size_] = value;
    ++size_;
}

}  // namespace braid::ui
