// ShareSink: stands between a slicer and a file of a shared bundle and rewrites each record, line or HAR entry as it is written.
// Ownership: text and sink outlive it. Threads: one.
#pragma once

#include <cstdint>
#include <string_view>

#include "extract/part.h"
#include "extract/share_text.h"

namespace mcpscan::extract {

enum class ShareForm : std::uint8_t { log, http_dump, json_lines, har };

class ShareSink : public PartSink {
 public:
  ShareSink(ShareText& text, ShareForm form, PartSink& next) : text_(text), form_(form), next_(next) {}
  void write(std::string_view bytes) override;

 private:
  ShareText& text_;
  ShareForm form_;
  PartSink& next_;
};

// A HAR entry: a document, but that header values and bodies in base64 are read first.
std::string share_har_entry(ShareText& text, std::string_view entry);

}  // namespace mcpscan::extract
