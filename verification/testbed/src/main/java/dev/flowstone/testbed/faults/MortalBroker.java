// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import java.io.IOException;
import java.nio.file.Path;

/** A broker that dies by SIGKILL and comes back where it was. Its maker closes it. */
public final class MortalBroker implements MortalProcess, AutoCloseable {
  private final BrokerOptions options;
  private BrokerProcess process;

  private MortalBroker(BrokerOptions options, BrokerProcess process) {
    this.options = options;
    this.process = process;
  }

  public static MortalBroker start(Path folder) throws IOException, InterruptedException {
    BrokerOptions options = BrokerOptions.in(folder);
    BrokerProcess process = BrokerProcess.start(options);
    return new MortalBroker(options.onPort(process.port()), process);
  }

  public String bootstrapServers() {
    return process.bootstrapServers();
  }

  @Override
  public ProcessHandle handle() {
    return process.handle();
  }

  /** Returns when it accepts connections. */
  @Override
  public void startAgain() throws IOException, InterruptedException {
    process = BrokerProcess.start(options);
  }

  @Override
  public void close() {
    process.close();
  }
}
