// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.processes.ServerProcess;
import dev.flowstone.questdb.process.QuestDbProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A server that Flowstone can run on this machine. */
enum Server {
  BROKER("broker", "broker.log") {
    @Override
    ServerProcess start(Path folder, List<Integer> ports) throws IOException, InterruptedException {
      return BrokerProcess.start(BrokerOptions.in(folder).onPort(ports.getFirst()));
    }

    @Override
    List<String> addresses(List<Integer> ports) {
      return List.of("Kafka    " + LoopbackPorts.HOST + ":" + ports.getFirst());
    }

    @Override
    public String toString() {
      return "Kafka broker";
    }
  },

  QUESTDB("questdb", "questdb.out") {
    @Override
    ServerProcess start(Path folder, List<Integer> ports) throws IOException, InterruptedException {
      return QuestDbProcess.start(folder, ports.getFirst(), ports.getLast());
    }

    @Override
    List<String> addresses(List<Integer> ports) {
      return List.of(
          "HTTP     http://" + LoopbackPorts.HOST + ":" + ports.getFirst(),
          "SQL      " + LoopbackPorts.HOST + ":" + ports.getLast());
    }

    @Override
    public String toString() {
      return "QuestDB";
    }
  };

  /** Of its command and of its folder. */
  private final String word;

  private final String logFile;

  Server(String word, String logFile) {
    this.word = word;
    this.logFile = logFile;
  }

  String word() {
    return word;
  }

  Path log(Path folder) {
    return folder.resolve(logFile);
  }

  /** Starts the server and returns when it answers. The ports are free ones. */
  abstract ServerProcess start(Path folder, List<Integer> ports)
      throws IOException, InterruptedException;

  /** Returns a line for each port. */
  abstract List<String> addresses(List<Integer> ports);
}
