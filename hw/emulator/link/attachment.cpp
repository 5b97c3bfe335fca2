// SPDX-License-Identifier: Apache-2.0
#include "attachment.hpp"

#include <dirent.h>
#include <poll.h>

#include <cstdlib>

#include "../device/clock.hpp"

namespace flowstone::card {
namespace {

constexpr const char* kFolderVariable = "FLOWSTONE_CARDS";
constexpr uint64_t kLookNs = 20'000'000;      // so often is the card's process looked for, at most
constexpr uint64_t kFirstSleepNs = 20'000, kLongestSleepNs = 1'000'000;

std::string folder() {
  const char* value = std::getenv(kFolderVariable);
  return value == nullptr ? "" : value;
}

/** The two descriptors of an answer to kHello. False: it has none. */
bool receive_descriptors(int socket, Message& message, int descriptors[2]) {
  iovec piece{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
  msghdr header = {};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  if (recvmsg(socket, &header, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(sizeof message)) return false;
  const cmsghdr* first = CMSG_FIRSTHDR(&header);
  if (first == nullptr || first->cmsg_type != SCM_RIGHTS || first->cmsg_len != CMSG_LEN(2 * sizeof(int))) return false;
  std::memcpy(descriptors, CMSG_DATA(first), 2 * sizeof(int));
  return true;
}

bool is_in_memory(uint64_t address, uint64_t bytes) { return address <= kMemoryBytes && bytes <= kMemoryBytes - address; }

}  // namespace

std::unique_ptr<Attachment> Attachment::open(unsigned number, std::string& problem) {
  const std::string cards = folder();
  if (cards.empty()) {
    problem = std::string("no folder of cards is named: set ") + kFolderVariable + " to the --folder of flowstone-card";
    return nullptr;
  }
  const std::string path = socket_path(cards, number);
  sockaddr_un address;
  if (!fill_address(path, address)) {
    problem = path + " is too long for a socket: choose a shorter folder";
    return nullptr;
  }
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (socket < 0 || connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    problem = "no card at " + path + " (" + std::strerror(errno) + "): start one with flowstone-card --folder " + cards +
              " --number " + std::to_string(number);
    if (socket >= 0) close(socket);
    return nullptr;
  }
  return greet(socket, problem);
}

std::unique_ptr<Attachment> Attachment::greet(int socket, std::string& problem) {
  Message message = {};
  message.request = Request::kHello;
  message.first = kWindowLayout;
  int descriptors[2];
  const bool is_sent = send(socket, &message, sizeof message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof message);
  if (!is_sent || !receive_descriptors(socket, message, descriptors)) {
    problem = message.status == -EPROTO ? "the card is of another build than this library: build both anew and start the card again"
                                        : "the card does not answer: start it again";
    close(socket);
    return nullptr;
  }
  return std::unique_ptr<Attachment>(new Attachment(socket, descriptors[0], descriptors[1]));
}

unsigned Attachment::count() {
  DIR* cards = opendir(folder().c_str());
  if (cards == nullptr) return 0;
  unsigned count = 0;
  while (const dirent* entry = readdir(cards)) {
    char* end = nullptr;
    if (std::strncmp(entry->d_name, "card-", 5) != 0) continue;
    const unsigned long number = std::strtoul(entry->d_name + 5, &end, 10);
    if (*end == '\0' && end != entry->d_name + 5 && number >= count) count = static_cast<unsigned>(number) + 1;
  }
  closedir(cards);
  return count;
}

Attachment::Attachment(int socket, int memory, int window)
    : socket_(socket), memory_(memory, kMemoryBytes), window_(window, sizeof(CardWindow)) {}

Attachment::~Attachment() { close(socket_); }

/** A card that is gone leaves its memory behind, so only the socket tells. */
bool Attachment::is_alive() {
  if (is_gone_.load(std::memory_order_relaxed)) return false;
  const uint64_t now_ns = monotonic_ns();
  if (now_ns - looked_ns_.load(std::memory_order_relaxed) < kLookNs) return true;
  looked_ns_.store(now_ns, std::memory_order_relaxed);
  pollfd look{socket_, POLLRDHUP, 0};
  if (poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) is_gone_ = true;
  return !is_gone_;
}

int Attachment::ask(Message& message) {
  const std::lock_guard lock(mutex_);
  const bool is_answered = !is_gone_ && send(socket_, &message, sizeof message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof message) &&
                           recv(socket_, &message, sizeof message, 0) == static_cast<ssize_t>(sizeof message);
  if (!is_answered) is_gone_ = true;
  return is_answered ? message.status : -ENODEV;
}

int Attachment::load(const Uuid& uuid) {
  Message message = {};
  message.request = Request::kLoad;
  message.uuid = uuid;
  return ask(message);
}

int Attachment::loaded(Uuid& uuid) {
  Message message = {};
  message.request = Request::kUuid;
  const int status = ask(message);
  uuid = message.uuid;
  return status;
}

int Attachment::open_kernel(uint32_t kernel, bool is_exclusive) {
  Message message = {};
  message.request = Request::kOpenKernel;
  message.kernel = kernel;
  message.first = is_exclusive ? 1 : 0;
  return ask(message);
}

int Attachment::close_kernel(uint32_t kernel) {
  Message message = {};
  message.request = Request::kCloseKernel;
  message.kernel = kernel;
  return ask(message);
}

int Attachment::read_register(uint32_t kernel, uint32_t offset_bytes, uint32_t& value) {
  if (!is_alive()) return -ENODEV;
  if (window().engine_answers == 0 && !is_time(kKernelList[kernel].kind, offset_bytes & ~7u)) {
    value = through_bus(window().faults, offset_bytes, registers_of(window(), kernel).read(offset_bytes));
    return 0;
  }
  Message message = {};
  message.request = Request::kRead;
  message.kernel = kernel;
  message.first = offset_bytes;
  const int status = ask(message);
  value = through_bus(window().faults, offset_bytes, static_cast<uint32_t>(message.first));
  return status;
}

int Attachment::write_register(uint32_t kernel, uint32_t offset_bytes, uint32_t value) {
  if (!is_alive()) return -ENODEV;
  if (__atomic_load_n(&window().faults.bus_is_dead, __ATOMIC_RELAXED) != 0) return 0;  // a posted write fails unseen
  if (window().engine_answers == 0 && RegisterFile::is_credit(kKernelList[kernel].kind, offset_bytes)) {
    registers_of(window(), kernel).write_credit(offset_bytes, value);
    return 0;
  }
  Message message = {};
  message.request = Request::kWrite;
  message.kernel = kernel;
  message.first = offset_bytes;
  message.second = value;
  return ask(message);
}

int Attachment::start(uint32_t kernel, const std::vector<RegisterValue>& arguments, uint64_t& ticket) {
  if (arguments.size() > Message::kMostValues) return -E2BIG;
  ticket = __atomic_load_n(&window().completed_runs[kernel], __ATOMIC_ACQUIRE);
  Message message = {};
  message.request = Request::kStart;
  message.kernel = kernel;
  message.value_count = static_cast<uint32_t>(arguments.size());
  for (uint32_t i = 0; i < message.value_count; i++) message.values[i] = arguments[i];
  return ask(message);
}

bool Attachment::has_ended(uint32_t kernel, uint64_t ticket) const {
  return ticket != kNotStarted && __atomic_load_n(&window().completed_runs[kernel], __ATOMIC_ACQUIRE) != ticket;
}

int Attachment::wait(uint32_t kernel, uint64_t ticket, int64_t timeout_ms) {
  const uint64_t end_ns = monotonic_ns() + static_cast<uint64_t>(timeout_ms) * 1'000'000;
  for (uint64_t sleep_ns = kFirstSleepNs; !has_ended(kernel, ticket); sleep_ns = sleep_ns < kLongestSleepNs ? 2 * sleep_ns : sleep_ns) {
    if (!is_alive()) return -ENODEV;
    if (monotonic_ns() >= end_ns) return -ETIME;
    const timespec sleep{0, static_cast<long>(sleep_ns)};
    nanosleep(&sleep, nullptr);
  }
  return 0;
}

int Attachment::allocate(uint64_t bytes, uint32_t bank, uint64_t& address) {
  Message message = {};
  message.request = Request::kAllocate;
  message.first = bytes;
  message.second = bank;
  const int status = ask(message);
  address = message.first;
  return status;
}

int Attachment::free(uint64_t address) {
  Message message = {};
  message.request = Request::kFree;
  message.first = address;
  return ask(message);
}

int Attachment::copy_to_card(uint64_t address, const void* from, uint64_t bytes) {
  if (!is_alive()) return -ENODEV;
  if (!is_in_memory(address, bytes)) return -EINVAL;
  if (__atomic_load_n(&window().faults.bus_is_dead, __ATOMIC_RELAXED) != 0) return -EIO;
  std::memcpy(memory_.address() + address, from, bytes);
  return 0;
}

int Attachment::copy_from_card(uint64_t address, void* to, uint64_t bytes) {
  if (!is_alive()) return -ENODEV;
  if (!is_in_memory(address, bytes)) return -EINVAL;
  if (sync_fails(window().faults)) return -EIO;
  std::memcpy(to, memory_.address() + address, bytes);
  return 0;
}

HostBuffer::HostBuffer(uint64_t bytes) : bytes_(whole_pages(bytes)), address_(nullptr) {
  void* address = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return;
  address_ = static_cast<uint8_t*>(address);
  madvise(address_, bytes_, MADV_HUGEPAGE);
  fill_with_plausible_records(address_, bytes_);
}

HostBuffer::~HostBuffer() {
  if (address_ != nullptr) munmap(address_, bytes_);
}

}  // namespace flowstone::card
