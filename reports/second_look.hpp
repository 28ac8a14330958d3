// What became of rows that a first look left in doubt, in JSON and in words. Internal to reports/.
#pragma once

#include <cstddef>
#include <string>

#include "core/json_writer.hpp"
#include "core/results/second_look.hpp"

namespace plumbline::reports {

// The member `second_look`: what was looked at again, and the first `rows` answers, confirmed ones first.
void write_second_look(core::JsonWriter& json, const core::SecondAnswers& second, std::size_t rows, std::size_t key_bytes);

// "of 5 rows in doubt 3 are confirmed, 1 is not, 1 is undecided"
[[nodiscard]] std::string second_look_sentence(const core::SecondAnswers& second);

}  // namespace plumbline::reports
