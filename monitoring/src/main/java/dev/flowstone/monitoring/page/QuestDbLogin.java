// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;

/** As whom QuestDB is asked; repeats no secret. */
public final class QuestDbLogin {
  /** Whoever asks is let in. */
  public static final QuestDbLogin NONE = new QuestDbLogin("");

  private final String authorization;

  private QuestDbLogin(String authorization) {
    this.authorization = authorization;
  }

  /** QuestDB's {@code http.user} and {@code http.password}. */
  public static QuestDbLogin withPassword(String user, String password) {
    String login = user + ":" + password;
    return new QuestDbLogin("Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8)));
  }

  /** A bearer token. */
  public static QuestDbLogin withToken(String token) {
    return new QuestDbLogin("Bearer " + token);
  }

  /** What each request carries; empty: nothing. */
  String authorization() {
    return authorization;
  }
}
