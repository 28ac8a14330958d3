// Packed inputs are read through: what is inside is what is read, and what cannot be unpacked says where and why. The packed
// files are made here, by libarchive itself.
#include "formats/unpack.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;
using Setup = std::function<void(archive*)>;

// One archive or, with the raw format, one compressed file.
std::string packed(const Members& members, const Setup& setup, mode_t type = AE_IFREG) {
  std::string out(std::size_t{1} << 20, '\0');
  for (const auto& member : members) out.resize(out.size() + 2 * member.second.size());
  std::size_t used = 0;
  archive* const to = archive_write_new();
  setup(to);
  archive_write_set_bytes_in_last_block(to, 1);
  archive_write_open_memory(to, out.data(), out.size(), &used);
  for (const auto& [name, content] : members) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());  // bytes: the tests run in the C locale
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, type == AE_IFREG ? static_cast<la_int64_t>(content.size()) : 0);
    if (type == AE_IFLNK) archive_entry_set_symlink_utf8(entry, content.c_str());
    archive_write_header(to, entry);
    if (type == AE_IFREG) archive_write_data(to, content.data(), content.size());
    archive_entry_free(entry);
  }
  archive_write_close(to);
  archive_write_free(to);
  out.resize(used);
  return out;
}

std::string compressed(const std::string& text, int (*filter)(archive*)) {
  return packed({{"raw", text}}, [&](archive* to) {
    archive_write_set_format_raw(to);
    filter(to);
  });
}
std::string gzip(const std::string& text) { return compressed(text, archive_write_add_filter_gzip); }
std::string tar(const Members& members, mode_t type = AE_IFREG) {
  return packed(
      members, [](archive* to) { archive_write_set_format_pax_restricted(to); }, type);
}
std::string zip(const Members& members) {
  return packed(members, [](archive* to) { archive_write_set_format_zip(to); });
}

core::Expected<core::Measurement> read_as(std::string_view bytes, std::string name) {
  Input input;
  input.name = std::move(name);
  input.bytes = bytes;
  return read(input, {});
}
std::string error_of(std::string_view bytes, std::string name = "run.json.gz") {
  const auto m = read_as(bytes, std::move(name));
  return m ? "read" : m.error().message + " | " + m.error().hint + " | " + m.error().where;
}
std::string evidence_of(std::string_view bytes, std::string name) {
  const auto m = read_as(bytes, std::move(name));
  if (!m) return m.error().message;
  std::string out = m->format.name;
  for (const std::string& one : m->format.evidence) out += "; " + one;
  return out;
}

const std::string kRun = R"({"throughput": 310, "latency_ms": 12.5})";
constexpr std::string_view kRunListing =
    "generic-json\nthroughput = 310 higher-is-better\nlatency_ms = 12.5 [ms] lower-is-better\n";

TEST(Unpack, a_compressed_file_is_that_file) {
  EXPECT_EQ(listing_of(gzip(kRun), "run.json.gz"), kRunListing);
  EXPECT_EQ(listing_of(compressed(kRun, archive_write_add_filter_zstd), "run.json.zst"), kRunListing);
  EXPECT_EQ(listing_of(compressed(kRun, archive_write_add_filter_xz), "run.json.xz"), kRunListing);
  EXPECT_EQ(listing_of(compressed(kRun, archive_write_add_filter_bzip2), "run.json.bz2"), kRunListing);
  EXPECT_EQ(evidence_of(gzip(kRun), "run.json.gz"), "generic-json; gzip-compressed; starts with '{'; named as JSON");
  EXPECT_EQ(evidence_of(compressed(kRun, archive_write_add_filter_zstd), "x"), "generic-json; zstd-compressed; starts with '{'");
}

TEST(Unpack, members_of_gzip_one_after_another_are_one_text) {
  EXPECT_EQ(listing_of(gzip("size,busbw (GB/s)\n8,1\n") + gzip("16,2\n"), "t.csv.gz"),
            "csv\n[size=8].busbw = 1 [GB/s] higher-is-better\n[size=16].busbw = 2 [GB/s] higher-is-better\n");
  EXPECT_EQ(listing_of(gzip(kRun) + std::string(512, '\0'), "run.json.gz"), kRunListing) << "padding of tapes";
  EXPECT_EQ(listing_of(gzip(kRun) + "tail", "run.json.gz"), std::string(kRunListing) + "! trailing_bytes\n");
}

TEST(Unpack, an_archive_of_one_file_is_that_file_and_of_several_a_folder) {
  EXPECT_EQ(listing_of(tar({{"out/run.json", kRun}}), "run.tar"), kRunListing);
  EXPECT_EQ(listing_of(zip({{"run.json", kRun}}), "run.zip"), kRunListing);
  const Members two = {{"runs/b.txt", "2 GB/s\n"}, {"runs/a.txt", "1 GB/s\n"}};
  const std::string folder = "directory\na.txt:value = 1 [GB/s] higher-is-better\nb.txt:value = 2 [GB/s] higher-is-better\n";
  EXPECT_EQ(listing_of(tar(two), "runs.tar"), folder) << "the folder around everything is not part of the names";
  EXPECT_EQ(listing_of(zip(two), "runs.zip"), folder);
  EXPECT_EQ(listing_of(gzip(tar(two)), "runs.tgz"), folder);
  EXPECT_EQ(evidence_of(gzip(tar(two)), "runs.tgz"), "directory; gzip-compressed; a tar archive of 2 files; a folder of 2 files");
}

TEST(Unpack, packed_files_in_archives_are_read_too) {
  EXPECT_EQ(
      listing_of(zip({{"a.txt.gz", gzip("1 GB/s\n")}, {"b.tar", tar({{"x.txt", "2 GB/s\n"}, {"y.txt", "3 GB/s\n"}})}}), "r.zip"),
      "directory\n"
      "a.txt:value = 1 [GB/s] higher-is-better\n"
      "b.tar/x.txt:value = 2 [GB/s] higher-is-better\n"
      "b.tar/y.txt:value = 3 [GB/s] higher-is-better\n");
  EXPECT_EQ(listing_of(tar({{"naïve/ä.txt", "1 GB/s\n"}, {"naïve/b.txt", "2 GB/s\n"}}), "r.tar"),
            "directory\nb.txt:value = 2 [GB/s] higher-is-better\nä.txt:value = 1 [GB/s] higher-is-better\n");
}

TEST(Unpack, what_is_no_plain_file_is_counted) {
  const std::string links = tar({{"latest", "run.json"}}, AE_IFLNK);
  EXPECT_EQ(error_of(links, "r.tar"), "an archive without files | its writer packed nothing | r.tar");
  const std::string both = links.substr(0, 512) + tar({{"run.json", kRun}, {"._run.json", "finder"}});
  const auto m = read_as(both, "r.tar");
  ASSERT_TRUE(m) << m.error().message;
  ASSERT_EQ(m->warnings.size(), 1U);
  EXPECT_EQ(m->warnings[0].code.text(), "unread_file");
  EXPECT_EQ(m->warnings[0].message, "2 members of the archive are no plain file and left out: \"latest\" and \"._run.json\"");
}

TEST(Unpack, damage_is_told_with_its_place) {
  const std::string whole = gzip(std::string(100'000, 'x') + kRun);
  EXPECT_EQ(error_of(whole.substr(0, whole.size() - 9)).substr(0, 42), "the gzip data ends in the middle, at byte ");
  EXPECT_EQ(error_of(whole.substr(0, 10)),
            "the gzip data ends in the middle, at byte 10 (after 0 unpacked bytes) | the file is truncated: its writer stopped "
            "before the end, or the copy is incomplete | run.json.gz");
  std::string wrong_sum = gzip(kRun);
  wrong_sum[wrong_sum.size() - 8] ^= 1;
  EXPECT_EQ(error_of(wrong_sum), "the gzip data is damaged at byte " + std::to_string(wrong_sum.size() - 4) + " (after " +
                                     std::to_string(kRun.size()) +
                                     " unpacked bytes) | the copy is not what was written: copy it again and test it with gzip "
                                     "-t | run.json.gz");
  for (const auto filter : {archive_write_add_filter_zstd, archive_write_add_filter_xz, archive_write_add_filter_bzip2}) {
    const std::string other = compressed(kRun, filter);
    const std::string said = error_of(other.substr(0, other.size() - 6), "run");
    EXPECT_NE(said.find(" data is damaged or ends in the middle, "), std::string::npos) << said;
  }
  EXPECT_NE(error_of(zip({{"run.json", kRun}}).substr(0, 60), "r.zip").find("damaged or ends in the middle, after "),
            std::string::npos);
  EXPECT_NE(error_of(tar({{"a", kRun}, {"b", kRun}}).substr(0, 530), "r.tar").find("damaged or ends in the middle, after "),
            std::string::npos);
}

TEST(Unpack, every_cut_of_a_packed_file_is_an_error) {
  const std::string text = "size,busbw (GB/s)\n8,1\n16,2\n";
  for (const auto filter : {archive_write_add_filter_gzip, archive_write_add_filter_zstd, archive_write_add_filter_xz,
                            archive_write_add_filter_bzip2}) {
    const std::string whole = compressed(text, filter);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto m = read_as(std::string_view(whole).substr(0, length), "t.csv");
      EXPECT_FALSE(m.has_value()) << "cut at " << length << " of " << whole.size();
    }
  }
}

TEST(Unpack, a_bomb_is_refused_by_name_of_the_bound) {
  const std::string bomb = gzip(std::string(std::size_t{4} << 20, '0'));
  Input input;
  input.name = "bomb.gz";
  input.bytes = bomb;
  UnpackBounds bounds;
  bounds.bytes = std::uint64_t{1} << 20;
  auto refused = unpack(input, bounds);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::ErrorCode::limit_exceeded);
  EXPECT_EQ(refused.error().message.substr(0, 28), "unpacks to more than 1 MiB, ");
  bounds = {};
  bounds.ratio_from = std::uint64_t{1} << 20;
  refused = unpack(input, bounds);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint,
            "the bounds are 2 GiB in all, and 250 times beyond 1 MiB; if that is what it should hold, unpack it first: gzip -dk "
            "bomb.gz");

  std::string layers = "1 GB/s\n";
  for (int i = 0; i < 5; ++i) layers = gzip(layers);
  EXPECT_EQ(error_of(layers, "run.gz"), "packed more than 4 levels deep | unpack it first: gzip -dk run.gz | run");

  bounds = {};
  bounds.files = 2;
  const std::string many = tar({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  input.name = "many.tar";
  input.bytes = many;
  refused = unpack(input, bounds);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "an archive of more than 2 members");
}

// Whatever follows it: what has come out is held against what has been taken in so far.
TEST(Unpack, a_bomb_is_known_before_it_has_gone_off) {
  std::string noise(std::size_t{2} << 20, ' ');
  std::uint32_t draw = 1;
  for (char& byte : noise) byte = static_cast<char>((draw = draw * 1664525U + 1013904223U) >> 24U);
  const std::string text = std::string(std::size_t{8} << 20, ' ') + noise;  // as a whole five times its packed size
  Input input;
  input.name = "bomb.gz";
  UnpackBounds bounds;
  bounds.ratio_from = std::uint64_t{1} << 20;
  const std::string packed = gzip(text);
  input.bytes = packed;
  ASSERT_GT(packed.size() * 10, text.size());
  const auto refused = unpack(input, bounds);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.substr(0, 28), "unpacks to more than 1 MiB, ");
}

TEST(Unpack, memory_is_drawn_from_one_budget_and_given_back) {
  base::MemoryBudget budget(std::uint64_t{4} << 20);
  UnpackBounds bounds;
  bounds.budget = &budget;
  const std::string small = gzip(std::string(std::size_t{1} << 20, 'a')), large = gzip(std::string(std::size_t{5} << 20, 'a'));
  Input input;
  input.name = "run.json.gz";
  input.bytes = small;
  {
    const auto first = unpack(input, bounds);
    ASSERT_TRUE(first);
    EXPECT_GE(budget.held(), std::uint64_t{1} << 20) << "as long as it is there";
    EXPECT_LT(budget.held(), std::uint64_t{2} << 20);
  }
  EXPECT_EQ(budget.held(), 0U);
  input.bytes = large;
  const auto refused = unpack(input, bounds);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::ErrorCode::limit_exceeded);
  EXPECT_EQ(refused.error().message, "takes more than 4 MiB of memory to unpack, the most that there is for it");
  EXPECT_EQ(refused.error().hint, "unpack it first: gzip -dk run.json.gz; a server's bound is raised with --unpack-memory");
  EXPECT_EQ(budget.held(), 0U) << "a refused one holds nothing";
  const std::string layers = gzip(gzip(std::string(std::size_t{1} << 20, 'a')));
  input.bytes = layers;
  const auto twice = unpack(input, bounds);
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->input.bytes.size(), std::size_t{1} << 20);
}

TEST(Unpack, names_that_lead_out_of_the_archive_are_refused) {
  for (const std::string name : {"../run.json", "a/../../run.json", "/etc/run.json", "a\\..\\run.json"}) {
    EXPECT_EQ(error_of(tar({{name, kRun}}), "r.tar"),
              "the archive's member " + core::quoted(name) +
                  " leads out of it | members have relative names without \"..\": pack it again from inside the folder | r.tar");
  }
  EXPECT_EQ(error_of(tar({{"a", "1"}, {"./a", "2"}}), "r.tar").substr(0, 42), "two members of the archive are called \"a\" ");
}

// Whoever opens files tells captures apart (intake/): here by one word.
std::string form_of(std::string_view bytes) { return bytes.starts_with("CAPTURE") ? "sqlite" : ""; }

TEST(Unpack, a_capture_has_to_lie_on_disk) {
  ReadOptions options;
  options.capture_form = &form_of;
  const auto error_with = [&](const std::string& bytes, const std::string& name) {
    const auto m = read({name, bytes}, options);
    return m ? std::string() : m.error().message + " | " + m.error().hint + " | " + m.error().where;
  };
  EXPECT_EQ(error_with(gzip("CAPTURE"), "run.sqlite.gz"),
            "a profiler capture (sqlite) inside packed data: captures are read where they lie | unpack it first: gzip -dk "
            "run.sqlite.gz, then compare captures with profile-diff | run.sqlite.gz");
  EXPECT_EQ(error_with(gzip(tar({{"s/a.sqlite", "CAPTURE"}, {"s/b.sqlite", "CAPTURE"}})), "s.tar.gz"),
            "a profiler capture (sqlite) inside packed data: captures are read where they lie | unpack it first: tar -xf "
            "s.tar.gz, then compare captures with profile-diff | s.tar.gz");
}

TEST(Unpack, a_capture_among_results_is_left_out_and_said) {
  ReadOptions options;
  options.capture_form = &form_of;
  const std::string mixed = tar({{"s/a.sqlite", "CAPTURE"}, {"s/run.json", R"({"latency_ms": 3})"}});
  const auto m = read({"s.tar", mixed}, options);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->rows().size(), 1U);
  ASSERT_FALSE(m->warnings.empty());
  EXPECT_EQ(m->warnings.front().message, "1 file of 2 not read: \"a.sqlite\" (profiler captures, not measurements)");
}

}  // namespace
}  // namespace plumbline::formats
