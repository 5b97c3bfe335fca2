// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks over HTTP and waits for the whole answer no longer than that: what the JDK has for this may
 * end with the answer's head, and a body that never comes would be waited for for ever. Any thread.
 */
public final class TimelyHttp {
  private final Duration limit;
  private final HttpClient http;

  public TimelyHttp(Duration limit) {
    this.limit = limit;
    http = HttpClient.newBuilder().connectTimeout(limit).build();
  }

  /** Whatever its status; throws where none came in time. */
  public HttpResponse<String> get(URI address) throws IOException, InterruptedException {
    return ask(HttpRequest.newBuilder(address).build());
  }

  /** The same, with headers of one's own. */
  public HttpResponse<String> ask(HttpRequest question) throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<String>> answer =
        http.sendAsync(question, HttpResponse.BodyHandlers.ofString());
    try {
      return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      throw new HttpTimeoutException("no whole answer within " + limit.toSeconds() + " s");
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      // Of one that is there this changes nothing; of any other nobody reads on.
      answer.cancel(true);
    }
  }
}
