#include "profiles/readers/bytes/csv_stream.hpp"

#include <algorithm>

namespace plumbline::profiles {

CsvStream::CsvStream(std::string_view text)
    : size_(text.size()), taken_(text.size()), records_(std::make_unique<CsvRecords>(text)), last_(true) {}

CsvStream::CsvStream(const OpenFile& file)
    : file_(&file), size_(file.size()), records_(std::make_unique<CsvRecords>(std::string_view())) {}

double CsvStream::fraction() const { return size_ == 0 ? 1 : static_cast<double>(taken_) / static_cast<double>(size_); }

// What is left of the block, and another one behind it.
bool CsvStream::refill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t had = buffer_.size();
  if (had >= kLargestRecord) {
    fault_ = Fault::oversized;
    line_ = next_line_;
    return false;
  }
  // Doubling: a long record is scanned a few times only.
  const std::size_t wanted = std::min(std::max(kBlock, had), kLargestRecord - had);
  buffer_.resize(had + wanted);
  const auto got = file_->read_at(taken_, buffer_.data() + had, wanted);
  if (!got) {
    fault_ = Fault::unreadable;
    return false;
  }
  buffer_.resize(had + *got);
  taken_ += *got;
  last_ = *got < wanted;
  records_ = std::make_unique<CsvRecords>(buffer_, next_line_);
  return true;
}

bool CsvStream::next(std::vector<std::string_view>& fields) {
  while (fault_ == Fault::none) {
    const bool found = records_->next(fields);
    if (found && (last_ || !records_->open_end())) {
      if (records_->unterminated()) {
        fault_ = Fault::unterminated;
        line_ = records_->line();
        return false;
      }
      line_ = records_->line();
      begin_ = records_->position();
      next_line_ = records_->next_line();
      return true;
    }
    if (last_) return false;
    if (!refill()) return false;
  }
  return false;
}

}  // namespace plumbline::profiles
