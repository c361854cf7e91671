// BundleDraft: a folder that is built beside where it shall stand and put there in one step when it is whole: nobody ever sees half a
// bundle, and nothing that exists is written over. What is not published is removed again.
// Ownership: the draft folder is the object's. Threads: one. Libraries never print: each failure is an Error with what to do about it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "extract/part.h"

namespace mcpscan::extract {

// Whether a bundle can be put at `folder`: its parent is a folder, and nothing or only an empty folder stands there.
Status bundle_possible(const std::string& folder);

class BundleDraft {
 public:
  static Result<std::unique_ptr<BundleDraft>> begin(const std::string& folder);
  ~BundleDraft();
  BundleDraft(const BundleDraft&) = delete;
  BundleDraft& operator=(const BundleDraft&) = delete;

  const std::string& path() const { return draft_; }
  std::string path_of(std::string_view name) const { return draft_ + "/" + std::string(name); }
  // The same once it is published.
  std::string target_of(std::string_view name) const { return folder_ + "/" + std::string(name); }
  Status write(std::string_view name, std::string_view bytes) const;
  Status publish();

 private:
  BundleDraft(std::string folder, std::string draft) : folder_(std::move(folder)), draft_(std::move(draft)) {}

  std::string folder_, draft_;
  bool published_ = false;
};

// A file of the draft being written. Writes after a failure do nothing; close() tells it.
class PartFile : public PartSink {
 public:
  explicit PartFile(const BundleDraft& draft, std::string_view name);
  ~PartFile() override;
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(std::string_view bytes) override;
  Status close();

 private:
  std::string shown_;  // where the file will stand
  std::FILE* file_;
  int failed_ = 0;  // errno of the first failure
};

}  // namespace mcpscan::extract
