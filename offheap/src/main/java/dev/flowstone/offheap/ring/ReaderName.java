// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.RingLaneLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name by which a reader finds its lane again, and the job that it reads for, if any: no other
 * job takes the lane while that one lives. In a lane stands {@code name}, or {@code name#ID JOB}
 * with the first digits of the job's id and as much of its name as there is room for.
 */
public record ReaderName(String name, Optional<Job> job) {
  private static final int ID_DIGITS = 8;
  private static final char SEPARATOR = '#';
  private static final int MOST_BYTES = RingLaneLayout.NAME_LENGTH;
  private static final int MOST_BYTES_WITH_JOB = MOST_BYTES - 1 - ID_DIGITS;
  private static final Pattern OF_A_JOB =
      Pattern.compile("([^#]+)#([0-9a-f]{" + ID_DIGITS + "})(?: (.*))?", Pattern.DOTALL);

  /**
   * Whose reader it is.
   *
   * @param id the first eight digits of what Flink calls the job's id, in hexadecimal
   * @param name for people; may be cut short, or empty
   */
  public record Job(String id, String name) {
    public Job {
      id = id.substring(0, ID_DIGITS).toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
      return name.isEmpty() ? "job " + id : "job \"" + name + "\" (" + id + ")";
    }
  }

  public ReaderName {
    int mostBytes = job.isPresent() ? MOST_BYTES_WITH_JOB : MOST_BYTES;
    int lengthBytes = lengthBytes(name);
    if (lengthBytes < 1 || lengthBytes > mostBytes) {
      throw new IllegalArgumentException(
          "a reader's name has 1 to %d bytes of UTF-8, not %d: %s"
              .formatted(mostBytes, lengthBytes, name));
    }
    if (job.isPresent() && name.indexOf(SEPARATOR) >= 0) {
      throw new IllegalArgumentException("the name of a job's reader must not contain #: " + name);
    }
  }

  /** Of a reader that belongs to no job: whoever bears the name takes the lane over. */
  public static ReaderName of(String name) {
    return new ReaderName(name, Optional.empty());
  }

  /**
   * Of a job's reader.
   *
   * @throws IllegalArgumentException if there is no room for it beside a job, or it has a #
   */
  public static ReaderName ofJob(String name, Job job) {
    return new ReaderName(name, Optional.of(job));
  }

  /** What a lane says. */
  static ReaderName parse(String text) {
    Matcher parts = OF_A_JOB.matcher(text);
    if (!parts.matches() || lengthBytes(parts.group(1)) > MOST_BYTES_WITH_JOB) {
      return new ReaderName(text.isEmpty() ? "?" : text, Optional.empty());
    }
    String jobName = Optional.ofNullable(parts.group(3)).orElse("");
    return ofJob(parts.group(1), new Job(parts.group(2), jobName));
  }

  /** What a lane is to say: no longer than it has room for. */
  String laneText() {
    return job.map(reads -> cut(name + SEPARATOR + reads.id() + " " + reads.name())).orElse(name);
  }

  /** Cut between characters. */
  private static String cut(String text) {
    CharBuffer characters = CharBuffer.wrap(text);
    StandardCharsets.UTF_8.newEncoder().encode(characters, ByteBuffer.allocate(MOST_BYTES), true);
    return text.substring(0, characters.position()).strip();
  }

  private static int lengthBytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  boolean isNamesakeOf(ReaderName other) {
    return name.equals(other.name);
  }

  /** Whether both are one job's, or one of them is nobody's: then the name alone counts. */
  boolean mayTakeOverFrom(ReaderName other) {
    return job.isEmpty() || other.job.isEmpty() || job.get().id().equals(other.job.get().id());
  }

  @Override
  public String toString() {
    return name + job.map(reads -> " of " + reads).orElse("");
  }
}
