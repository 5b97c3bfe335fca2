// SPDX-License-Identifier: Apache-2.0
// libxrt_core.so.2: an emulated card under AMD's unmodified libxrt_coreutil, which looks for this name in $XILINX_XRT/lib. Its public
// headers say what each function does. What the library's own code wants beyond them comes with objects that libxrt-dev brings for
// AMD's software emulation; the two functions of that emulation that they call are answered here, and what no card of ours can do
// (graphs, peer to peer) leads to flowstone_not_supported by the linker's command line.
#define XCL_DRIVER_DLL_EXPORT
#include <ert.h>
#include <xclbin.h>
#include <xrt.h>

#include <map>
#include <mutex>
#include <vector>

#include "../device/clock.hpp"
#include "../link/attachment.hpp"

// ---- What the objects of AMD's emulation ask for ----

namespace xrt_core {
class device {
 public:
  void register_axlf(const axlf* file);
};
std::shared_ptr<device> get_userpf_device(void* handle, unsigned int index);
namespace query {
enum class key_type;
}
}  // namespace xrt_core

namespace xclcpuemhal2 {
struct CpuemShim {
  static CpuemShim* handleCheck(void* handle);
  uint32_t deviceQuery(xrt_core::query::key_type key);
};
CpuemShim* CpuemShim::handleCheck(void*) { return nullptr; }
uint32_t CpuemShim::deviceQuery(xrt_core::query::key_type) { return 0; }
}  // namespace xclcpuemhal2

extern "C" int flowstone_not_supported() { return -EOPNOTSUPP; }

namespace flowstone::card {
namespace {

constexpr xclBufferHandle kNoBuffer = 0xFFFFFFFF;
constexpr unsigned kVirtualUnit = 0xFFFFFFFF;  // a context on the card as such
constexpr uint64_t kFirstSleepNs = 20'000, kLongestSleepNs = 1'000'000;
constexpr uint32_t kFirstArgumentWord = 4;

struct Buffer {
  uint64_t bytes = 0;
  unsigned flags = 0;
  uint64_t address = 0;
  bool is_on_card = false;
  std::unique_ptr<HostBuffer> own;
  uint8_t* host = nullptr;
};

/** A start that XRT waits for: its state is in memory that XRT reads. */
struct Command {
  ert_packet* packet;
  uint32_t kernel;
  uint64_t ticket;
};

class Shim {
 public:
  explicit Shim(std::unique_ptr<Attachment> attachment) : attachment_(std::move(attachment)) {}

  std::shared_ptr<xrt_core::device> core;
  Attachment& attachment() { return *attachment_; }

  xclBufferHandle allocate(uint64_t bytes, unsigned flags, void* user_memory) {
    Buffer buffer;
    buffer.bytes = bytes;
    buffer.flags = flags;
    if ((flags & XCL_BO_FLAGS_HOST_ONLY) != 0) return refuse(EOPNOTSUPP);  // no kernel of ours reaches the host's memory
    if (user_memory == nullptr) buffer.own = std::make_unique<HostBuffer>(bytes);
    buffer.host = user_memory == nullptr ? buffer.own->address() : static_cast<uint8_t*>(user_memory);
    if (buffer.host == nullptr) return refuse(ENOMEM);
    if ((flags & XCL_BO_FLAGS_EXECBUF) == 0) {
      const int status = attachment_->allocate(bytes, flags & 0xFFFF, buffer.address);
      if (status != 0) return refuse(-status);
      buffer.is_on_card = true;
    }
    const std::lock_guard lock(mutex_);
    buffers_.emplace(next_buffer_, std::move(buffer));
    return next_buffer_++;
  }

  void free(xclBufferHandle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = buffers_.find(handle);
    if (found == buffers_.end()) return;
    if (found->second.is_on_card) attachment_->free(found->second.address);
    buffers_.erase(found);
  }

  /** What a buffer is does not change, and XRT frees none that it uses. Null: there is none. */
  const Buffer* find(xclBufferHandle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = buffers_.find(handle);
    return found == buffers_.end() ? nullptr : &found->second;
  }

  int sync(xclBufferHandle handle, xclBOSyncDirection direction, size_t bytes, size_t offset) {
    const Buffer* buffer = find(handle);
    if (buffer == nullptr || !buffer->is_on_card || offset > buffer->bytes || bytes > buffer->bytes - offset) return -EINVAL;
    return direction == XCL_BO_SYNC_BO_TO_DEVICE
               ? attachment_->copy_to_card(buffer->address + offset, buffer->host + offset, bytes)
               : attachment_->copy_from_card(buffer->address + offset, buffer->host + offset, bytes);
  }

  int execute(xclBufferHandle handle) {
    const Buffer* buffer = find(handle);
    if (buffer == nullptr) return -EINVAL;
    auto* packet = reinterpret_cast<ert_packet*>(buffer->host);
    if (packet->opcode != ERT_START_CU) {
      const std::lock_guard lock(mutex_);
      packet->state = ERT_CMD_STATE_COMPLETED;
      completed_++;
      return 0;
    }
    return start(packet);
  }

  /** As poll: how many commands have ended, 0 after the time. */
  int wait(int timeout_ms) {
    const uint64_t end_ns = monotonic_ns() + static_cast<uint64_t>(timeout_ms < 0 ? 0 : timeout_ms) * 1'000'000;
    for (uint64_t sleep_ns = kFirstSleepNs;; sleep_ns = sleep_ns < kLongestSleepNs ? 2 * sleep_ns : sleep_ns) {
      const int ended = collect();
      if (ended > 0 || (timeout_ms >= 0 && monotonic_ns() >= end_ns)) return ended;
      const timespec sleep{0, static_cast<long>(sleep_ns)};
      nanosleep(&sleep, nullptr);
    }
  }

 private:
  static xclBufferHandle refuse(int error) {
    errno = error;
    return kNoBuffer;
  }

  int start(ert_packet* packet) {
    auto* command = reinterpret_cast<ert_start_kernel_cmd*>(packet);
    const uint32_t kernel = static_cast<uint32_t>(__builtin_ctz(command->cu_mask | 1u << kKernels));
    if (kernel >= kKernels) return -EINVAL;
    const uint32_t* words = command->data + command->extra_cu_masks;
    const uint32_t word_count = command->count - 1 - command->extra_cu_masks;
    std::vector<RegisterValue> values;
    for (uint32_t word = kFirstArgumentWord; word < word_count; word++) values.push_back({word * 4, words[word]});
    uint64_t ticket = 0;
    const int status = attachment_->start(kernel, values, ticket);
    if (status != 0) return status;
    const std::lock_guard lock(mutex_);
    packet->state = ERT_CMD_STATE_RUNNING;
    commands_.push_back({packet, kernel, ticket});
    return 0;
  }

  int collect() {
    const std::lock_guard lock(mutex_);
    int ended = completed_;
    completed_ = 0;
    for (auto command = commands_.begin(); command != commands_.end();) {
      const int status = attachment_->wait(command->kernel, command->ticket, 0);
      if (status == -ETIME) {
        command++;
        continue;
      }
      command->packet->state = status == 0 ? ERT_CMD_STATE_COMPLETED : ERT_CMD_STATE_ABORT;
      command = commands_.erase(command);
      ended++;
    }
    return ended;
  }

  std::unique_ptr<Attachment> attachment_;
  std::mutex mutex_;
  std::map<xclBufferHandle, Buffer> buffers_;
  xclBufferHandle next_buffer_ = 1;
  std::vector<Command> commands_;
  int completed_ = 0;
};

Shim& shim(xclDeviceHandle handle) { return *static_cast<Shim*>(handle); }

}  // namespace
}  // namespace flowstone::card

using namespace flowstone::card;

extern "C" {

unsigned xclProbe() { return Attachment::count(); }

xclDeviceHandle xclOpen(unsigned index, const char*, xclVerbosityLevel) {
  std::string problem;
  std::unique_ptr<Attachment> attachment = Attachment::open(index, problem);
  if (attachment == nullptr) {
    std::fprintf(stderr, "flowstone_xrt: %s\n", problem.c_str());
    errno = ENODEV;
    return nullptr;
  }
  auto* opened = new Shim(std::move(attachment));
  opened->core = xrt_core::get_userpf_device(opened, index);
  return opened;
}

void xclClose(xclDeviceHandle handle) { delete &shim(handle); }

int xclLoadXclBin(xclDeviceHandle handle, const axlf* file) {
  Uuid uuid;
  std::memcpy(uuid.data(), file->m_header.uuid, uuid.size());
  const int status = shim(handle).attachment().load(uuid);
  if (status == 0) shim(handle).core->register_axlf(file);
  return status;
}

int xclOpenContext(xclDeviceHandle handle, const xuid_t, unsigned unit, bool is_shared) {
  return unit == kVirtualUnit ? 0 : unit >= kKernels ? -EINVAL : shim(handle).attachment().open_kernel(unit, !is_shared);
}

/** Of a card that is gone no context is left either; XRT closes in a destructor, where an error would end the program. */
int xclCloseContext(xclDeviceHandle handle, const xuid_t, unsigned unit) {
  if (unit < kKernels) shim(handle).attachment().close_kernel(unit);
  return 0;
}

xclBufferHandle xclAllocBO(xclDeviceHandle handle, size_t bytes, int, unsigned flags) {
  return shim(handle).allocate(bytes, flags, nullptr);
}

xclBufferHandle xclAllocUserPtrBO(xclDeviceHandle handle, void* memory, size_t bytes, unsigned flags) {
  return shim(handle).allocate(bytes, flags, memory);
}

void xclFreeBO(xclDeviceHandle handle, xclBufferHandle buffer) { shim(handle).free(buffer); }

void* xclMapBO(xclDeviceHandle handle, xclBufferHandle buffer, bool) {
  const Buffer* found = shim(handle).find(buffer);
  return found == nullptr ? nullptr : found->host;
}

int xclUnmapBO(xclDeviceHandle, xclBufferHandle, void*) { return 0; }

int xclSyncBO(xclDeviceHandle handle, xclBufferHandle buffer, xclBOSyncDirection direction, size_t bytes, size_t offset) {
  return shim(handle).sync(buffer, direction, bytes, offset);
}

int xclGetBOProperties(xclDeviceHandle handle, xclBufferHandle buffer, xclBOProperties* properties) {
  const Buffer* found = shim(handle).find(buffer);
  if (found == nullptr) return -EINVAL;
  properties->handle = buffer;
  properties->flags = found->flags;
  properties->size = found->bytes;
  properties->paddr = found->address;
  return 0;
}

int xclExecBuf(xclDeviceHandle handle, xclBufferHandle command) { return shim(handle).execute(command); }

int xclExecWait(xclDeviceHandle handle, int timeout_ms) { return shim(handle).wait(timeout_ms); }

int xclRegRead(xclDeviceHandle handle, uint32_t unit, uint32_t offset, uint32_t* value) {
  return unit >= kKernels || offset >= kRegisterBytes ? -EINVAL : shim(handle).attachment().read_register(unit, offset, *value);
}

int xclRegWrite(xclDeviceHandle handle, uint32_t unit, uint32_t offset, uint32_t value) {
  return unit >= kKernels || offset >= kRegisterBytes ? -EINVAL : shim(handle).attachment().write_register(unit, offset, value);
}

int xclGetDeviceInfo2(xclDeviceHandle, xclDeviceInfo2*) { return 0; }

}  // extern "C"
