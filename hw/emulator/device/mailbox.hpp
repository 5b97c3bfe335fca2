// SPDX-License-Identifier: Apache-2.0
// What other threads ask of the one thread that owns the engine, which serves them between two pieces of work. Whoever asks waits, so
// there are never more letters than threads that ask.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace flowstone::card {

class Mailbox {
 public:
  /** Has it done by the owner's thread, and waits until it is. False: the owner is gone. */
  bool ask(std::function<void()> work) {
    std::unique_lock lock(mutex_);
    if (is_closed_) return false;
    Letter letter{std::move(work)};
    letters_.push_back(&letter);
    arrived_.notify_one();
    answered_.wait(lock, [&] { return letter.is_answered || is_closed_; });
    return letter.is_answered;
  }

  /** Owner: answers all that is there. */
  void serve() {
    std::unique_lock lock(mutex_);
    while (!letters_.empty()) {
      Letter* letter = letters_.front();
      letters_.pop_front();
      letter->work();  // under the lock: it is short, and nobody else has anything to do here
      letter->is_answered = true;
      answered_.notify_all();
    }
  }

  /** Owner: sleeps until somebody asks, or until then. */
  template <typename Clock, typename Duration>
  void sleep_until(std::chrono::time_point<Clock, Duration> then) {
    std::unique_lock lock(mutex_);
    arrived_.wait_until(lock, then, [&] { return !letters_.empty() || is_closed_; });
  }

  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    letters_.clear();
    arrived_.notify_all();
    answered_.notify_all();
  }

  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_;
  }

 private:
  struct Letter {
    std::function<void()> work;
    bool is_answered = false;
  };

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable answered_;
  std::deque<Letter*> letters_;
  bool is_closed_ = false;
};

}  // namespace flowstone::card
