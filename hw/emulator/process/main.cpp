// SPDX-License-Identifier: Apache-2.0
// flowstone-card: an emulated card as a process of its own, which outlives the taps at it.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "engines.hpp"
#include "options.hpp"
#include "server.hpp"
#include "state_file.hpp"

namespace flowstone::card {
namespace {

constexpr int kWrongUse = 2, kDied = 3;
constexpr int kLookMs = 100;

/** Held until the process ends, however it ends. */
void lock(const Options& options) {
  if (mkdir(options.folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw std::runtime_error("cannot make the folder " + options.folder + ": " + std::strerror(errno));
  }
  const std::string path = socket_path(options.folder, options.number) + ".lock";
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("cannot open " + path + ": " + std::strerror(errno));
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    throw std::runtime_error("card " + std::to_string(options.number) + " of " + options.folder +
                             " is there already: end its process, or choose another --number");
  }
}

/** Readable once the process is asked to end. */
int end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

class FeedReport {
 public:
  void look(const Options& options, const Card& card) {
    for (uint32_t port = 0; port < kPorts && port < options.feeds.size(); port++) {
      const Card::PortState state = card.port(port);
      if (!state.is_over || is_told_[port]) continue;
      is_told_[port] = true;
      std::printf("flowstone-card: card %u: the feed of port %u is over: %llu packets, %llu skipped\n", options.number, port,
                  static_cast<unsigned long long>(state.received_packets), static_cast<unsigned long long>(state.skipped_packets));
      std::fflush(stdout);
    }
  }

 private:
  std::array<bool, kPorts> is_told_{};
};

bool ends(int signals) {
  signalfd_siginfo signal;
  return read(signals, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal);
}

int run(const Options& options) {
  const int signals = end_signals();  // before there are threads
  const MakeEngine make_engine = engine_named(options.engine, options.faults);
  std::vector<Wire> wires = make_wires(options);
  lock(options);
  const std::string path = socket_path(options.folder, options.number);
  Card card({std::move(wires[0]), std::move(wires[1])}, options.faults, options.has_capture_time, make_engine,
            *options.design);
  CardServer server(card, path);
  StateFile state(path + ".state");
  FeedReport report;
  std::printf("flowstone-card: card %u at %s is ready, engine %s\n", options.number, path.c_str(), options.engine.c_str());
  std::fflush(stdout);
  while (!ends(signals)) {
    server.serve(kLookMs, signals);
    report.look(options, card);
    const bool is_dead = card.is_dead();
    state.write(card, card.window(), options.engine, is_dead ? "dead" : "ready", server.client_count());
    if (is_dead) _exit(kDied);
  }
  state.write(card, card.window(), options.engine, "ended", 0);
  return 0;
}

}  // namespace
}  // namespace flowstone::card

int main(int argument_count, char** argument_values) {
  using namespace flowstone::card;
  try {
    const Options options = parse_options({argument_values + 1, argument_values + argument_count});
    if (options.wants_help) {
      std::fputs(help_text().c_str(), stdout);
      return 0;
    }
    return run(options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "flowstone-card: %s\n", problem.what());
    return kWrongUse;
  }
}
