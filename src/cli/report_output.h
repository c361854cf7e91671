// Where reports go and in which format: standard output, or any number of files at once, each whole or not at all.
// Whether that can work is told before the evidence is read, which may take long; evidence is never written over.
// Threads: one. Not for extracts, which are folders.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/report_format.h"

namespace mcpscan::cli {

struct OutputOptions {
  std::string format;               // empty: told by the file's ending, else text
  std::vector<std::string> files;   // empty, or "-": standard output
};

// "csv, html, ..." and ".csv .html ..."
std::string format_names();

class ReportOutput {
 public:
  // What was asked for; an error where that is no format, leaves open which one is meant, or cannot be written.
  static Result<ReportOutput> choose(const OutputOptions& options, const std::vector<std::string>& inputs);

  // An error where a file cannot be written, or is one of `inputs`: asked again once it is known what was read.
  Status possible(const std::vector<std::string>& inputs) const;
  // All of them; the first that cannot be written is the error, and those before it are complete.
  Status write(const model::Report& report, bool raw, const Zone& zone) const;

 private:
  struct Target {
    const model::ReportFormatEntry* format = nullptr;
    std::string file;  // empty: standard output
  };

  std::vector<Target> targets_;
};

}  // namespace mcpscan::cli
