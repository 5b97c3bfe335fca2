// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <poll.h>

#include <stdexcept>

namespace flowstone::card {
namespace {

constexpr int kMostWaitingClients = 16;

/** Never waits: a program that asks and does not listen must not hold up the others. */
bool send_message(int socket, const Message& message) {
  return send(socket, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(sizeof message);
}

}  // namespace

CardServer::CardServer(Card& card, const std::string& path) : card_(card), path_(path) {
  sockaddr_un address;
  if (!fill_address(path, address)) throw std::runtime_error(path + " is too long for a socket: choose a shorter --folder");
  unlink(path.c_str());  // whoever holds the card's lock may
  listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0 || bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, kMostWaitingClients) != 0) {
    throw std::runtime_error("cannot listen at " + path + ": " + std::strerror(errno));
  }
}

CardServer::~CardServer() {
  unlink(path_.c_str());
  close(listener_);
  for (Client& client : clients_) close(client.socket);
}

void CardServer::serve(int timeout_ms, int wake) {
  std::vector<pollfd> looks{{wake, POLLIN, 0}, {listener_, POLLIN, 0}};
  for (const Client& client : clients_) looks.push_back({client.socket, POLLIN, 0});
  if (poll(looks.data(), looks.size(), timeout_ms) <= 0) return;
  size_t look = 2;
  for (auto client = clients_.begin(); client != clients_.end(); look++) {
    if (looks[look].revents == 0 || serve(*client)) {
      client++;
    } else {
      leave(*client);
      client = clients_.erase(client);
    }
  }
  if (looks[1].revents != 0) accept_client();
}

void CardServer::accept_client() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket >= 0) clients_.push_back({socket, {}, {}});
}

/** False: the client is gone, or says what no library of ours would. */
bool CardServer::serve(Client& client) {
  Message message;
  const ssize_t received = recv(client.socket, &message, sizeof message, MSG_DONTWAIT);
  if (received < 0) return errno == EAGAIN || errno == EINTR;
  if (received != static_cast<ssize_t>(sizeof message)) return false;
  if (message.request == Request::kHello) {
    greet(client, message);
    return true;
  }
  if (has_kernel(message.request) && message.kernel >= card_.design().kernels) {
    message.status = -EINVAL;
  } else {
    answer(client, message);
  }
  return send_message(client.socket, message);
}

void CardServer::leave(Client& client) {
  for (const uint64_t address : client.addresses) card_.memory().free(address);
  close(client.socket);
}

void CardServer::greet(Client& client, const Message& asked) {
  Message message = asked;
  if (asked.first != kWindowLayout) {
    message.status = -EPROTO;
    send_message(client.socket, message);
    return;
  }
  message.status = 0;
  message.first = static_cast<uint64_t>(getpid());
  const int descriptors[2] = {card_.memory().descriptor(), card_.window_descriptor()};
  iovec piece{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr header = {};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* first = CMSG_FIRSTHDR(&header);
  first->cmsg_level = SOL_SOCKET;
  first->cmsg_type = SCM_RIGHTS;
  first->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(first), descriptors, sizeof descriptors);
  sendmsg(client.socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void CardServer::answer(Client& client, Message& message) {
  message.status = 0;
  switch (message.request) {
    case Request::kLoad:
      message.status = load(client, message.uuid);
      break;
    case Request::kUuid:
      message.uuid = uuid_;
      break;
    case Request::kOpenKernel:
      message.status = open_kernel(client, message.kernel, message.first != 0);
      break;
    case Request::kCloseKernel:
      message.status = close_kernel(client, message.kernel);
      break;
    case Request::kAllocate:
      message.status = allocate(client, message.first, message.second, message.first);
      break;
    case Request::kFree:
      message.status = free(client, message.first);
      break;
    case Request::kRead: {
      uint32_t value = 0;
      if (!card_.read(message.kernel, static_cast<uint32_t>(message.first), value)) message.status = -EIO;
      message.first = value;
      break;
    }
    case Request::kWrite:
      if (!card_.write(message.kernel, static_cast<uint32_t>(message.first), static_cast<uint32_t>(message.second))) {
        message.status = -EIO;
      }
      break;
    case Request::kStart:
      if (message.value_count > Message::kMostValues || client.contexts[message.kernel] == Context::kNone) {
        message.status = -EINVAL;
      } else if (!card_.start(message.kernel, {message.values, message.values + message.value_count})) {
        message.status = -EBUSY;
      }
      break;
    default:
      message.status = -ENOSYS;
  }
}

/** The one xclbin of this design. It stays when a program goes, and is not loaded again while it is there. */
int CardServer::load(const Client& client, const Uuid& uuid) {
  if (uuid != uuid_of(card_.design())) return -EINVAL;
  if (is_loaded_) return 0;
  for (const Client& other : clients_) {
    if (&other == &client) continue;
    for (const Context context : other.contexts) {
      if (context != Context::kNone) return -EBUSY;
    }
  }
  uuid_ = uuid;
  is_loaded_ = true;
  return 0;
}

int CardServer::open_kernel(Client& client, uint32_t kernel, bool is_exclusive) {
  if (!is_loaded_) return -ENOENT;
  for (const Client& other : clients_) {
    if (other.contexts[kernel] == Context::kExclusive || (is_exclusive && other.contexts[kernel] != Context::kNone)) return -EBUSY;
  }
  client.contexts[kernel] = is_exclusive ? Context::kExclusive : Context::kShared;
  return 0;
}

int CardServer::close_kernel(Client& client, uint32_t kernel) {
  if (client.contexts[kernel] == Context::kNone) return -EINVAL;
  client.contexts[kernel] = Context::kNone;
  return 0;
}

int CardServer::allocate(Client& client, uint64_t bytes, uint64_t bank, uint64_t& address) {
  if (bank >= card_.design().banks || bytes == 0) return -EINVAL;
  const std::optional<uint64_t> found = card_.memory().allocate(static_cast<uint32_t>(bank), bytes);
  if (!found) return -ENOMEM;
  client.addresses.insert(*found);
  address = *found;
  return 0;
}

int CardServer::free(Client& client, uint64_t address) {
  if (client.addresses.erase(address) == 0) return -EINVAL;
  card_.memory().free(address);
  return 0;
}

}  // namespace flowstone::card
