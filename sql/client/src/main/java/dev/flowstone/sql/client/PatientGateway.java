// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.gateway.api.endpoint.SqlGatewayEndpoint;
import org.apache.flink.table.gateway.api.endpoint.SqlGatewayEndpointFactoryUtils;
import org.apache.flink.table.gateway.api.operation.OperationHandle;
import org.apache.flink.table.gateway.api.results.ResultSet;
import org.apache.flink.table.gateway.api.session.SessionHandle;
import org.apache.flink.table.gateway.service.SqlGatewayServiceImpl;
import org.apache.flink.table.gateway.service.session.SessionManager;

/**
 * Flink's SQL gateway. Its client asks for rows again and again, without a pause: here an answer
 * without rows takes a moment, so that a query which waits for packets does not take a core.
 */
final class PatientGateway {
  /** Nobody sees a row that comes so much later. */
  static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final SessionManager sessions;
  private final List<SqlGatewayEndpoint> endpoints;

  private PatientGateway(SessionManager sessions, List<SqlGatewayEndpoint> endpoints) {
    this.sessions = sessions;
    this.endpoints = endpoints;
  }

  static PatientGateway start(Configuration configuration, SessionManager sessions)
      throws Exception {
    sessions.start();
    List<SqlGatewayEndpoint> endpoints =
        SqlGatewayEndpointFactoryUtils.createSqlGatewayEndpoint(
            new Service(sessions, LockSupport::parkNanos), configuration);
    for (SqlGatewayEndpoint endpoint : endpoints) {
      endpoint.start();
    }
    return new PatientGateway(sessions, endpoints);
  }

  /** Delays each answer without rows. */
  static final class Service extends SqlGatewayServiceImpl {
    private final LongConsumer parkNanos;

    Service(SessionManager sessions, LongConsumer parkNanos) {
      super(sessions);
      this.parkNanos = parkNanos;
    }

    @Override
    public ResultSet fetchResults(
        SessionHandle session, OperationHandle operation, long token, int mostRows) {
      ResultSet answer = super.fetchResults(session, operation, token, mostRows);
      if (answer.getResultType() != ResultSet.ResultType.EOS && answer.getData().isEmpty()) {
        parkNanos.accept(PAUSE_NS);
      }
      return answer;
    }
  }

  void stop() throws Exception {
    for (SqlGatewayEndpoint endpoint : endpoints) {
      endpoint.stop();
    }
    sessions.stop();
  }
}
