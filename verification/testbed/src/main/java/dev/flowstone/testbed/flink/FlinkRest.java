// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.flink;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

/** What Flink's web UI asks its JobManager. One thread. */
public final class FlinkRest implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final long POLL_INTERVAL_MS = 100;
  private static final String BOUNDARY = "jar-and-nothing-else";

  private final HttpClient http = HttpClient.newHttpClient();
  private final String address;

  public FlinkRest(String address) {
    this.address = address;
  }

  public String address() {
    return address;
  }

  /** What the JobManager calls the jar from then on. */
  public String upload(Path jar) throws Exception {
    String head =
        "--%s\r\nContent-Disposition: form-data; name=\"jarfile\"; filename=\"%s\"\r\nContent-Type: application/java-archive\r\n\r\n"
            .formatted(BOUNDARY, jar.getFileName());
    BodyPublisher form =
        BodyPublishers.concat(
            BodyPublishers.ofString(head),
            BodyPublishers.ofFile(jar),
            BodyPublishers.ofString("\r\n--" + BOUNDARY + "--\r\n"));
    JsonNode answer = post("/jars/upload", "multipart/form-data; boundary=" + BOUNDARY, form);
    return Path.of(answer.path("filename").asText()).getFileName().toString();
  }

  /** The job's id. */
  public String run(String jar, String request) throws Exception {
    return post(
            "/jars/" + jar + "/run", "application/json", BodyPublishers.ofString(request, UTF_8))
        .path("jobid")
        .asText();
  }

  private JsonNode post(String path, String type, BodyPublisher body) throws Exception {
    return ask(
        HttpRequest.newBuilder(URI.create(address + path))
            .header("Content-Type", type)
            .POST(body)
            .build());
  }

  /** What its web UI offers. */
  public JsonNode features() throws Exception {
    return ask(HttpRequest.newBuilder(URI.create(address + "/config")).build()).path("features");
  }

  /** Returns when it answers and has so many slots. */
  void awaitSlots(int slots) throws Exception {
    HttpRequest question = HttpRequest.newBuilder(URI.create(address + "/overview")).build();
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    int found = 0;
    while (found < slots) {
      assertThat(System.nanoTime() - deadlineNs).as("slots of %s: %d", address, found).isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
      try {
        found = ask(question).path("slots-total").asInt();
      } catch (IOException notYet) {
        found = 0;
      }
    }
  }

  /** The id of the one job that was ever sent there. */
  public String onlyJob() throws Exception {
    JsonNode jobs = ask(HttpRequest.newBuilder(URI.create(address + "/jobs")).build()).path("jobs");
    assertThat(jobs).hasSize(1);
    return jobs.get(0).path("id").asText();
  }

  /** Returns when the job has come to a good end. */
  public void awaitFinished(String job) throws Exception {
    awaitFinished(job, LIMIT);
  }

  /** Returns when the job has come to a good end. */
  public void awaitFinished(String job, Duration limit) throws Exception {
    HttpRequest question = HttpRequest.newBuilder(URI.create(address + "/jobs/" + job)).build();
    long deadlineNs = System.nanoTime() + limit.toNanos();
    String state = ask(question).path("state").asText();
    while (!state.equals("FINISHED")) {
      if (System.nanoTime() - deadlineNs >= 0) {
        throw new AssertionError(
            "waiting for its end, it is %s: %s".formatted(state, JobStanding.of(job, this)));
      }
      Thread.sleep(POLL_INTERVAL_MS);
      state = ask(question).path("state").asText();
    }
  }

  /** What made Flink restart it, as it tells. */
  public String failures(String job) throws Exception {
    return get("/jobs/" + job + "/exceptions").path("exceptionHistory").toString();
  }

  /** What it says there. */
  public JsonNode get(String path) throws Exception {
    return ask(HttpRequest.newBuilder(URI.create(address + path)).build());
  }

  /**
   * Returns when the job has one checkpoint more than now; the JobManager may be away meanwhile.
   */
  public void awaitNextCheckpoint(String job) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    long known = newestCheckpoint(job);
    long newest = known;
    while (newest <= known || known < 0) {
      assertThat(System.nanoTime() - deadlineNs).as("waiting for a checkpoint").isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
      newest = newestCheckpoint(job);
      known = known < 0 ? newest : known;
    }
  }

  /** Its number; -1 if there is none or nobody answers. */
  private long newestCheckpoint(String job) throws InterruptedException {
    try {
      HttpRequest question =
          HttpRequest.newBuilder(URI.create(address + "/jobs/" + job + "/checkpoints")).build();
      String answer = http.send(question, HttpResponse.BodyHandlers.ofString()).body();
      JsonNode latest = new ObjectMapper().readTree(answer).path("latest").path("completed");
      return latest.path("id").asLong(-1);
    } catch (IOException away) {
      return -1;
    }
  }

  /** Asks again while the cluster chooses its leader, as it does when it begins. */
  private JsonNode ask(HttpRequest question) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    HttpResponse<String> answer = http.send(question, HttpResponse.BodyHandlers.ofString());
    while (answer.statusCode() == HttpURLConnection.HTTP_UNAVAILABLE
        && System.nanoTime() - deadlineNs < 0) {
      Thread.sleep(POLL_INTERVAL_MS);
      answer = http.send(question, HttpResponse.BodyHandlers.ofString());
    }
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new ObjectMapper().readTree(answer.body());
  }

  @Override
  public void close() {
    http.close();
  }
}
