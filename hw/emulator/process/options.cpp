// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "../device/kernels.hpp"
#include "../feed/capture.hpp"
#include "../feed/generator.hpp"
#include "../feed/pipe.hpp"

namespace flowstone::card {
namespace {

constexpr const char* kGenerator = "generator";
constexpr const char* kNoFeed = "none";
constexpr const char* kPipe = "pipe:";
constexpr uint64_t kMostPacketsPerSecond = 1'000'000'000;

uint64_t number(const std::string& text, const std::string& option) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0 || text[0] == '-') {
    throw std::invalid_argument(option + ": \"" + text + "\" is no number: write a whole number from 0 on");
  }
  return value;
}

Pace rate(const std::string& text, const std::string& option) {
  const uint64_t packets_per_second = number(text, option);
  if (packets_per_second == 0 || packets_per_second > kMostPacketsPerSecond) {
    throw std::invalid_argument(option + ": " + text + " packets per second are not between 1 and " +
                                std::to_string(kMostPacketsPerSecond));
  }
  return {Pace::Kind::kRate, packets_per_second};
}

Pace pace(const std::string& text) {
  if (text == "wait") return {Pace::Kind::kWait, 0};
  if (text == "max") return {Pace::Kind::kMost, 0};
  if (text == "capture") return {Pace::Kind::kCapture, 0};
  return rate(text, "--pace");
}

bool time_is_of_capture(const std::string& text) {
  if (text != "card" && text != "capture") throw std::invalid_argument("--time: \"" + text + "\" is neither card nor capture");
  return text == "capture";
}

const Design* design(const std::string& text) {
  for (const Design* each : {&kCabled, &kCableless}) {
    if (text == each->name) return each;
  }
  throw std::invalid_argument("--design: there is no design \"" + text + "\": name " + kCabled.name + " or " + kCableless.name);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool is_generator(const std::string& feed) { return feed == kGenerator || feed.rfind(std::string(kGenerator) + ":", 0) == 0; }

Wire make_generator(const std::string& feed, Pace pace) {
  GeneratorOptions options;
  for (const std::string& part : split(feed.size() > std::string(kGenerator).size() ? feed.substr(10) : "", ',')) {
    const size_t equals = part.find('=');
    const std::string name = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (name == "packets") {
      options.packets = number(value, "generator:packets");
    } else if (name == "flows") {
      options.flows = static_cast<uint32_t>(number(value, "generator:flows"));
    } else if (name == "seed") {
      options.seed = number(value, "generator:seed");
    } else if (name == "rate") {
      pace = rate(value, "generator:rate");
    } else {
      throw std::invalid_argument("the generator has no option \"" + name + "\": there are packets, flows, seed, rate");
    }
  }
  if (pace.kind == Pace::Kind::kCapture) throw std::invalid_argument("--pace capture: a generator has no times; name a rate");
  return Wire(std::make_unique<GeneratorFeed>(options), pace);
}

Wire make_wire(const std::string& feed, const Options& options) {
  if (feed == kNoFeed) return {};
  if (is_generator(feed)) return make_generator(feed, options.pace);
  // Whoever sends has a pace of his own.
  if (feed.rfind(kPipe, 0) == 0) return Wire(std::make_unique<PipeFeed>(feed.substr(std::strlen(kPipe))), {Pace::Kind::kMost, 0});
  return Wire(std::make_unique<CaptureFeed>(split(feed, ','), options.repeats), options.pace);
}

void check(const Options& options) {
  if (options.folder.empty()) throw std::invalid_argument("no folder is named: add --folder DIR, and set FLOWSTONE_CARDS=DIR for the tap");
  if (options.feeds.size() > kPorts) {
    throw std::invalid_argument("--feed: the card has " + std::to_string(kPorts) +
                                " ports; several captures for one port are separated by commas");
  }
  if (options.design->has_sources() && (!options.feeds.empty() || options.has_capture_time)) {
    throw std::invalid_argument("--design " + std::string(options.design->name) +
                                ": frames come from the card's memory, where a tap puts them (tap card --feed), and have the card's time; "
                                "leave --feed and --time out");
  }
  for (const FaultSpec& fault : options.faults) {
    if (fault.kind == FaultKind::kRefusedRead && !options.design->has_sources()) {
      throw std::invalid_argument("--fault refused-read: this card has nothing that reads its memory; add --design " +
                                  std::string(kCableless.name));
    }
  }
  for (const std::string& feed : options.feeds) {
    if (options.has_capture_time && is_generator(feed)) {
      throw std::invalid_argument("--time capture: a generator has no times; leave --time out");
    }
  }
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); i++) {
    const std::string& option = arguments[i];
    if (option == "--help" || option == "-h") {
      options.wants_help = true;
      return options;
    }
    if (i + 1 == arguments.size()) throw std::invalid_argument(option + " needs a value, or is no option: see --help");
    const std::string& value = arguments[++i];
    if (option == "--folder") {
      options.folder = value;
    } else if (option == "--number") {
      options.number = static_cast<unsigned>(number(value, option));
    } else if (option == "--engine") {
      options.engine = value;
    } else if (option == "--design") {
      options.design = design(value);
    } else if (option == "--feed") {
      options.feeds.push_back(value);
    } else if (option == "--pace") {
      options.pace = pace(value);
    } else if (option == "--repeat") {
      options.repeats = number(value, option);
    } else if (option == "--time") {
      options.has_capture_time = time_is_of_capture(value);
    } else if (option == "--fault") {
      options.faults.push_back(parse_fault(value));
    } else if (option == "--faults") {
      const std::vector<FaultSpec> more = read_faults(value);
      options.faults.insert(options.faults.end(), more.begin(), more.end());
    } else {
      throw std::invalid_argument("there is no option " + option + ": see --help");
    }
  }
  check(options);
  return options;
}

std::string help_text() {
  return R"(flowstone-card --folder DIR [--number N] [--engine model|rtl] [--design D] [--feed FEED [--feed FEED]] [option]...

An emulated card, to which taps attach as to a real one. It lives until SIGTERM; taps come and go.
FLOWSTONE_CARDS=DIR tells libflowstone_xrt.so, and the HAL under AMD's libxrt_coreutil, where device N is.

  --folder DIR      where the card's socket is (DIR/card-N), its lock and its state (DIR/card-N.lock, .state)
  --number N        device index of the card; default 0
  --engine E        model (default): the parser library, millions of packets a second
                    rtl: the kernels' SystemVerilog, tens of thousands; only in flowstone-card-rtl
  --design D        what the card was linked of, by its name in hw/vitis
                      u280 (default)   two ports with cables; its xclbin is flowstone.xclbin
                      u280_pcapsrc     no cable: ht_pcapsrc sends what a tap has put into the card's memory, whatever becomes of it;
                                       no --feed, and its xclbin is flowstone-pcapsrc.xclbin
  --feed FEED       what comes in, first of port 0, then of port 1; default: nothing
                      FILE[,FILE]...   captures, pcap or pcapng, Ethernet, one after the other
                      pipe:PATH   a named pipe, made if it is not there, through which a program sends a pcap, at its own pace: it
                                  can open the pipe when the port runs, and the feed is over when it closes it
                      generator[:packets=N,rate=N,flows=N,seed=N]   packets 0: without end, the default
                      none
                    A wire moves while its port's kernel runs, so nothing is lost before a tap is there.
  --pace P          how fast; default 1000000
                      N         packets a second and port, whatever becomes of them: a full ring drops
                      capture   as the capture's times say
                      max       as fast as the engine is
                      wait      the same, but a full ring makes the wire wait: nothing is lost
  --repeat N        sends captures N times, 0: without end; default 1
  --time T          card (default): the card's clock, which the tap sets
                    capture: packets have the capture's times; what the tap sets is ignored
  --fault KIND[:after=N,every=N,count=N,ring=N,delay-us=N,slots=N]
                    commits a fault, for the first time after N packets, then every N (default: once), COUNT times
                      late-head, torn-record   slots below the head come a little later (delay-us, of late-head as many as slots)
                      stale-lap, duplicate     a slot stays a lap behind; a record stands in two slots
                      refused-write            the memory refuses a write, the ring's head stays
                      refused-read             the memory refuses a read of the source, which ends; needs --design u280_pcapsrc
                      sync-error               a copy from the card fails with EIO (after and every count copies)
                      hang                     the kernels do nothing more, nor do they end
                      dead-bus                 registers read as all ones, copies fail
                      wrong-version, wrong-magic   registers of another card
                      death                    the card's process ends as if it were killed
                    late-head to refused-write need the engine model; their N counts packets of the ring, that of
                    refused-read packets of the source.
  --faults FILE     the same, one to a line; # begins a comment

DIR/card-N.state has a line "name=value" for each counter: of ports (port-0.packets, port-0.over), of faults
(fault.late-head), of CPU time (cpu-ms). It is replaced as a whole when one of them changes, at most ten times a second,
and each second.
)";
}

std::vector<Wire> make_wires(const Options& options) {
  std::vector<Wire> wires;
  for (uint32_t port = 0; port < kPorts; port++) {
    wires.push_back(port < options.feeds.size() ? make_wire(options.feeds[port], options) : Wire());
  }
  return wires;
}

}  // namespace flowstone::card
