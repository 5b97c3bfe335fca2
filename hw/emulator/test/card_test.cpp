// SPDX-License-Identifier: Apache-2.0
// A card and programs at it, each a process, by the C functions: these tests run with libflowstone_xrt.so and with AMD's library.
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <functional>
#include <memory>

#include "card_books.hpp"
#include "card_process.hpp"
#include "host.hpp"

namespace flowstone::card::test {
namespace {

void run_through(Host& host, uint64_t packets) {
  CHECK(host.open());
  CHECK(host.start());
  CHECK(host.read_until(packets));
  CHECK(host.stop());
  host.read_rings();
}

TEST(made_packets_come_through_whole) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:packets=100000,rate=2000000"});
  Host host(options());
  run_through(host, 100000);
  check_books(host);
  CHECK_EQUAL(100000, host.packets() + host.lost());
  CHECK(card.await_state("port-0.over", "true"));
}

TEST(two_ports_share_the_rings) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:packets=50000,seed=1", "--feed", "generator:packets=60000,seed=2", "--pace", "wait"});
  HostOptions both = options();
  both.ports = 2;
  Host host(both);
  host.keeps_records = true;
  run_through(host, 110000);
  check_books(host);
  CHECK_EQUAL(50000, host.port(0, TAP(sent_packets)));
  CHECK_EQUAL(60000, host.port(1, TAP(sent_packets)));
  uint64_t of_port_1 = 0;
  for (uint32_t ring = 0; ring < 4; ring++) {
    for (const fs_packet_record& record : host.check(ring).records) {
      of_port_1 += record.descriptor >> FS_PACKET_RECORD_INGRESS_PORT_SHIFT & 1;
    }
  }
  CHECK_EQUAL(60000, of_port_1);
}

TEST(a_host_that_is_too_slow_is_told_of_every_packet_it_lost) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:packets=300000", "--pace", "max"});
  Host host(options(2, 10));
  CHECK(host.open());
  CHECK(host.start());
  CHECK(card.await_state("port-0.over", "true"));
  CHECK(host.stop());
  while (host.read_rings() > 0) {
  }
  check_books(host);
  CHECK(host.lost() > 290000);
}

TEST(the_hosts_copy_changes_by_a_sync_alone_and_only_where_it_was_asked_for) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:packets=1000", "--pace", "wait"});
  Host host(options(1, 12));
  CHECK(host.open());
  CHECK(host.start());
  CHECK(card.await_state("port-0.over", "true"));
  const auto* slots = static_cast<const fs_packet_record*>(xrtBOMap(host.buffer(0)));
  CHECK_EQUAL(0, slots[5].descriptor);
  CHECK_EQUAL(0, xrtBOSync(host.buffer(0), XCL_BO_SYNC_BO_FROM_DEVICE, 64 * 4, 64 * 5));
  CHECK_EQUAL(0, slots[4].descriptor);
  CHECK(slots[5].descriptor != 0);
  CHECK(slots[8].descriptor != 0);
  CHECK_EQUAL(0, slots[9].descriptor);
  CHECK(xrtBOSync(host.buffer(0), XCL_BO_SYNC_BO_FROM_DEVICE, 64, size_t{64} << 12) != 0);
}

TEST(fresh_buffers_look_like_packets) {
  CardFolder folder;
  CardProcess card(folder, {});
  Host host(options());
  CHECK(host.open());
  const xrtBufferHandle buffer = xrtBOAlloc(host.device(), 65536, 0, 0);
  CHECK(buffer != nullptr);
  if (buffer == nullptr) return;
  CHECK_EQUAL(65536, xrtBOSize(buffer));
  auto* slots = static_cast<fs_packet_record*>(xrtBOMap(buffer));
  slots[3] = {};
  CHECK_EQUAL(0, xrtBOSync(buffer, XCL_BO_SYNC_BO_FROM_DEVICE, 65536, 0));
  CHECK_EQUAL(1, generation_of(slots[3]));
  CHECK_EQUAL(0, xrtBOFree(buffer));
}

TEST(kernels_say_by_arguments_where_buffers_belong) {
  CardFolder folder;
  CardProcess card(folder, {});
  Host host(options());
  CHECK(host.open());
  for (int ring = 0; ring < static_cast<int>(kRings); ring++) {
    CHECK_EQUAL(ring, xrtKernelArgGroupId(host.kernel(kRingKernel), ring));
    CHECK_EQUAL(offset_of_base(static_cast<uint32_t>(ring)), xrtKernelArgOffset(host.kernel(kRingKernel), ring));
    const xrtBufferHandle buffer = xrtBOAlloc(host.device(), 4096, 0, static_cast<uint32_t>(ring));
    CHECK_EQUAL(static_cast<uint64_t>(ring), xrtBOAddress(buffer) / kBankBytes);
    xrtBOFree(buffer);
  }
  CHECK_EQUAL(offsetof(fs_card_ring_registers, slots_log2), xrtKernelArgOffset(host.kernel(kRingKernel), 8));
  CHECK_EQUAL(TAP(max_parallelism), xrtKernelArgOffset(host.kernel(0), 1));
}

TEST(a_run_is_new_then_runs_then_is_completed) {
  CardFolder folder;
  CardProcess card(folder, {});
  Host host(options());
  CHECK(host.open());
  CHECK(host.start());
  CHECK_EQUAL(ERT_CMD_STATE_RUNNING, xrtRunState(host.run(0)));
  CHECK_EQUAL(ERT_CMD_STATE_TIMEOUT, xrtRunWaitFor(host.run(0), 20));
  CHECK_EQUAL(0, host.read(kRingKernel, kControlOffset) & kIdle);
  CHECK(host.stop());
  CHECK_EQUAL(ERT_CMD_STATE_COMPLETED, xrtRunState(host.run(0)));
  CHECK_EQUAL(kIdle, host.read(kRingKernel, kControlOffset));  // the scheduler had the done
}

TEST(time_is_what_the_host_sets) {
  CardFolder folder;
  CardProcess card(folder, {});
  Host host(options());
  CHECK(host.open());
  const uint64_t wanted_ns = 1'795'219'200'000'000'000;
  host.write(0, TAP(time_set_high), static_cast<uint32_t>(wanted_ns >> 32));
  host.write(0, TAP(time_set_low), static_cast<uint32_t>(wanted_ns));
  const uint64_t time_ns = host.port(0, TAP(time_ns));
  CHECK(time_ns >= wanted_ns && time_ns < wanted_ns + 1'000'000'000);
}

TEST(a_card_without_traffic_costs_next_to_nothing) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:packets=1"});
  Host host(options());
  CHECK(host.open());
  CHECK(host.start());
  usleep(1'000'000);
  CHECK(host.stop());
  usleep(1'200'000);
  CHECK(card.cpu_ms() < 100);
}

// ---- Programs come and go ----

/** A program of its own that does this and then waits to be killed. Returns once it has done it. */
pid_t spawn(const std::function<bool()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t process = fork();
  if (process == 0) {
    const char answer = work() ? '+' : '-';
    if (write(ends[1], &answer, 1) != 1) _exit(1);
    pause();
    _exit(1);
  }
  char answer = 0;
  CHECK_EQUAL(1, read(ends[0], &answer, 1));
  CHECK_EQUAL('+', answer);
  ::close(ends[0]);
  ::close(ends[1]);
  return process;
}

void kill_hard(pid_t process) {
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

TEST(a_kernel_belongs_to_one_program_until_that_dies) {
  CardFolder folder;
  CardProcess card(folder, {});
  const pid_t first = spawn([] {
    static Host host(options());
    return host.open();
  });
  {
    Host second(options());
    CHECK(!second.open());
    xuid_t uuid;
    CHECK_EQUAL(0, xrtDeviceGetXclbinUUID(second.device(), uuid));
    CHECK(xrtPLKernelOpen(second.device(), uuid, "ht_ring:{ht_ring_0}") == nullptr);  // nor with others
  }
  kill_hard(first);
  CHECK(card.await_state("taps", "0"));
  Host third(options());
  CHECK(third.open());
}

size_t descriptors(const std::string& process) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + process + "/fd")) count += entry.exists() ? 1 : 0;
  return count;
}

TEST(programs_that_come_and_go_leave_nothing_behind) {
  CardFolder folder;
  CardProcess card(folder, {});
  const auto visit = [] {
    Host host(options(1, FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2));
    CHECK(host.open());
    CHECK(host.start());
    CHECK(host.stop());
  };
  visit();
  CHECK(card.await_state("taps", "0"));
  const size_t own = descriptors("self"), of_card = descriptors(card.state("pid"));
  for (int i = 0; i < 20; i++) visit();
  usleep(500'000);
  CHECK(card.await_state("taps", "0"));
  CHECK_EQUAL(own, descriptors("self"));
  CHECK_EQUAL(of_card, descriptors(card.state("pid")));
}

TEST(a_tap_that_was_killed_leaves_a_card_that_the_next_one_can_use) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:rate=200000"});
  const pid_t first = spawn([] {
    static Host host(options(1, FS_CARD_RING_REGISTERS_MOST_SLOTS_LOG2));  // all that its bank has
    return host.open() && host.start() && host.read_until(20000);
  });
  kill_hard(first);
  CHECK(card.await_state("taps", "0"));

  Host host(options(1, FS_CARD_RING_REGISTERS_MOST_SLOTS_LOG2));
  CHECK(host.open());
  CHECK_EQUAL(0, host.read(kRingKernel, kControlOffset) & kIdle);  // it runs on
  host.write(0, kStopOffset, 1);
  host.write(kRingKernel, kStopOffset, 1);
  for (int i = 0; i < 100 && (host.read(kRingKernel, kControlOffset) & kIdle) == 0; i++) usleep(1000);
  CHECK(host.start());
  CHECK(host.read_until(20000));
  CHECK(host.stop());
  host.read_rings();
  check_books(host);
  CHECK(host.packets() >= 20000);
}

TEST(a_card_that_was_killed_is_noticed_and_may_be_started_again) {
  CardFolder folder;
  auto card = std::make_unique<CardProcess>(folder, std::vector<std::string>{"--feed", "generator:rate=100000"});
  Host host(options());
  CHECK(host.open());
  CHECK(host.start());
  CHECK(host.read_until(1000));
  card->end(SIGKILL);
  usleep(100'000);
  host.read(kRingKernel, kVersionOffset);
  CHECK(host.status() != 0);
  CHECK(xrtBOSync(host.buffer(0), XCL_BO_SYNC_BO_FROM_DEVICE, 64, 0) != 0);
  host.close();
  card = std::make_unique<CardProcess>(folder, std::vector<std::string>{"--feed", "generator:packets=1000", "--pace", "wait"});
  Host next(options());
  run_through(next, 1000);
  check_books(next);
}

TEST(of_two_cards_one_may_die_and_the_other_goes_on) {
  CardFolder folder;
  CardProcess first(folder, {"--feed", "generator:rate=200000", "--fault", "death:after=20000"}, 0);
  CardProcess second(folder, {"--feed", "generator:packets=100000,rate=200000"}, 1);
  HostOptions of_second = options();
  of_second.device = 1;
  Host dying(options()), living(of_second);
  CHECK(dying.open() && living.open());
  CHECK(dying.start() && living.start());
  CHECK(living.read_until(100000));
  const int status = first.await_end();
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(3, WEXITSTATUS(status));
  CHECK_EQUAL(1, first.faults("death"));
  usleep(50'000);
  dying.read(kRingKernel, kVersionOffset);
  CHECK(dying.status() != 0);
  CHECK(living.stop());
  living.read_rings();
  check_books(living);
  CHECK_EQUAL(100000, living.packets() + living.lost());
}

TEST(a_number_that_is_taken_is_refused_and_an_orderly_end_leaves_no_socket) {
  CardFolder folder;
  CardProcess card(folder, {});
  const std::string program = build_folder + "/" + card_program;
  const int status = std::system((program + " --folder " + folder.path() + " 2> " + folder.path() + "/problem").c_str());
  CHECK_EQUAL(2, WEXITSTATUS(status));
  std::ifstream file(folder.path() + "/problem");
  std::string problem;
  std::getline(file, problem);
  CHECK(problem.find("is there already") != std::string::npos);
  const std::string socket = folder.path() + "/card-0";
  struct stat ignored;
  CHECK_EQUAL(0, stat(socket.c_str(), &ignored));
  CHECK_EQUAL(0, card.end(SIGTERM));
  CHECK(stat(socket.c_str(), &ignored) != 0);
  CHECK(card.state("state") == "ended");
}

// ---- Faults ----

TEST(late_heads_and_torn_records_are_whole_after_another_copy) {
  for (const std::string kind : {"late-head", "torn-record"}) {
    CardFolder folder;
    const std::string fault = kind + ":after=10000,every=10000,slots=1,delay-us=50000";
    CardProcess card(folder, {"--feed", "generator:packets=100000", "--pace", "wait", "--fault", fault});
    Host host(options(1));  // of several rings one would be put right while the host waits for another
    run_through(host, 100000);
    check_books(host);
    CHECK(card.faults(kind) >= 5);
    // A host that was not given a processor meanwhile sees fewer.
    CHECK(host.late_slots > 0 && host.late_slots <= card.faults(kind));
  }
}

TEST(stale_laps_and_duplicates_are_missed_and_found_by_the_counters) {
  for (const std::string kind : {"stale-lap", "duplicate"}) {
    CardFolder folder;
    CardProcess card(folder, {"--feed", "generator:packets=100000", "--pace", "wait", "--fault", kind + ":after=5000,every=5000"});
    HostOptions impatient = options();
    impatient.retry_us = 1000;
    Host host(impatient);
    run_through(host, 100000);
    CHECK(card.faults(kind) >= 8);
    CHECK_EQUAL(card.faults(kind), host.unexplained());
    CHECK_EQUAL(kind == "stale-lap" ? card.faults(kind) : 0, host.damaged());
  }
}

TEST(a_refused_write_shows_in_the_rings_status) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:packets=20000", "--pace", "max", "--fault", "refused-write:after=100,ring=2"});
  Host host(options(4, 14));
  CHECK(host.open());
  CHECK(host.start());
  CHECK(card.await_state("port-0.over", "true"));
  CHECK_EQUAL(2, host.read(kRingKernel, ring_offset(2, STATE(status))) & 2);
  CHECK_EQUAL(0, host.read(kRingKernel, ring_offset(1, STATE(status))) & 2);
  CHECK(host.ring(2, STATE(head)) < host.ring(2, STATE(written_packets)));
  CHECK(host.stop());
  CHECK_EQUAL(1, card.faults("refused-write"));
}

TEST(copies_fail_as_often_as_they_were_told_to) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:packets=50000,rate=500000", "--fault", "sync-error:after=20,every=30"});
  Host host(options());
  run_through(host, 50000);
  for (int i = 0; i < 3; i++) host.read_rings();  // the last copies may have failed
  check_books(host);
  CHECK(host.failed_copies > 0);
  CHECK_EQUAL(card.faults("sync-error"), host.failed_copies);
}

TEST(a_start_may_be_answered_before_the_kernel_begins) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:rate=100000", "--fault", "late-start:every=1,delay-us=300000"});
  Host host(options());
  CHECK(host.open());
  const uint64_t began_ns = monotonic_ns();
  CHECK(host.start());
  CHECK((host.read(0, kControlOffset) & kIdle) != 0);
  CHECK_EQUAL(2, card.faults("late-start"));
  while ((host.read(0, kControlOffset) & kIdle) != 0 && monotonic_ns() - began_ns < 10'000'000'000) usleep(1000);
  CHECK(monotonic_ns() - began_ns > 300'000'000);
  CHECK((host.read(kRingKernel, kControlOffset) & kIdle) == 0);
  CHECK(host.stop());
}

TEST(a_card_that_hangs_does_not_end_its_run) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:rate=100000", "--fault", "hang:after=5000"});
  Host host(options());
  CHECK(host.open());
  CHECK(host.start());
  CHECK(card.await_state("fault.hang", "1"));
  host.read_rings();
  const uint64_t received = host.port(0, TAP(received_packets));
  CHECK(received >= 5000);
  CHECK(!host.stop(100));
  CHECK_EQUAL(received, host.port(0, TAP(received_packets)));
}

TEST(a_dead_bus_reads_as_all_ones) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:rate=100000", "--fault", "dead-bus:after=5000"});
  Host host(options());
  CHECK(host.open());
  CHECK(host.start());
  CHECK(card.await_state("fault.dead-bus", "1"));
  CHECK_EQUAL(UINT32_MAX, host.read(kRingKernel, kMagicOffset));
  CHECK(xrtBOSync(host.buffer(0), XCL_BO_SYNC_BO_FROM_DEVICE, 64, 0) != 0);
}

TEST(another_card_is_known_by_its_registers) {
  CardFolder folder;
  CardProcess card(folder, {"--fault", "wrong-version", "--fault", "wrong-magic"});
  Host host(options());
  CHECK(host.open());
  CHECK_EQUAL(FS_CARD_TAP_REGISTERS_VERSION + 1, host.read(0, kVersionOffset));
  CHECK_EQUAL(~FS_CARD_RING_REGISTERS_MAGIC, host.read(kRingKernel, kMagicOffset));
  CHECK_EQUAL(1, card.faults("wrong-version"));
  CHECK_EQUAL(1, card.faults("wrong-magic"));
}

}  // namespace
}  // namespace flowstone::card::test
