// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "kernels.hpp"

namespace flowstone::card {
namespace {

constexpr std::array<const char*, kFaultKinds> kNames{
    "late-head",  "torn-record", "stale-lap", "duplicate",     "refused-write", "refused-read",
    "sync-error", "late-start",  "hang",      "dead-bus",      "wrong-version", "wrong-magic",  "death"};

constexpr uint64_t kFirstPacket = 10000;
constexpr uint64_t kFirstSync = 100;

uint64_t default_after(FaultKind kind) {
  switch (kind) {
    case FaultKind::kSyncError:
      return kFirstSync;
    case FaultKind::kLateStart:
    case FaultKind::kWrongVersion:
    case FaultKind::kWrongMagic:
      return 0;
    default:
      return kFirstPacket;
  }
}

FaultKind kind_of(const std::string& name) {
  std::string known;
  for (uint32_t kind = 0; kind < kFaultKinds; kind++) {
    if (name == kNames[kind]) return static_cast<FaultKind>(kind);
    known += std::string(known.empty() ? "" : ", ") + kNames[kind];
  }
  throw std::invalid_argument("there is no fault \"" + name + "\": name one of " + known);
}

uint64_t number(const std::string& text, const std::string& option) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0 || text[0] == '-') {
    throw std::invalid_argument(option + "=" + text + " of a fault is no number: write a whole number from 0 on");
  }
  return value;
}

void set(FaultSpec& spec, const std::string& option, const std::string& value) {
  if (option == "after") {
    spec.after = number(value, option);
  } else if (option == "every") {
    spec.every = number(value, option);
  } else if (option == "count") {
    spec.count = number(value, option);
  } else if (option == "ring") {
    spec.ring = static_cast<int>(number(value, option));
  } else if (option == "delay-us") {
    spec.delay_us = number(value, option);
  } else if (option == "slots") {
    spec.slots = static_cast<uint32_t>(number(value, option));
  } else {
    throw std::invalid_argument("a fault has no option \"" + option + "\": there are after, every, count, ring, delay-us, slots");
  }
}

}  // namespace

const char* name_of(FaultKind kind) { return kNames[static_cast<uint32_t>(kind)]; }

FaultSpec parse_fault(const std::string& text) {
  const size_t colon = text.find(':');
  FaultSpec spec{kind_of(text.substr(0, colon))};
  spec.after = default_after(spec.kind);
  std::stringstream options(colon == std::string::npos ? "" : text.substr(colon + 1));
  for (std::string option; std::getline(options, option, ',');) {
    const size_t equals = option.find('=');
    set(spec, option.substr(0, equals), equals == std::string::npos ? "" : option.substr(equals + 1));
  }
  return spec;
}

std::vector<FaultSpec> read_faults(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument("faults cannot be read from " + path + ": " + std::strerror(errno));
  std::vector<FaultSpec> faults;
  uint32_t line_number = 0;
  for (std::string line; std::getline(file, line);) {
    line_number++;
    line = line.substr(0, line.find('#'));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    try {
      faults.push_back(parse_fault(line));
    } catch (const std::invalid_argument& problem) {
      throw std::invalid_argument(path + ":" + std::to_string(line_number) + ": " + problem.what());
    }
  }
  return faults;
}

uint32_t through_bus(FaultWindow& window, uint32_t offset_bytes, uint32_t value) {
  if (__atomic_load_n(&window.bus_is_dead, __ATOMIC_RELAXED) != 0) return UINT32_MAX;
  if (offset_bytes == kVersionOffset && window.version_is_wrong != 0) {
    count_fault(window, FaultKind::kWrongVersion);
    return value + 1;
  }
  if (offset_bytes == kMagicOffset && window.magic_is_wrong != 0) {
    count_fault(window, FaultKind::kWrongMagic);
    return ~value;
  }
  return value;
}

bool sync_fails(FaultWindow& window) {
  if (__atomic_load_n(&window.bus_is_dead, __ATOMIC_RELAXED) != 0) return true;
  if (window.sync_errors_after == 0) return false;
  const uint64_t sync = __atomic_add_fetch(&window.syncs, 1, __ATOMIC_RELAXED);
  if (sync < window.sync_errors_after) return false;
  const uint64_t beyond = sync - window.sync_errors_after;
  const bool is_due = window.sync_errors_every == 0 ? beyond == 0
                                                    : beyond % window.sync_errors_every == 0 &&
                                                          beyond / window.sync_errors_every < window.sync_errors_count;
  if (is_due) count_fault(window, FaultKind::kSyncError);
  return is_due;
}

}  // namespace flowstone::card
