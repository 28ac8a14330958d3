#include "core/error.hpp"

namespace plumbline::core {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::invalid_input:
      return "invalid_input";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::shape_mismatch:
      return "shape_mismatch";
    case ErrorCode::no_matching_baseline:
      return "no_matching_baseline";
    case ErrorCode::path_not_allowed:
      return "path_not_allowed";
    case ErrorCode::provenance_mismatch:
      return "provenance_mismatch";
    case ErrorCode::already_exists:
      return "already_exists";
    case ErrorCode::limit_exceeded:
      return "limit_exceeded";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::not_confirmed:
      return "not_confirmed";
    case ErrorCode::environment:
      return "environment";
    case ErrorCode::missing_helper:
      return "missing_helper";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

}  // namespace plumbline::core
