#include "cli/command.h"

int main(int argc, char** argv) { return mcpscan::cli::run_program(argc, argv); }
