// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;

/**
 * Answers requests that carry a token: {@code Authorization: Bearer TOKEN}, or Basic with the token
 * as the password of any user, which a browser asks for.
 */
public final class TokenAuthenticator extends Authenticator {
  private static final String REALM = "Flowstone";
  private static final String BEARER = "Bearer ";
  private static final String BASIC = "Basic ";
  private static final int UNAUTHORIZED = 401;

  private final byte[] token;

  public TokenAuthenticator(String token) {
    if (token.isEmpty()) {
      throw new IllegalArgumentException("an empty token would let everybody in");
    }
    this.token = token.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Result authenticate(HttpExchange exchange) {
    String header = exchange.getRequestHeaders().getFirst("Authorization");
    if (header != null && MessageDigest.isEqual(token, carriedBy(header))) {
      return new Success(new HttpPrincipal("token", REALM));
    }
    exchange
        .getResponseHeaders()
        .set("WWW-Authenticate", "Basic realm=\"" + REALM + "\", charset=\"UTF-8\"");
    return new Retry(UNAUTHORIZED);
  }

  /** Empty: none that can be read. */
  private static byte[] carriedBy(String header) {
    if (header.startsWith(BEARER)) {
      return header.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8);
    }
    return header.startsWith(BASIC)
        ? password(header.substring(BASIC.length()).strip())
        : new byte[0];
  }

  private static byte[] password(String credentials) {
    try {
      String pair = new String(Base64.getDecoder().decode(credentials), StandardCharsets.UTF_8);
      return pair.substring(pair.indexOf(':') + 1).getBytes(StandardCharsets.UTF_8);
    } catch (IllegalArgumentException noBase64) {
      return new byte[0];
    }
  }
}
