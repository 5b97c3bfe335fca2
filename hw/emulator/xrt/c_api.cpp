// SPDX-License-Identifier: Apache-2.0
// libflowstone_xrt.so: XRT's C functions over an emulated card, for machines without AMD's library. It says of a wrong use what
// libxrt_coreutil says, by null or -1 and errno, with a line on stderr where opening fails. What differs:
// - buffers have no flags: each has a copy at the host and one in the card, and xrtBOSync alone carries bytes from one to the other;
// - a program needs not load the xclbin that the card has;
// - a kernel is open once in a program, and one that has several instances is named with its instance;
// - registers lie at multiples of four, and reads of others fail.
#include "c_api.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "../link/attachment.hpp"
#include "handles.hpp"
#include "xclbin_file.hpp"

namespace flowstone::card {
namespace {

struct DeviceObject {
  std::unique_ptr<Attachment> attachment;
};

struct KernelObject {
  KernelObject(std::shared_ptr<DeviceObject> owner, uint32_t index, bool alone)
      : device(std::move(owner)), number(index), is_exclusive(alone) {}
  ~KernelObject() { device->attachment->close_kernel(number); }
  KernelObject(const KernelObject&) = delete;
  KernelObject& operator=(const KernelObject&) = delete;

  const Kernel& description() const { return kKernelList[number]; }

  std::shared_ptr<DeviceObject> device;
  uint32_t number;
  bool is_exclusive;
};

struct BufferObject {
  BufferObject(std::shared_ptr<DeviceObject> owner, uint64_t size) : device(std::move(owner)), bytes(size), host(size) {}
  ~BufferObject() {
    if (is_allocated) device->attachment->free(address);
  }
  BufferObject(const BufferObject&) = delete;
  BufferObject& operator=(const BufferObject&) = delete;

  std::shared_ptr<DeviceObject> device;
  uint64_t bytes;
  HostBuffer host;
  uint64_t address = 0;
  bool is_allocated = false;

  bool has(uint64_t offset, uint64_t count) const { return offset <= bytes && count <= bytes - offset; }
};

struct RunObject {
  std::shared_ptr<KernelObject> kernel;
  std::vector<uint64_t> values;
  uint64_t ticket = Attachment::kNotStarted;
};

Handles<DeviceObject> devices;
Handles<KernelObject> kernels;
Handles<BufferObject> buffers;
Handles<RunObject> runs;

/** 0, or -1 as of libxrt_coreutil; errno says why, which that library leaves out here and there. */
int answer(int status) {
  if (status >= 0) return status;
  errno = -status;
  return -1;
}

void* refuse(int error, const std::string& what) {
  std::fprintf(stderr, "flowstone_xrt: %s\n", what.c_str());
  errno = error;
  return nullptr;
}

/** The uuid of a file that begins as an xclbin does. */
int read_uuid(const char* path, Uuid& uuid) {
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "rbe");
  if (file == nullptr) return -ENOENT;
  xclbin::Header header;
  const bool is_whole = std::fread(&header, sizeof header, 1, file) == 1;
  std::fclose(file);
  if (!is_whole || std::memcmp(header.magic, xclbin::kMagic, sizeof header.magic) != 0) return -EINVAL;
  std::memcpy(uuid.data(), header.uuid, uuid.size());
  return 0;
}

/** "kernel:{instance}", or "kernel" where there is one instance. */
int kernel_named(const char* name) {
  const std::string wanted = name == nullptr ? "" : name;
  int found = -1;
  for (uint32_t number = 0; number < kKernels; number++) {
    const Kernel& kernel = kKernelList[number];
    if (wanted == std::string(kernel.kernel) + ":{" + kernel.instance + "}") return static_cast<int>(number);
    if (wanted == kernel.kernel) found = found == -1 ? static_cast<int>(number) : -2;
  }
  return found;
}

void* open_kernel(void* device_handle, const xuid_t uuid, const char* name, bool is_exclusive) {
  const std::shared_ptr<DeviceObject> device = devices.find(device_handle);
  if (device == nullptr) return refuse(EINVAL, "a kernel cannot be opened: the device is not open");
  Uuid loaded{};
  device->attachment->loaded(loaded);
  if (uuid == nullptr || std::memcmp(loaded.data(), uuid, loaded.size()) != 0) {
    return refuse(EINVAL, std::string(name == nullptr ? "a kernel" : name) + " cannot be opened: the card has another xclbin, or none");
  }
  const int number = kernel_named(name);
  if (number < 0) {
    return refuse(EINVAL, std::string("there is no one kernel \"") + (name == nullptr ? "" : name) +
                              "\": name ht_tap:{ht_tap_0}, ht_tap:{ht_tap_1} or ht_ring:{ht_ring_0}, of a card without a cable " +
                              "ht_pcapsrc:{ht_pcapsrc_0} or _1");
  }
  const int status = device->attachment->open_kernel(static_cast<uint32_t>(number), is_exclusive);
  if (status != 0) return refuse(-status, std::string(name) + " cannot be opened: " + std::strerror(-status));
  return kernels.add(std::make_shared<KernelObject>(device, static_cast<uint32_t>(number), is_exclusive));
}

bool is_register(const KernelObject& kernel, uint32_t offset) {
  return kernel.is_exclusive && offset % 4 == 0 && offset < kRegisterBytes;
}

const Argument* argument_of(const KernelObject& kernel, int index) {
  const Kernel& description = kernel.description();
  return index >= 0 && static_cast<size_t>(index) < description.argument_count ? &description.arguments[index] : nullptr;
}

std::vector<RegisterValue> register_values(const RunObject& run) {
  std::vector<RegisterValue> values;
  for (size_t i = 0; i < run.values.size(); i++) {
    const Argument& argument = run.kernel->description().arguments[i];
    values.push_back({argument.offset_bytes, static_cast<uint32_t>(run.values[i])});
    if (argument.size_bytes == 8) values.push_back({argument.offset_bytes + 4, static_cast<uint32_t>(run.values[i] >> 32)});
  }
  return values;
}

ert_cmd_state state_after(int status) {
  return status == 0 ? ERT_CMD_STATE_COMPLETED : status == -ETIME ? ERT_CMD_STATE_TIMEOUT : ERT_CMD_STATE_ABORT;
}

ert_cmd_state wait(void* handle, int64_t timeout_ms) {
  const std::shared_ptr<RunObject> run = runs.find(handle);
  if (run == nullptr) {
    errno = EINVAL;
    return ERT_CMD_STATE_ABORT;
  }
  return state_after(run->kernel->device->attachment->wait(run->kernel->number, run->ticket, timeout_ms));
}

}  // namespace
}  // namespace flowstone::card

using namespace flowstone::card;

xrtDeviceHandle xrtDeviceOpen(unsigned int index) {
  std::string problem;
  std::unique_ptr<Attachment> attachment = Attachment::open(index, problem);
  if (attachment == nullptr) return refuse(ENODEV, problem);
  return devices.add(std::make_shared<DeviceObject>(DeviceObject{std::move(attachment)}));
}

/** Emulated card N is at bus N: domain:NN:00.0, in hexadecimal. */
xrtDeviceHandle xrtDeviceOpenByBDF(const char* bdf) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  if (bdf == nullptr || (std::sscanf(bdf, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4 &&
                         std::sscanf(bdf, "%x:%x.%x", &bus, &device, &function) != 3)) {
    return refuse(EINVAL, "a device is named by domain:bus:device.function; emulated card N is 0000:NN:00.0");
  }
  return xrtDeviceOpen(bus);
}

int xrtDeviceClose(xrtDeviceHandle device) { return answer(devices.remove(device) == nullptr ? -EINVAL : 0); }

int xrtDeviceLoadXclbinFile(xrtDeviceHandle handle, const char* path) {
  const std::shared_ptr<DeviceObject> device = devices.find(handle);
  if (device == nullptr) return answer(-EINVAL);
  Uuid uuid{};
  int status = read_uuid(path, uuid);
  if (status == 0) status = device->attachment->load(uuid);
  if (status != 0) {
    refuse(-status, std::string(path == nullptr ? "null" : path) + " cannot be loaded: " + std::strerror(-status) +
                        "; an emulated card takes the flowstone.xclbin that was built with it, one of design u280_pcapsrc " +
                        "flowstone-pcapsrc.xclbin, while nobody else has kernels open");
  }
  return answer(status);
}

int xrtDeviceGetXclbinUUID(xrtDeviceHandle handle, xuid_t out) {
  const std::shared_ptr<DeviceObject> device = devices.find(handle);
  if (device == nullptr || out == nullptr) return answer(-EINVAL);
  Uuid uuid{};
  const int status = device->attachment->loaded(uuid);
  std::memcpy(out, uuid.data(), uuid.size());
  return answer(status);
}

xrtKernelHandle xrtPLKernelOpen(xrtDeviceHandle device, const xuid_t uuid, const char* name) {
  return open_kernel(device, uuid, name, false);
}

xrtKernelHandle xrtPLKernelOpenExclusive(xrtDeviceHandle device, const xuid_t uuid, const char* name) {
  return open_kernel(device, uuid, name, true);
}

int xrtKernelClose(xrtKernelHandle kernel) { return answer(kernels.remove(kernel) == nullptr ? -EINVAL : 0); }

int xrtKernelArgGroupId(xrtKernelHandle handle, int index) {
  const std::shared_ptr<KernelObject> kernel = kernels.find(handle);
  const Argument* argument = kernel == nullptr ? nullptr : argument_of(*kernel, index);
  return argument == nullptr || !argument->is_address() ? answer(-EINVAL) : argument->bank;
}

uint32_t xrtKernelArgOffset(xrtKernelHandle handle, int index) {
  const std::shared_ptr<KernelObject> kernel = kernels.find(handle);
  const Argument* argument = kernel == nullptr ? nullptr : argument_of(*kernel, index);
  return argument == nullptr ? static_cast<uint32_t>(answer(-EINVAL)) : argument->offset_bytes;
}

int xrtKernelReadRegister(xrtKernelHandle handle, uint32_t offset, uint32_t* value) {
  const std::shared_ptr<KernelObject> kernel = kernels.find(handle);
  if (kernel == nullptr || value == nullptr || !is_register(*kernel, offset)) return answer(-EINVAL);
  return answer(kernel->device->attachment->read_register(kernel->number, offset, *value));
}

int xrtKernelWriteRegister(xrtKernelHandle handle, uint32_t offset, uint32_t value) {
  const std::shared_ptr<KernelObject> kernel = kernels.find(handle);
  if (kernel == nullptr || !is_register(*kernel, offset)) return answer(-EINVAL);
  return answer(kernel->device->attachment->write_register(kernel->number, offset, value));
}

xrtRunHandle xrtRunOpen(xrtKernelHandle handle) {
  const std::shared_ptr<KernelObject> kernel = kernels.find(handle);
  if (kernel == nullptr) return refuse(EINVAL, "a run cannot be opened: the kernel is not open");
  return runs.add(std::make_shared<RunObject>(RunObject{kernel, std::vector<uint64_t>(kernel->description().argument_count)}));
}

int xrtRunSetArg(xrtRunHandle handle, int index, ...) {
  const std::shared_ptr<RunObject> run = runs.find(handle);
  const Argument* argument = run == nullptr ? nullptr : argument_of(*run->kernel, index);
  if (argument == nullptr) return answer(-EINVAL);
  std::va_list list;
  va_start(list, index);
  int status = 0;
  if (argument->is_address()) {
    const std::shared_ptr<BufferObject> buffer = buffers.find(va_arg(list, void*));
    status = buffer == nullptr ? -EINVAL : 0;
    if (buffer != nullptr) run->values[static_cast<size_t>(index)] = buffer->address;
  } else {
    run->values[static_cast<size_t>(index)] = va_arg(list, uint32_t);
  }
  va_end(list);
  return answer(status);
}

int xrtRunStart(xrtRunHandle handle) {
  const std::shared_ptr<RunObject> run = runs.find(handle);
  if (run == nullptr) return answer(-EINVAL);
  const int status = run->kernel->device->attachment->start(run->kernel->number, register_values(*run), run->ticket);
  if (status != 0) run->ticket = Attachment::kNotStarted;
  return answer(status);
}

ert_cmd_state xrtRunWait(xrtRunHandle run) { return wait(run, INT64_MAX / 1'000'000 / 2); }

ert_cmd_state xrtRunWaitFor(xrtRunHandle run, unsigned int timeout_ms) { return wait(run, timeout_ms); }

ert_cmd_state xrtRunState(xrtRunHandle handle) {
  const std::shared_ptr<RunObject> run = runs.find(handle);
  if (run == nullptr) {
    errno = EINVAL;
    return ERT_CMD_STATE_ABORT;
  }
  if (run->ticket == Attachment::kNotStarted) return ERT_CMD_STATE_NEW;
  return run->kernel->device->attachment->has_ended(run->kernel->number, run->ticket) ? ERT_CMD_STATE_COMPLETED
                                                                                     : ERT_CMD_STATE_RUNNING;
}

int xrtRunClose(xrtRunHandle run) { return answer(runs.remove(run) == nullptr ? -EINVAL : 0); }

xrtBufferHandle xrtBOAlloc(xrtDeviceHandle handle, size_t bytes, xrtBufferFlags, xrtMemoryGroup group) {
  const std::shared_ptr<DeviceObject> device = devices.find(handle);
  if (device == nullptr || bytes == 0) return refuse(EINVAL, "a buffer cannot be allocated: the device is not open, or it has no bytes");
  auto buffer = std::make_shared<BufferObject>(device, bytes);
  const int status = buffer->host.address() == nullptr ? -ENOMEM : device->attachment->allocate(bytes, group & 0xFFFF, buffer->address);
  if (status != 0) {
    return refuse(-status, "a buffer of " + std::to_string(bytes) + " bytes cannot be allocated in bank " + std::to_string(group & 0xFFFF) +
                               ": " + std::strerror(-status) + "; a bank has " + std::to_string(kBankBytes) + " bytes");
  }
  buffer->is_allocated = true;
  return buffers.add(std::move(buffer));
}

int xrtBOFree(xrtBufferHandle buffer) { return answer(buffers.remove(buffer) == nullptr ? -EINVAL : 0); }

size_t xrtBOSize(xrtBufferHandle handle) {
  const std::shared_ptr<BufferObject> buffer = buffers.find(handle);
  if (buffer == nullptr) errno = EINVAL;
  return buffer == nullptr ? 0 : buffer->bytes;
}

uint64_t xrtBOAddress(xrtBufferHandle handle) {
  const std::shared_ptr<BufferObject> buffer = buffers.find(handle);
  if (buffer == nullptr) errno = EINVAL;
  return buffer == nullptr ? UINT64_MAX : buffer->address;
}

void* xrtBOMap(xrtBufferHandle handle) {
  const std::shared_ptr<BufferObject> buffer = buffers.find(handle);
  if (buffer == nullptr) errno = EINVAL;
  return buffer == nullptr ? nullptr : buffer->host.address();
}

int xrtBOSync(xrtBufferHandle handle, xclBOSyncDirection direction, size_t bytes, size_t offset) {
  const std::shared_ptr<BufferObject> buffer = buffers.find(handle);
  if (buffer == nullptr || !buffer->has(offset, bytes)) return answer(-EINVAL);
  Attachment& attachment = *buffer->device->attachment;
  uint8_t* host = buffer->host.address() + offset;
  return answer(direction == XCL_BO_SYNC_BO_TO_DEVICE ? attachment.copy_to_card(buffer->address + offset, host, bytes)
                                                      : attachment.copy_from_card(buffer->address + offset, host, bytes));
}

int xrtBOWrite(xrtBufferHandle handle, const void* from, size_t bytes, size_t seek) {
  const std::shared_ptr<BufferObject> buffer = buffers.find(handle);
  if (buffer == nullptr || from == nullptr || !buffer->has(seek, bytes)) return answer(-EINVAL);
  std::memcpy(buffer->host.address() + seek, from, bytes);
  return 0;
}

int xrtBORead(xrtBufferHandle handle, void* to, size_t bytes, size_t skip) {
  const std::shared_ptr<BufferObject> buffer = buffers.find(handle);
  if (buffer == nullptr || to == nullptr || !buffer->has(skip, bytes)) return answer(-EINVAL);
  std::memcpy(to, buffer->host.address() + skip, bytes);
  return 0;
}
