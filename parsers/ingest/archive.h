// Archive: the members of a tar or zip file in their order, or the one stream of a compression without a decoder of ours. A thin
// owner of libarchive's handle, fed from a ByteReader (with a RawFile: by seeking, so that members are skipped, not read).
// Not here: which members are worth reading (archive_listing.h). Ownership: refers to its source. Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "ingest/compression.h"
#include "ingest/raw_file.h"

struct archive;

namespace mcpscan::ingest {

class Archive {
 public:
  struct Member {
    std::string path;
    bool regular = false;  // a file with bytes of its own, not a folder or a link
  };

  // The members of a tar or zip file, from a stream or by seeking; or the one stream of this compression.
  explicit Archive(ByteReader& source) : Archive(source, nullptr, Compression::none) {}
  explicit Archive(RawFile& file) : Archive(file, &file, Compression::none) {}
  Archive(ByteReader& source, Compression compression) : Archive(source, nullptr, compression) {}
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // The next member, also behind one that failed; nothing at the end or when the archive itself is broken.
  std::optional<Member> next();
  // Bytes of the member; 0 at its end or at a failure.
  std::size_t read(std::span<char> to);
  // Why the archive, or this member, went no further; empty: it has not failed.
  const std::string& failure() const { return failure_.empty() ? member_failure_ : failure_; }
  // Damage between members that was stepped over; empty: none.
  const std::string& damage() const { return damage_; }

 private:
  struct Feed;
  Archive(ByteReader& source, RawFile* seekable, Compression compression);
  bool went_well(int code);
  std::string reason() const;
  bool next_block();

  std::unique_ptr<Feed> feed_;
  ::archive* handle_;
  std::string failure_, member_failure_, damage_;
  std::string_view block_;        // libarchive's, not yet delivered
  std::uint64_t block_begin_ = 0;  // its place in the member; what lies before it and was not delivered is a hole of zeros
  std::uint64_t delivered_ = 0;
};

// What the first kArchiveHeadBytes of an uncompressed file say.
constexpr std::size_t kArchiveHeadBytes = 512;
bool looks_like_tar(std::string_view head);
bool looks_like_zip(std::string_view head);

}  // namespace mcpscan::ingest
