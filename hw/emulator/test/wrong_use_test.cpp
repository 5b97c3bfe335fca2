// SPDX-License-Identifier: Apache-2.0
// Wrong uses of libflowstone_xrt.so: each has an answer, none a crash.
#include <cerrno>
#include <cstring>

#include "card_process.hpp"
#include "host.hpp"

namespace flowstone::card::test {
namespace {

struct OpenDevice {
  xrtDeviceHandle device = nullptr;
  xuid_t uuid = {};

  OpenDevice() {
    device = xrtDeviceOpen(0);
    CHECK(device != nullptr);
    CHECK_EQUAL(0, xrtDeviceLoadXclbinFile(device, (build_folder + "/flowstone.xclbin").c_str()));
    CHECK_EQUAL(0, xrtDeviceGetXclbinUUID(device, uuid));
  }
  ~OpenDevice() { xrtDeviceClose(device); }
};

TEST(a_card_that_is_not_there_cannot_be_opened) {
  CardFolder folder;
  CHECK(xrtDeviceOpen(7) == nullptr);
  CHECK_EQUAL(ENODEV, errno);
  CHECK(xrtDeviceOpenByBDF("nonsense") == nullptr);
  unsetenv("FLOWSTONE_CARDS");
  CHECK(xrtDeviceOpen(0) == nullptr);
}

TEST(a_card_is_found_by_its_bus_too) {
  CardFolder folder;
  CardProcess card(folder, {}, 11);
  const xrtDeviceHandle device = xrtDeviceOpenByBDF("0000:0b:00.0");
  CHECK(device != nullptr);
  CHECK_EQUAL(0, xrtDeviceClose(device));
}

TEST(handles_that_are_none_are_refused) {
  int nothing = 0;
  for (void* handle : {static_cast<void*>(nullptr), static_cast<void*>(&nothing)}) {
    uint32_t value = 0;
    xuid_t uuid;
    CHECK(xrtDeviceClose(handle) != 0);
    CHECK(xrtDeviceLoadXclbinFile(handle, "x") != 0);
    CHECK(xrtDeviceGetXclbinUUID(handle, uuid) != 0);
    CHECK(xrtPLKernelOpen(handle, uuid, "ht_ring") == nullptr);
    CHECK(xrtKernelClose(handle) != 0);
    CHECK(xrtKernelArgGroupId(handle, 0) < 0);
    CHECK(xrtKernelReadRegister(handle, 0, &value) != 0);
    CHECK(xrtKernelWriteRegister(handle, 0, 0) != 0);
    CHECK(xrtRunOpen(handle) == nullptr);
    CHECK(xrtRunSetArg(handle, 0, 0) != 0);
    CHECK(xrtRunStart(handle) != 0);
    CHECK_EQUAL(ERT_CMD_STATE_ABORT, xrtRunWait(handle));
    CHECK_EQUAL(ERT_CMD_STATE_ABORT, xrtRunState(handle));
    CHECK(xrtRunClose(handle) != 0);
    CHECK(xrtBOAlloc(handle, 4096, 0, 0) == nullptr);
    CHECK(xrtBOFree(handle) != 0);
    CHECK_EQUAL(0, xrtBOSize(handle));
    CHECK(xrtBOMap(handle) == nullptr);
    CHECK(xrtBOSync(handle, XCL_BO_SYNC_BO_TO_DEVICE, 1, 0) != 0);
    CHECK(xrtBOWrite(handle, &value, 4, 0) != 0);
    CHECK(xrtBORead(handle, &value, 4, 0) != 0);
  }
}

TEST(a_card_with_cables_has_no_sources) {
  CardFolder folder;
  CardProcess card(folder, {});
  OpenDevice open;
  CHECK(xrtPLKernelOpenExclusive(open.device, open.uuid, "ht_pcapsrc:{ht_pcapsrc_0}") == nullptr);
  CHECK(xrtDeviceLoadXclbinFile(open.device, (build_folder + "/flowstone-pcapsrc.xclbin").c_str()) != 0);
  CHECK_EQUAL(EINVAL, errno);
}

TEST(what_is_no_xclbin_of_ours_is_not_loaded) {
  CardFolder folder;
  CardProcess card(folder, {});
  const xrtDeviceHandle device = xrtDeviceOpen(0);
  CHECK(xrtDeviceLoadXclbinFile(device, "/nowhere.xclbin") != 0);
  CHECK_EQUAL(ENOENT, errno);
  CHECK(xrtDeviceLoadXclbinFile(device, (build_folder + "/flowstone-card").c_str()) != 0);
  CHECK_EQUAL(EINVAL, errno);
  xuid_t uuid;
  CHECK_EQUAL(0, xrtDeviceGetXclbinUUID(device, uuid));
  xuid_t none = {};
  CHECK_EQUAL(0, std::memcmp(none, uuid, sizeof uuid));
  xrtDeviceClose(device);
}

TEST(kernels_are_opened_by_name_and_registers_read_by_whoever_has_one_alone) {
  CardFolder folder;
  CardProcess card(folder, {});
  OpenDevice open;
  CHECK(xrtPLKernelOpenExclusive(open.device, open.uuid, "ht_tap") == nullptr);  // which of two?
  CHECK(xrtPLKernelOpenExclusive(open.device, open.uuid, "ht_tap:{ht_tap_9}") == nullptr);
  xuid_t other = {1};
  CHECK(xrtPLKernelOpenExclusive(open.device, other, "ht_ring:{ht_ring_0}") == nullptr);
  const xrtKernelHandle shared = xrtPLKernelOpen(open.device, open.uuid, "ht_ring");
  uint32_t value = 0;
  CHECK(shared != nullptr);
  CHECK(xrtKernelReadRegister(shared, kMagicOffset, &value) != 0);
  CHECK_EQUAL(0, xrtKernelClose(shared));
  const xrtKernelHandle alone = xrtPLKernelOpenExclusive(open.device, open.uuid, "ht_ring:{ht_ring_0}");
  CHECK_EQUAL(0, xrtKernelReadRegister(alone, kMagicOffset, &value));
  CHECK_EQUAL(FS_CARD_RING_REGISTERS_MAGIC, value);
  CHECK(xrtKernelReadRegister(alone, kMagicOffset + 1, &value) != 0);
  CHECK(xrtKernelReadRegister(alone, kRegisterBytes, &value) != 0);
  CHECK(xrtKernelReadRegister(alone, kMagicOffset, nullptr) != 0);
  CHECK(xrtKernelArgGroupId(alone, 8) < 0);  // a number lies in no memory
  CHECK(xrtKernelArgGroupId(alone, 99) < 0);
  CHECK_EQUAL(0, xrtKernelClose(alone));
  CHECK(xrtKernelClose(alone) != 0);
  CHECK(xrtKernelReadRegister(alone, kMagicOffset, &value) != 0);
}

TEST(buffers_have_bounds) {
  CardFolder folder;
  CardProcess card(folder, {});
  OpenDevice open;
  CHECK(xrtBOAlloc(open.device, kBankBytes + 1, 0, 0) == nullptr);
  CHECK_EQUAL(ENOMEM, errno);
  CHECK(xrtBOAlloc(open.device, 4096, 0, kBanks) == nullptr);
  CHECK(xrtBOAlloc(open.device, 0, 0, 0) == nullptr);
  const xrtBufferHandle buffer = xrtBOAlloc(open.device, 1000, 0, 3);
  // AMD's library lets the host's copy be what malloc finds.
  CHECK_EQUAL(1, generation_of(static_cast<const fs_packet_record*>(xrtBOMap(buffer))[3]));
  uint32_t word = 0x12345678, back = 0;
  CHECK_EQUAL(1000, xrtBOSize(buffer));
  CHECK_EQUAL(0, xrtBOWrite(buffer, &word, sizeof word, 996));
  CHECK(xrtBOWrite(buffer, &word, sizeof word, 997) != 0);
  CHECK_EQUAL(0, xrtBOSync(buffer, XCL_BO_SYNC_BO_TO_DEVICE, 1000, 0));
  word = 0;
  CHECK_EQUAL(0, xrtBOWrite(buffer, &word, sizeof word, 996));
  CHECK_EQUAL(0, xrtBOSync(buffer, XCL_BO_SYNC_BO_FROM_DEVICE, 4, 996));
  CHECK_EQUAL(0, xrtBORead(buffer, &back, sizeof back, 996));
  CHECK_EQUAL(0x12345678, back);
  CHECK(xrtBORead(buffer, &back, sizeof back, 1001) != 0);
  CHECK(xrtBOSync(buffer, XCL_BO_SYNC_BO_FROM_DEVICE, SIZE_MAX, 4) != 0);
  CHECK_EQUAL(0, xrtBOFree(buffer));
  CHECK(xrtBOFree(buffer) != 0);
}

TEST(a_kernel_that_runs_is_not_started_again) {
  CardFolder folder;
  CardProcess card(folder, {});
  HostOptions options;
  options.xclbin = build_folder + "/flowstone.xclbin";
  Host host(options);
  CHECK(host.open());
  CHECK(host.start());
  CHECK_EQUAL(-1, xrtRunStart(host.run(0)));
  CHECK_EQUAL(EBUSY, errno);
}

TEST(a_run_outlives_its_handles_owner_in_any_order_of_closing) {
  CardFolder folder;
  CardProcess card(folder, {});
  OpenDevice open;
  const xrtKernelHandle kernel = xrtPLKernelOpenExclusive(open.device, open.uuid, "ht_tap:{ht_tap_0}");
  const xrtRunHandle run = xrtRunOpen(kernel);
  CHECK_EQUAL(ERT_CMD_STATE_NEW, xrtRunState(run));
  CHECK_EQUAL(ERT_CMD_STATE_TIMEOUT, xrtRunWaitFor(run, 5));
  CHECK_EQUAL(0, xrtKernelClose(kernel));
  CHECK_EQUAL(0, xrtRunStart(run));
  CHECK_EQUAL(0, xrtRunClose(run));
}

}  // namespace
}  // namespace flowstone::card::test
