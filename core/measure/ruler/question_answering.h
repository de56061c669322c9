// qa_*: a question whose answer stands in one or several of the documents given, among others.
#pragma once

#include "core/measure/text_task.h"

namespace braid {

TextTask question_answering_task(std::string id, std::string title,
                                 std::shared_ptr<const QaSet> TextSources::*set);

}  // namespace braid
