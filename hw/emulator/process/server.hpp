// SPDX-License-Identifier: Apache-2.0
// Lets programs at the card by a socket, and takes back what they had when they go, whether they say so or die.
#pragma once

#include <list>
#include <set>
#include <string>

#include "../link/messages.hpp"

namespace flowstone::card {

class CardServer {
 public:
  /** Listens at the path; a socket that a dead card left there is removed. Throws std::runtime_error. */
  CardServer(Card& card, const std::string& path);
  ~CardServer();
  CardServer(const CardServer&) = delete;
  CardServer& operator=(const CardServer&) = delete;

  /** Serves for so long at most; returns at once when the descriptor is readable. */
  void serve(int timeout_ms, int wake);

  size_t client_count() const { return clients_.size(); }
  bool is_loaded() const { return is_loaded_; }

 private:
  enum class Context { kNone, kShared, kExclusive };
  struct Client {
    int socket;
    std::array<Context, kKernels> contexts{};
    std::set<uint64_t> addresses;
  };

  void accept_client();
  bool serve(Client& client);
  void leave(Client& client);
  void greet(Client& client, const Message& message);
  void answer(Client& client, Message& message);
  int load(const Client& client, const Uuid& uuid);
  int open_kernel(Client& client, uint32_t kernel, bool is_exclusive);
  int close_kernel(Client& client, uint32_t kernel);
  int allocate(Client& client, uint64_t bytes, uint64_t bank, uint64_t& address);
  int free(Client& client, uint64_t address);

  Card& card_;
  const std::string path_;
  int listener_;
  std::list<Client> clients_;
  Uuid uuid_{};
  bool is_loaded_ = false;
};

}  // namespace flowstone::card
