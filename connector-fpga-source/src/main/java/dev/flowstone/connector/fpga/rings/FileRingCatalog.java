// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.model.abi.RingContent;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingLineage;
import dev.flowstone.offheap.ring.RingStart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ring files in some folders of this host. */
public final class FileRingCatalog implements RingCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(FileRingCatalog.class);

  private final List<String> directories;
  private final int content;
  private final LaneUse lane;
  private final String host;
  private final Unusable unusable;

  /**
   * What is known of each file. One that is a ring is asked again only when it was made anew, one
   * that is none also when its rights or its content changed.
   */
  private final Map<Path, Sighted> sighted = new HashMap<>();

  private record Sighted(FileVersion version, Optional<RingSighting> sighting) {
    Sighted withTapAlive(boolean isTapAlive) {
      return new Sighted(
          version,
          sighting.map(
              seen ->
                  new RingSighting(
                      seen.stream(),
                      seen.name(),
                      seen.ringCount(),
                      seen.incarnation(),
                      seen.ancestors(),
                      isTapAlive)));
    }

    boolean holdsFor(FileVersion now) {
      return sighting.isPresent() ? now.key().equals(version.key()) : now.equals(version);
    }
  }

  /** Which file has the name, and when it was last changed in any way. */
  private record FileVersion(Object key, Object changed) {}

  /** What to do with a file that has a ring's name but is none that can be read. */
  public enum Unusable {
    /** Left out, and said: another tap may put a good one in its place. */
    LEFT_OUT,
    /** An error: who waits for the end of all rings would wait for ever. */
    REFUSED
  }

  /**
   * @param directories folders that taps fill
   * @param content what the rings must hold, a {@link RingContent}
   */
  public FileRingCatalog(
      List<String> directories, int content, LaneUse lane, String host, Unusable unusable) {
    this.directories = List.copyOf(directories);
    this.content = content;
    this.lane = lane;
    this.host = host;
    this.unusable = unusable;
  }

  @Override
  public String host() {
    return host;
  }

  @Override
  public List<RingSighting> discover() {
    List<RingSighting> found = new ArrayList<>();
    Set<Path> there = new HashSet<>();
    for (String directory : directories) {
      RingDirectory folder = new RingDirectory(Path.of(directory));
      List<Path> files = folder.ringFiles();
      there.addAll(files);
      boolean isTapAlive = !files.isEmpty() && folder.hasTap();
      for (Path file : files) {
        look(directory, file, isTapAlive).ifPresent(found::add);
      }
    }
    // A new file may have the number of one that is gone.
    sighted.keySet().retainAll(there);
    return found;
  }

  private Optional<RingSighting> look(String directory, Path file, boolean isTapAlive) {
    Optional<FileVersion> version = version(file);
    if (version.isEmpty()) {
      sighted.remove(file);
      return Optional.empty();
    }
    Sighted known = sighted.get(file);
    if (known == null || !known.holdsFor(version.get())) {
      known = new Sighted(version.get(), identify(directory, file, isTapAlive));
    } else {
      known = known.withTapAlive(isTapAlive);
    }
    sighted.put(file, known);
    return known.sighting;
  }

  /** Empty: the file is gone. */
  private static Optional<FileVersion> version(Path file) {
    try {
      Map<String, Object> attributes = Files.readAttributes(file, "unix:fileKey,ctime");
      return Optional.of(new FileVersion(attributes.get("fileKey"), attributes.get("ctime")));
    } catch (NoSuchFileException gone) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot look at the ring file", e);
    }
  }

  private Optional<RingSighting> identify(String directory, Path file, boolean isTapAlive) {
    try (RingFile ring = RingFile.open(file)) {
      requireContent(ring);
      RingIdentity identity = ring.identity();
      if (!file.equals(new RingDirectory(Path.of(directory)).ringFile(identity.ring()))) {
        throw new RingFileException(
            file + ": by its header it is ring " + identity.ring() + "; give it its name back");
      }
      return Optional.of(
          new RingSighting(
              identity.stream(),
              new RingName(host, directory, identity.ring()),
              identity.ringCount(),
              identity.incarnation(),
              ring.lineage().ancestors().stream().map(RingLineage.Ancestor::incarnation).toList(),
              isTapAlive));
    } catch (RingFileException e) {
      if (unusable == Unusable.REFUSED && !isGone(e)) {
        throw e;
      }
      LOG.warn("This ring file is not read: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private void requireContent(RingFile ring) {
    int found = ring.identity().content();
    if (found != content) {
      throw new RingFileException(
          ring.path()
              + ": holds "
              + RingContent.nameOf(found)
              + " records, this source reads "
              + RingContent.nameOf(content)
              + "; give each kind of tap a folder of its own");
    }
  }

  private static boolean isGone(RingFileException e) {
    return e.getCause() instanceof NoSuchFileException;
  }

  @Override
  public Optional<OpenRing> open(long stream, RingStart start) {
    return find(stream).flatMap(FileRingCatalog::file).flatMap(file -> open(file, stream, start));
  }

  private Optional<Path> find(long stream) {
    return discover().stream()
        .filter(seen -> seen.stream() == stream)
        .reduce(RingSighting::newer)
        .map(RingSighting::name)
        .map(name -> new RingDirectory(Path.of(name.directory())).ringFile(name.ring()));
  }

  private static Optional<RingFile> file(Path path) {
    try {
      return Optional.of(RingFile.open(path));
    } catch (RingFileException e) {
      if (isGone(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Optional<OpenRing> open(RingFile file, long stream, RingStart start) {
    try {
      requireContent(file);
      if (file.identity().stream() != stream) {
        sighted.remove(file.path()); // exchanged since it was found
        file.close();
        return Optional.empty();
      }
      return Optional.of(
          lane.isGating() ? GatedRing.of(file, start, lane) : ObservedRing.of(file, start, lane));
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }
}
