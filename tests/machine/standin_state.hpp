// What a stand-in for a vendor's library answers: a number by its name, from the file that `state` names (lines "NAME VALUE",
// read anew each time, so that the state can change while a run goes on), else from the environment, else `otherwise`.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

namespace plumbline::standin {

inline unsigned long long number(const char* state, const char* name, unsigned long long otherwise) {
  if (const char* path = std::getenv(state)) {
    std::ifstream file(path);
    std::string key, value;
    while (file >> key >> value) {
      if (key == name) return std::strtoull(value.c_str(), nullptr, 0);
    }
  }
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

}  // namespace plumbline::standin
