// Bytes from files and out of gzip, in one piece or many. Packed by zlib, another library than inflates here.
#include "profiles/readers/bytes/byte_source.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/profiles/fixture.hpp"
#include "tests/profiles/packed.hpp"

namespace plumbline::profiles::test {
namespace {

struct Read {
  std::string text;
  std::optional<core::Error> error;
  ByteSource::Ending ending;
};
Read read_all(ByteSource& source, std::size_t most) {
  Read result;
  std::string block(most, '\0');
  for (;;) {
    const auto got = source.read(block.data(), most);
    if (!got) {
      result.error = got.error();
      return result;
    }
    if (*got == 0) break;
    result.text.append(block.data(), *got);
  }
  result.ending = source.ending();
  return result;
}
Read inflate(std::string_view gzip, std::size_t piece = SIZE_MAX, std::size_t most = 65536) {
  return read_all(*gzip_bytes(memory_bytes(gzip, piece)), most);
}

std::string sample(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size)
    text += "{\"name\": \"kernel_" + std::to_string(random() % 97) + "\", \"dur\": " + std::to_string(random()) + "},\n";
  text.resize(size);
  return text;
}

TEST(Gzip, InflatesHoweverItIsCut) {
  const std::string text = sample(200'000, 1);
  const std::string gzip = packed(text);
  for (const std::size_t piece : {1, 2, 3, 7, 64, 1000, 1 << 20}) {
    for (const std::size_t most : {1, 13, 4096, 1 << 20}) {
      if (piece * most < 64) continue;
      const Read read = inflate(gzip, piece, most);
      ASSERT_FALSE(read.error);
      ASSERT_EQ(read.text, text) << piece << " " << most;
      EXPECT_FALSE(read.ending.cut || read.ending.trailing);
    }
  }
}

TEST(Gzip, MembersFollowOneAnother) {
  std::string text, gzip;
  for (unsigned i = 0; i < 300; ++i) {
    const std::string part = sample(i * 37 % 5000, i);
    text += part;
    gzip += packed(part, i % 3 == 0 ? 0 : 6);
  }
  for (const std::size_t piece : {1, 5, 17, 4096, 1 << 20}) {
    const Read read = inflate(gzip, piece, 10'000);
    ASSERT_FALSE(read.error) << read.error->message;
    ASSERT_EQ(read.text, text) << piece;
  }
}

TEST(Gzip, AnEndCutOffLeavesWhatCameBefore) {
  const std::string text = sample(20'000, 3);
  const std::string gzip = packed(text) + packed(text);
  for (std::size_t size = 1; size < gzip.size(); ++size) {
    const Read read = inflate(std::string_view(gzip).substr(0, size), SIZE_MAX, 1 << 16);
    ASSERT_FALSE(read.error) << size << " " << read.error->message;
    EXPECT_EQ(read.text, (text + text).substr(0, read.text.size()));
    // A second member that is cut before its magic is whole looks like bytes behind the first.
    EXPECT_TRUE(read.ending.cut || read.ending.trailing || size == gzip.size() / 2) << size;
  }
}

TEST(Gzip, BytesBehindTheEndAreLeftOut) {
  const Read read = inflate(packed("one") + std::string(100, '\0'));
  EXPECT_EQ(read.text, "one");
  EXPECT_TRUE(read.ending.trailing);
}

TEST(Gzip, DamageIsAnError) {
  const std::string text = sample(20'000, 4);
  std::string gzip = packed(text);
  gzip[gzip.size() - 6] ^= 1;  // the check sum
  const Read sum = inflate(gzip);
  ASSERT_TRUE(sum.error);
  EXPECT_EQ(sum.error->message, "the gzip data are damaged: their check sum differs from what was inflated");
  EXPECT_EQ(sum.error->hint, "copy the file again; gzip -t FILE tells whether a copy is good");
  gzip = packed(text);
  gzip[10] = '\x07';  // a block of no known type
  const Read block = inflate(gzip);
  ASSERT_TRUE(block.error);
  EXPECT_EQ(block.error->message, "the gzip data are damaged: they cannot be inflated");
}

TEST(Gzip, WhatClaimsTooMuchIsRefused) {
  const std::string gzip = packed(std::string(100'000'000, ' '), 9);
  const Read read = inflate(gzip, SIZE_MAX, 1 << 20);
  ASSERT_TRUE(read.error);
  EXPECT_EQ(read.error->message, "the gzip data inflate to more than 250 times their size");
}

TEST(ReadAhead, DeliversTheSameBytesAndTheSameEnd) {
  const std::string text = sample(5'000'000, 5);
  const std::string gzip = packed(text);
  const Read read = read_all(*read_ahead(gzip_bytes(memory_bytes(gzip))), 100'000);
  ASSERT_FALSE(read.error);
  EXPECT_TRUE(read.text == text);
  const Read cut = read_all(*read_ahead(gzip_bytes(memory_bytes(std::string_view(gzip).substr(0, gzip.size() / 2)))), 100'000);
  ASSERT_FALSE(cut.error);
  EXPECT_TRUE(cut.ending.cut);
  EXPECT_TRUE(text.starts_with(cut.text));
  std::string damaged = gzip;
  damaged[damaged.size() - 6] ^= 1;
  EXPECT_TRUE(read_all(*read_ahead(gzip_bytes(memory_bytes(damaged))), 100'000).error);
}

TEST(ReadAhead, MayBeGivenUpBeforeTheEnd) {
  const std::string text = sample(5'000'000, 6);
  for (const std::size_t size : {0, 1, 1000, 1'000'000}) {
    const auto source = read_ahead(memory_bytes(text));
    std::string block(size, '\0');
    if (size > 0) {
      ASSERT_TRUE(source->read(block.data(), size));
    }
  }
}

TEST(FileBytes, AreThoseOfTheFile) {
  const Scratch scratch;
  const std::string text = sample(300'000, 7);
  const OpenFile plain(scratch.write("plain.json", text), {});
  EXPECT_TRUE(read_all(*text_bytes(plain), 1000).text == text);
  const OpenFile gzip(scratch.write("packed.json.gz", packed(text)), {});
  EXPECT_TRUE(read_all(*text_bytes(gzip), 1000).text == text);
}

}  // namespace
}  // namespace plumbline::profiles::test
