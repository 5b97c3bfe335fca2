// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * Where the parts are of the demo that this user runs on this machine: a file while it runs, so
 * that SQL, notebooks and others need not be told. Of several demos the one that began last is
 * found.
 *
 * @param pid of the demo
 * @param flink {@code http://HOST:PORT}
 * @param kafka bootstrap servers
 * @param questdb {@code http://HOST:PORT}; null: it does without
 * @param questdbSql {@code HOST:PORT} of PostgreSQL's protocol; null: it does without
 * @param rings folder of ring files
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DemoAddresses(
    long pid,
    String flink,
    String kafka,
    String topic,
    String resultsTopic,
    String questdb,
    String questdbSql,
    String rings) {
  private static final String FOLDER = "FLOWSTONE_STATE";
  private static final String FILE = "demo.json";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Where the launcher says that files are that outlive a run; empty: a user without a home. */
  public static Optional<Path> usualFile() {
    return Optional.ofNullable(System.getenv(FOLDER)).map(folder -> Path.of(folder, FILE));
  }

  /** Of a demo that runs; empty: none does. */
  public static Optional<DemoAddresses> find() throws IOException {
    Optional<Path> file = usualFile();
    return file.isPresent() ? read(file.get()).filter(DemoAddresses::isAlive) : Optional.empty();
  }

  /** Empty: nobody wrote it. */
  static Optional<DemoAddresses> read(Path file) throws IOException {
    try {
      return Optional.of(JSON.readValue(Files.readAllBytes(file), DemoAddresses.class));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    } catch (JsonProcessingException e) {
      throw new IOException(
          file + " does not say where a demo's parts are: remove it, and start the demo again", e);
    }
  }

  /** A demo that was killed has left its file. */
  boolean isAlive() {
    return ProcessHandle.of(pid).isPresent();
  }

  /** Whoever reads it finds all of it. The folder is made if need be. */
  public void write(Path file) throws IOException {
    Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
    Path whole = Files.createTempFile(folder, FILE, null);
    Files.write(whole, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this));
    Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Removes the file, unless another demo has written there since. */
  public void remove(Path file) throws IOException {
    if (read(file).filter(this::equals).isPresent()) {
      Files.deleteIfExists(file);
    }
  }
}
