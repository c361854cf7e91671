#include "cli/command.h"

#ifdef MCPSCAN_LARGE_PAGES
#include <mimalloc.h>

namespace {

// Before the libraries' own constructors ask for the first memory.
[[gnu::section(".preinit_array"), gnu::used]] void (*const kAskForLargePages)() = [] { mi_option_enable(mi_option_large_os_pages); };

}  // namespace
#endif

int main(int argc, char** argv) { return mcpscan::cli::run_program(argc, argv); }
