// links: registry
// What a bucket's server may say. Whatever keys it has, a listing gives them back, however they are written in it; and in any
// bytes at all an element is a piece of them, found the same way twice. A line of the journal that is read means what it says
// when it is written again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "registry/journal.hpp"
#include "registry/s3/xml.hpp"

namespace {

using plumbline::registry::s3::element;
using plumbline::registry::s3::elements;

void require(bool holds) {
  if (!holds) std::abort();
}

// As servers write them: by name, in decimal or in hexadecimal, which `how` chooses.
std::string escaped(std::string_view text, std::uint8_t how) {
  static constexpr std::string_view kSpecial = "&<>\"'";
  static const std::vector<std::string> kNames = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto special = kSpecial.find(c);
    const auto byte = static_cast<unsigned char>(c);
    if (special != std::string_view::npos && how % 3 == 0)
      out += kNames[special];
    else if (special != std::string_view::npos && how % 3 == 1)
      out += "&#" + std::to_string(byte) + ";";
    else if (special != std::string_view::npos)
      out += std::string("&#x") + kDigits[byte >> 4U] + kDigits[byte & 15U] + ";";
    else
      out += c;
  }
  return out;
}

void reads_what_is_listed(std::string_view text, std::uint8_t how) {
  const auto keys = plumbline::core::split(text, '\n');
  std::string xml = R"(<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">)";
  for (const auto key : keys) {
    const std::string named = key.empty() && (how & 8U) != 0 ? "<Key/>" : "<Key>" + escaped(key, how) + "</Key>";
    xml +=
        "<Contents>" + std::string((how & 16U) != 0 ? "<KeyMarker>x</KeyMarker>\n " : "") + named + "<Size>1</Size></Contents>";
  }
  xml += "<IsTruncated>false</IsTruncated></ListBucketResult>";
  const auto listed = elements(xml, "Contents");
  require(listed.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) require(element(listed[i], "Key") == std::string(keys[i]));
  require(element(xml, "IsTruncated") == "false");
}

void finds_pieces(std::string_view bytes) {
  for (const std::string_view name : {"Contents", "Key", "Code", "Message", "IsTruncated"}) {
    const auto found = elements(bytes, name);
    const char* before = bytes.data();
    for (const auto piece : found) {
      require(piece.data() >= before && piece.data() + piece.size() <= bytes.data() + bytes.size());
      before = piece.data() + piece.size();
    }
    const auto first = element(bytes, name);
    require(first.has_value() == !found.empty());
    if (first && found.front().find('&') == std::string_view::npos) require(*first == found.front());
  }
}

void means_what_it_says(std::string_view line) {
  const auto noted = plumbline::registry::parse_journal_name(line);
  if (!noted) return;
  const auto again = plumbline::registry::parse_journal_name(plumbline::registry::journal_name(*noted));
  require(again && again->at == noted->at && again->what == noted->what && again->family == noted->family &&
          again->measurement == noted->measurement && again->slug == noted->slug && again->seq == noted->seq);
  require(noted->family.find('/') == std::string::npos && noted->family != ".." && noted->measurement != "..");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  reads_what_is_listed(bytes, data[0]);
  finds_pieces(bytes);
  for (const auto line : plumbline::core::split(bytes, '\n')) means_what_it_says(line);
  return 0;
}
