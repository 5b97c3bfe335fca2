// SPDX-License-Identifier: Apache-2.0
#include "card.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>

#include "clock.hpp"

namespace flowstone::card {

Card::Card(Wires wires, std::vector<FaultSpec> faults, bool has_capture_time, const MakeEngine& make_engine,
           const Design& design)
    : design_(design),
      window_memory_("flowstone-card-window", sizeof(CardWindow)),
      wires_(std::move(wires)),
      faults_(std::move(faults)) {
  set_up_faults();
  engine_ = make_engine({design_, window(), memory_, wires_, faults_, has_capture_time});
  show_ports();
  thread_ = std::thread([this] { run(); });
}

Card::~Card() {
  ends_ = true;
  mailbox_.ask([] {});  // wakes it
  thread_.join();
}

void Card::set_up_faults() {
  FaultWindow& window = this->window().faults;
  for (const FaultSpec& spec : faults_) {
    switch (spec.kind) {
      case FaultKind::kWrongVersion:
        window.version_is_wrong = 1;
        break;
      case FaultKind::kWrongMagic:
        window.magic_is_wrong = 1;
        break;
      case FaultKind::kSyncError:
        window.sync_errors_after = spec.after == 0 ? 1 : spec.after;
        window.sync_errors_every = spec.every;
        window.sync_errors_count = spec.count;
        break;
      case FaultKind::kLateStart:
        late_starts_.push_back({spec.delay_us * 1000, FaultTrigger(spec)});
        break;
      case FaultKind::kHang:
      case FaultKind::kDeadBus:
      case FaultKind::kDeath:
        card_faults_.push_back({spec.kind, FaultTrigger(spec)});
        break;
      default:
        break;  // those in slots are the engine's
    }
  }
}

bool Card::read(uint32_t kernel, uint32_t offset_bytes, uint32_t& value) {
  return mailbox_.ask([&] { value = engine_->read(kernel, offset_bytes); });
}

bool Card::write(uint32_t kernel, uint32_t offset_bytes, uint32_t value) {
  return mailbox_.ask([&] {
    if (!is_hung_) engine_->write(kernel, offset_bytes, value);
  });
}

bool Card::start(uint32_t kernel, const std::vector<RegisterValue>& arguments) {
  bool is_started = false;
  mailbox_.ask([&] {
    if (is_hung_ || begins_ns_[kernel] != 0 || (engine_->read(kernel, kControlOffset) & kIdle) == 0) return;
    for (const RegisterValue& argument : arguments) engine_->write(kernel, argument.offset_bytes, argument.value);
    const uint64_t delay_ns = delay_of_start_ns();
    if (delay_ns == 0) {
      begin(kernel);
    } else {
      begins_ns_[kernel] = monotonic_ns() + delay_ns;
    }
    is_started = true;
  });
  return is_started;
}

uint64_t Card::delay_of_start_ns() {
  uint64_t delay_ns = 0;
  for (LateStart& late : late_starts_) {
    if (!late.trigger.is_due(starts_)) continue;
    count_fault(window().faults, FaultKind::kLateStart);
    delay_ns = std::max(delay_ns, late.delay_ns);
  }
  starts_++;
  return delay_ns;
}

void Card::begin(uint32_t kernel) {
  engine_->write(kernel, kControlOffset, kStart);
  is_scheduled_[kernel] = true;
  begins_ns_[kernel] = 0;
}

/** Returns when the next one is to begin. */
uint64_t Card::begin_late_ones() {
  uint64_t next_ns = UINT64_MAX;
  for (uint32_t kernel = 0; kernel < kKernels; kernel++) {
    if (begins_ns_[kernel] == 0) continue;
    if (monotonic_ns() >= begins_ns_[kernel]) {
      begin(kernel);
    } else {
      next_ns = std::min(next_ns, begins_ns_[kernel]);
    }
  }
  return next_ns;
}

void Card::run() {
  constexpr std::chrono::nanoseconds kLongestSleep = std::chrono::seconds(1);
  while (!ends_) {
    mailbox_.serve();
    commit_faults();
    const uint64_t next_start_ns = begin_late_ones();
    const uint64_t next_ns = std::min(next_start_ns, is_hung_ ? UINT64_MAX : engine_->work());
    watch_runs();
    show_ports();
    if (next_ns == 0) continue;
    // steady_clock is CLOCK_MONOTONIC.
    const auto latest = std::chrono::steady_clock::now() + kLongestSleep;
    const std::chrono::steady_clock::time_point next{std::chrono::nanoseconds(next_ns == UINT64_MAX ? 0 : next_ns)};
    mailbox_.sleep_until(next_ns == UINT64_MAX || next > latest ? latest : next);
  }
  mailbox_.close();
}

void Card::commit_faults() {
  uint64_t received_packets = 0;
  for (uint32_t port = 0; port < kPorts; port++) received_packets += engine_->received_packets(port);
  for (CardFault& fault : card_faults_) {
    if (!fault.trigger.is_due(received_packets)) continue;
    count_fault(window().faults, fault.kind);
    if (fault.kind == FaultKind::kHang || fault.kind == FaultKind::kDeath) is_hung_ = true;
    if (fault.kind == FaultKind::kDeadBus) __atomic_store_n(&window().faults.bus_is_dead, 1, __ATOMIC_RELEASE);
    if (fault.kind == FaultKind::kDeath) is_dead_ = true;
  }
}

/** Reading the control register clears done: who starts a kernel by a run learns of its end by the run alone, as under XRT. */
void Card::watch_runs() {
  for (uint32_t kernel = 0; kernel < kKernels; kernel++) {
    if (!is_scheduled_[kernel] || is_hung_) continue;
    if ((engine_->read(kernel, kControlOffset) & (kDone | kIdle)) == 0) continue;
    is_scheduled_[kernel] = false;
    __atomic_fetch_add(&window().completed_runs[kernel], 1, __ATOMIC_RELEASE);
  }
}

void Card::show_ports() {
  for (uint32_t port = 0; port < kPorts; port++) {
    ports_[port].received_packets = engine_->received_packets(port);
    ports_[port].skipped_packets = wires_[port].skipped_packets();
    ports_[port].is_over = !design_.has_sources() && wires_[port].is_over();  // of a source nobody knows
  }
}

Card::PortState Card::port(uint32_t port) const {
  return {ports_[port].received_packets, ports_[port].skipped_packets, ports_[port].is_over};
}

uint64_t Card::engine_cpu_ns() const {
  clockid_t clock;
  timespec time = {};
  if (pthread_getcpuclockid(const_cast<std::thread&>(thread_).native_handle(), &clock) == 0) clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace flowstone::card
