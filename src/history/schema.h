// The tables of a history file and how an older file becomes one of today. Not the meaning of the rows: see model/run_record.h.
// A step is never changed once it was released: a file of any earlier version walks all steps that it lacks, in one transaction.
#pragma once

#include <span>

namespace mcpscan::history {

constexpr int kApplicationId = 0x6d637068;  // "mcph": the file says whose it is (PRAGMA application_id)

// The SQL that leads from version i to version i + 1.
std::span<const char* const> schema_steps();
inline int newest_schema() { return static_cast<int>(schema_steps().size()); }

}  // namespace mcpscan::history
