// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingStart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ring files in some folders of this host. */
public final class FileRingCatalog implements RingCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(FileRingCatalog.class);

  private final List<String> directories;
  private final String readerName;
  private final String host;

  /** What is known of each file; the file itself is asked again only when it was made anew. */
  private final Map<Path, Sighted> sighted = new HashMap<>();

  private record Sighted(Object fileKey, Optional<RingSighting> sighting) {}

  /**
   * @param directories folders that taps fill
   * @param readerName under which the rings know this reader, now and after a restart
   */
  public FileRingCatalog(List<String> directories, String readerName, String host) {
    this.directories = List.copyOf(directories);
    this.readerName = readerName;
    this.host = host;
  }

  @Override
  public String host() {
    return host;
  }

  @Override
  public List<RingSighting> discover() {
    List<RingSighting> found = new ArrayList<>();
    for (String directory : directories) {
      for (Path file : new RingDirectory(Path.of(directory)).ringFiles()) {
        look(directory, file).ifPresent(found::add);
      }
    }
    return found;
  }

  private Optional<RingSighting> look(String directory, Path file) {
    Object fileKey = fileKey(file);
    Sighted known = sighted.get(file);
    if (known == null || fileKey == null || !fileKey.equals(known.fileKey)) {
      known = new Sighted(fileKey, identify(directory, file));
      sighted.put(file, known);
    }
    return known.sighting;
  }

  private static Object fileKey(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException gone) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot look at the ring file", e);
    }
  }

  private Optional<RingSighting> identify(String directory, Path file) {
    try (RingFile ring = RingFile.open(file)) {
      RingIdentity identity = ring.identity();
      RingName name = new RingName(host, directory, identity.ring());
      return Optional.of(
          new RingSighting(
              name, identity.ringCount(), identity.incarnation(), identity.maxParallelism()));
    } catch (RingFileException unusable) {
      LOG.warn("This ring file is not read: {}", unusable.getMessage());
      return Optional.empty();
    }
  }

  @Override
  public Optional<OpenRing> open(RingName name, RingStart start) {
    Path path = new RingDirectory(Path.of(name.directory())).ringFile(name.ring());
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    RingFile file = RingFile.open(path);
    try {
      return Optional.of(new FileRing(file, RingReader.gating(file, readerName, start)));
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }
}
