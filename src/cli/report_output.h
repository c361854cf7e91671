// Where reports go and in which format: standard output, or any number of files at once, each whole or not at all.
// Whether that can work is told before the evidence is read, which may take long; evidence is never written over.
// Threads: one. Not for extracts, which are folders.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/result.h"
#include "cli/output_file.h"
#include "model/report_format.h"
#include "model/timeline_format.h"

namespace mcpscan::cli {

struct OutputOptions {
  std::string format;               // empty: told by the file's ending, else text
  std::vector<std::string> files;   // empty, or "-": standard output
};

// "csv, html, ..." and ".csv .html ..."
std::string format_names();

// Reports that are written while the evidence is read, each to its own place, all fed by one timeline. Ownership: owns the drafts.
class ReportStreams : public model::TimelineWriter {
 public:
  bool empty() const { return streams_.empty(); }
  void row(const model::TimelineRow& row) override;
  void input(const model::InputRow& input) override;
  void finish(const model::Report& report) override;
  // After finish(): the first that could not be written is the error.
  Status commit();

 private:
  friend class ReportOutput;
  struct Stream {
    std::unique_ptr<Outlet> outlet;
    std::unique_ptr<model::TimelineWriter> writer;
  };
  std::vector<Stream> streams_;
};

class ReportOutput {
 public:
  // What was asked for; an error where that is no format, leaves open which one is meant, or cannot be written.
  static Result<ReportOutput> choose(const OutputOptions& options, const std::vector<std::string>& inputs);

  // An error where a file cannot be written, or is one of `inputs`: asked again once it is known what was read.
  Status possible(const std::vector<std::string>& inputs) const;
  // All of them; the first that cannot be written is the error, and those before it are complete.
  Status write(const model::Report& report, bool raw, const Zone& zone) const;
  // The same for what is no report: `render` is given the format's name.
  using Render = FunctionRef<void(const model::ReportFormatEntry&, const model::ReportOptions&, model::ReportFormatEntry::Out)>;
  Status write(Render render, bool raw, const Zone& zone) const;
  // Those that are written while the evidence is read write to `streams` from here on; write() then leaves them out.
  Status begin_streams(ReportStreams& streams, bool raw, const Zone& zone);
  // An asked-for format that `can_carry` refuses; empty: none.
  std::string first_unfit(FunctionRef<bool(std::string_view)> can_carry) const;

 private:
  struct Target {
    const model::ReportFormatEntry* format = nullptr;
    std::string file;  // empty: standard output
    bool streamed = false;
  };

  std::vector<Target> targets_;
};

}  // namespace mcpscan::cli
