#include "extract/part_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace mcpscan::extract {
namespace {

constexpr std::array<std::string_view, 6> kPacked{".gz", ".zst", ".xz", ".bz2", ".lz4", ".Z"};

std::string numbered(const std::string& name, std::size_t number) { return number == 0 ? "evidence/" + name : fmt::format("evidence/{}-{}", number + 1, name); }

// What an archive's author called a member may be anything.
std::string plain_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view ending : kPacked) {
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  std::replace_if(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '/' || c == '\\'; }, '_');
  return name.empty() || name == "." || name == ".." ? "input" : name;
}

}  // namespace

std::string PartNames::name_of(const ingest::InputFile& file) {
  const std::string name = plain_name(file.member.empty() ? file.path : file.member);
  const std::string set = file.set_key.empty() ? file.display : file.set_key;
  std::size_t number = numbers_.contains(set) ? numbers_[set] : 0;
  while (taken_.contains(numbered(name, number))) ++number;
  numbers_.emplace(set, number);
  taken_.insert(numbered(name, number));
  return numbered(name, number);
}

std::string PartNames::shared_name_of(const ingest::InputFile& file, std::string_view reader, std::size_t younger) {
  struct Form {
    std::string_view reader, name, ending;
  };
  constexpr std::array<Form, 5> kForms{{{"pcap", "capture", ".pcap"}, {"har", "recording", ".har"}, {"http-text", "dump", ".txt"}, {"transcript", "transcript", ".jsonl"}, {"", "log", ".log"}}};
  const Form& form = *std::find_if(kForms.begin(), kForms.end(), [&](const Form& each) { return reader.starts_with(each.reader); });
  const bool rotates = form.name == "log" && !file.set_key.empty();
  const std::size_t number = numbers_.try_emplace(rotates ? file.set_key : file.display, numbers_.size() + 1).first->second;
  return fmt::format("evidence/{}-{}{}{}", form.name, number, form.ending, younger > 0 && rotates ? fmt::format(".{}", younger) : std::string());
}

}  // namespace mcpscan::extract
