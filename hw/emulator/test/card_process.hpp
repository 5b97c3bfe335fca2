// SPDX-License-Identifier: Apache-2.0
// A flowstone-card of the test's own, in a folder of the test's own.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"

namespace flowstone::card::test {

/** Where the programs under test are: set by main. */
inline std::string build_folder;
inline std::string card_program = "flowstone-card";

/** Removed with all that is in it. */
class CardFolder {
 public:
  CardFolder() {
    char name[] = "/tmp/flowstone-cards-XXXXXX";
    path_ = mkdtemp(name);
    setenv("FLOWSTONE_CARDS", path_.c_str(), 1);
  }
  ~CardFolder() {
    const std::string command = "rm -rf '" + path_ + "'";
    if (std::system(command.c_str()) != 0) std::printf("%s is still there\n", path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class CardProcess {
 public:
  CardProcess(const CardFolder& folder, std::vector<std::string> options, unsigned number = 0)
      : state_path_(folder.path() + "/card-" + std::to_string(number) + ".state") {
    options.insert(options.begin(), {build_folder + "/" + card_program, "--folder", folder.path(), "--number", std::to_string(number)});
    int ends[2];
    if (pipe(ends) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);  // no card outlives a test that crashed
      dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      std::vector<char*> arguments;
      for (std::string& option : options) arguments.push_back(option.data());
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    ::close(ends[1]);
    output_ = fdopen(ends[0], "r");
    char line[512];
    is_ready_ = std::fgets(line, sizeof line, output_) != nullptr && std::strstr(line, "is ready") != nullptr;
    CHECK(is_ready_);
  }
  ~CardProcess() {
    if (process_ > 0) end(SIGTERM);
    if (output_ != nullptr) std::fclose(output_);
  }
  CardProcess(const CardProcess&) = delete;
  CardProcess& operator=(const CardProcess&) = delete;

  bool is_ready() const { return is_ready_; }

  /** Returns what waitpid says of it. */
  int end(int signal) {
    kill(process_, signal);
    return await_end();
  }

  int await_end() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }

  /** A line of its state, empty if there is none. */
  std::string state(const std::string& name) const {
    std::ifstream file(state_path_);
    for (std::string line; std::getline(file, line);) {
      if (line.rfind(name + "=", 0) == 0) return line.substr(name.size() + 1);
    }
    return "";
  }

  /** A number of its state, which has to have such a line. */
  uint64_t number(const std::string& name) const {
    const std::string told = state(name);
    if (told.empty()) std::printf("the card's state has no line %s\n", name.c_str());
    CHECK(!told.empty());
    return std::strtoull(told.c_str(), nullptr, 10);
  }

  uint64_t cpu_ms() const { return number("cpu-ms"); }

  bool await_state(const std::string& name, const std::string& value) const {
    for (int i = 0; i < 200; i++) {
      if (state(name) == value) return true;
      usleep(50'000);
    }
    std::printf("%s is \"%s\" still, not \"%s\"\n", name.c_str(), state(name).c_str(), value.c_str());
    return false;
  }

  uint64_t faults(const std::string& name) const {
    usleep(500'000);  // the latest state is no older, on a machine that has time for it
    return number("fault." + name);
  }

 private:
  std::string state_path_;
  pid_t process_ = -1;
  std::FILE* output_ = nullptr;
  bool is_ready_ = false;
};

}  // namespace flowstone::card::test
