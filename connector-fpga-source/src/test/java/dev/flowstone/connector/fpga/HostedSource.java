// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingCatalog;
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.offheap.ring.RingStart;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The source in one process, whose subtasks believe themselves on hosts of their own. */
final class HostedSource extends CatalogSource {
  private static final long serialVersionUID = 1L;

  private final List<Host> hosts;

  /**
   * A host.
   *
   * @param name what it is called
   * @param folder what is really there where all hosts have their one ring folder
   */
  record Host(String name, String folder) implements Serializable {
    Host(String name, Path folder) {
      this(name, folder.toString());
    }
  }

  /**
   * @param hosts that of each subtask
   */
  HostedSource(FpgaSource source, Host... hosts) {
    super(source);
    this.hosts = List.of(hosts);
  }

  @Override
  RingCatalog catalog(int subtask) {
    Host host = hosts.get(subtask);
    return new OtherPath(
        fileCatalog(List.of(host.folder()), host.name()), options().ringDirectories().getFirst());
  }

  /** Calls the folder by the path that it would have if this were its host. */
  private record OtherPath(RingCatalog there, String directory) implements RingCatalog {
    @Override
    public String host() {
      return there.host();
    }

    @Override
    public List<RingSighting> discover() {
      return there.discover().stream().map(this::renamed).toList();
    }

    private RingSighting renamed(RingSighting seen) {
      return new RingSighting(
          seen.stream(),
          new RingName(seen.name().host(), directory, seen.name().ring()),
          seen.ringCount(),
          seen.incarnation(),
          seen.ancestors(),
          seen.isTapAlive());
    }

    @Override
    public Optional<OpenRing> open(long stream, RingStart start) {
      return there.open(stream, start);
    }
  }
}
