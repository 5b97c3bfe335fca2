// SPDX-License-Identifier: Apache-2.0
// The command line of flowstone-card.
#pragma once

#include <string>
#include <vector>

#include "../device/faults.hpp"
#include "../device/kernels.hpp"
#include "../feed/wire.hpp"

namespace flowstone::card {

struct Options {
  std::string folder;
  unsigned number = 0;
  std::string engine = "model";
  const Design* design = &kCabled;
  std::vector<std::string> feeds;  // of port 0, of port 1
  Pace pace;
  uint64_t repeats = 1;
  bool has_capture_time = false;
  std::vector<FaultSpec> faults;
  bool wants_help = false;
};

/** Throws std::invalid_argument: what is wrong with the line, and what would be right. */
Options parse_options(const std::vector<std::string>& arguments);

std::string help_text();

/** The ports' wires. Throws std::runtime_error where a capture cannot be sent. */
std::vector<Wire> make_wires(const Options& options);

}  // namespace flowstone::card
