// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import dev.flowstone.processes.LoopbackPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A port on localhost. */
public record LocalPort(int number) {
  public static final int MOST = 65_535;

  /**
   * One that nobody has now; of any that is chosen here, no other that chooses its port so takes it
   * before it is bound.
   *
   * @param number which; 0: any
   * @param option by which the user chose it
   */
  public static LocalPort requireFree(int number, String option) throws IOException {
    if (number == 0) {
      return new LocalPort(LoopbackPorts.claimFree());
    }
    return requireFree(InetAddress.getLoopbackAddress(), number, option);
  }

  /** The same of a certain port at an address of this machine. */
  static LocalPort requireFree(InetAddress address, int number, String option) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(address, number));
      return new LocalPort(number);
    } catch (IOException e) {
      throw new IOException("port " + number + " is taken; choose another with " + option, e);
    }
  }
}
