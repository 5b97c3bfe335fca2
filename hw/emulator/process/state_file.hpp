// SPDX-License-Identifier: Apache-2.0
// The card's counters as a file, a line "name=value" for each, replaced as a whole: for tests and for people.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "../device/card.hpp"
#include "../device/clock.hpp"

namespace flowstone::card {

class StateFile {
 public:
  explicit StateFile(std::string path) : path_(std::move(path)) {}

  /** What cannot be written is not: nothing hangs on it. */
  void write(const Card& card, const CardWindow& window, const std::string& engine, const std::string& state, size_t clients) {
    std::string text = "state=" + state + "\npid=" + std::to_string(getpid()) + "\nengine=" + engine +
                       "\ntaps=" + std::to_string(clients) + "\n";
    for (uint32_t port = 0; port < kPorts; port++) {
      const Card::PortState look = card.port(port);
      const std::string name = "port-" + std::to_string(port);
      text += name + ".packets=" + std::to_string(look.received_packets) + "\n" + name +
              ".skipped=" + std::to_string(look.skipped_packets) + "\n" + name + ".over=" + (look.is_over ? "true" : "false") + "\n";
    }
    for (uint32_t kind = 0; kind < kFaultKinds; kind++) {
      text += std::string("fault.") + name_of(static_cast<FaultKind>(kind)) + "=" +
              std::to_string(__atomic_load_n(&window.faults.injected[kind], __ATOMIC_RELAXED)) + "\n";
    }
    const uint64_t now_ns = monotonic_ns();
    const uint64_t age_ns = now_ns - written_ns_;
    if (state == "ready" && (age_ns < kShortestNs || (text == latest_ && age_ns < kLongestNs))) return;
    latest_ = text;
    written_ns_ = now_ns;
    replace(text + "cpu-ms=" + std::to_string(card.engine_cpu_ns() / 1'000'000) + "\n");
  }

 private:
  void replace(const std::string& text) {
    const std::string temporary = path_ + ".tmp";
    std::FILE* file = std::fopen(temporary.c_str(), "we");
    if (file == nullptr) return;
    const bool is_whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if ((std::fclose(file) == 0) && is_whole) std::rename(temporary.c_str(), path_.c_str());
  }

  static constexpr uint64_t kShortestNs = 90'000'000;    // between two states
  static constexpr uint64_t kLongestNs = 1'000'000'000;  // CPU time goes on while nothing else does

  const std::string path_;
  std::string latest_;
  uint64_t written_ns_ = 0;
};

}  // namespace flowstone::card
