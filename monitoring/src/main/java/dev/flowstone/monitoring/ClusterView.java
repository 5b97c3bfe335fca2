// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;

/** A cluster as its REST interface shows it. */
public final class ClusterView {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Of whatever is looked for in it. */
  static final JsonNode NOTHING = MissingNode.getInstance();

  private final TimelyHttp http = new TimelyHttp(ANSWER_LIMIT);
  private final String address;

  private ClusterView(String address) {
    this.address = address;
  }

  /** The one at that host and port. */
  public static ClusterView at(String address) {
    return new ClusterView("http://" + address);
  }

  /** The one whose web UI has that address. */
  public static ClusterView ofWeb(String url) {
    return new ClusterView(url);
  }

  /** The one that is configured so. */
  public static ClusterView of(Configuration configuration) {
    return at(configuration.get(RestOptions.ADDRESS) + ":" + configuration.get(RestOptions.PORT));
  }

  public String address() {
    return address;
  }

  /** What a running job's page is called. */
  public String pageOf(String jobId) {
    return address + "/#/job/running/" + jobId + "/overview";
  }

  /**
   * One of its jobs.
   *
   * @param id as Flink writes it
   * @param state such as RUNNING
   * @param startMs when it was sent there
   */
  public record Job(String id, String name, String state, long startMs) {

    /** Whether it runs, or may do so again. */
    public boolean isAtWork() {
      return !JobStatus.valueOf(state).isTerminalState();
    }
  }

  /** Empty: nobody answers. */
  public Optional<JsonNode> overview() throws InterruptedException {
    return ask("/overview");
  }

  /** Slots of all TaskManagers that the JobManager knows; empty: nobody answers. */
  public Optional<Integer> slots() throws InterruptedException {
    return overview().map(overview -> overview.path("slots-total").asInt());
  }

  /** Also those that have ended, as long as Flink remembers them; empty: nobody answers. */
  public Optional<List<Job>> jobs() throws InterruptedException {
    return ask("/jobs/overview").map(all -> jobs(all.path("jobs")));
  }

  private static List<Job> jobs(JsonNode all) {
    List<Job> jobs = new ArrayList<>();
    for (JsonNode job : all) {
      jobs.add(
          new Job(
              job.path("jid").asText(),
              job.path("name").asText(),
              job.path("state").asText(),
              job.path("start-time").asLong()));
    }
    return jobs;
  }

  /** What it answers; empty: nothing, or that there is no such thing. */
  public Optional<JsonNode> ask(String path) throws InterruptedException {
    try {
      HttpResponse<String> answer = http.get(URI.create(address + path));
      return answer.statusCode() == 200
          ? Optional.of(JSON.readTree(answer.body()))
          : Optional.empty();
    } catch (IOException nobody) {
      return Optional.empty();
    }
  }
}
