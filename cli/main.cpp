#include "cli/program.hpp"

int main(int argc, char** argv) { return plumbline::cli::run(argc, argv); }
