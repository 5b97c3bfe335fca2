// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.jobs.endpoints.delivery.OnLostTransaction;
import dev.flowstone.testbed.flink.FlinkRest;
import dev.flowstone.testbed.kafka.BatchLedger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What goes wrong between a wire and Kafka: what it needs, how it is done, and what must hold
 * afterwards, beyond what must hold after each of them.
 */
public enum Fault {
  /** More packets come while the job is down than its rings hold. */
  JOB_KILLED_WHOSE_RINGS_ARE_TOO_SMALL {
    @Override
    public void arrange(FaultScene scene) {
      scene.addTap(MortalTap.synthetic(RATE, "1m"));
      scene.runJobAsProcess();
    }

    @Override
    public void strike(FaultScene scene) throws Exception {
      scene.jobProcess().kill();
      scene.tap(0).awaitDrops();
      scene.jobProcess().start();
      scene.awaitCommit();
    }

    @Override
    public void check(FaultScene scene, BatchLedger ledger) {
      assertThat(ledger.lost()).as("lost").isPositive().isEqualTo(scene.dropped());
    }
  },
  /**
   * What the dead tap had published is read to its end; of what it counted and did not publish any
   * more, the next tap's rings tell. Packets that it held without having counted them for a ring, a
   * batch at most, nobody can know of: they are in neither side of the sum.
   */
  TAP_KILLED {
    @Override
    public void strike(FaultScene scene) throws Exception {
      scene.tap(0).kill();
      scene.tap(0).start();
      scene.tap(0).awaitPackets();
      scene.awaitCommit();
    }

    @Override
    public void check(FaultScene scene, BatchLedger ledger) {
      assertThat(scene.dropped()).isZero();
    }
  },
  BROKER_KILLED {
    @Override
    public void strike(FaultScene scene) throws Exception {
      scene.broker().kill();
      scene.waitOutage();
      scene.broker().startAgain();
      scene.awaitCommit();
    }
  },
  TASK_MANAGER_KILLED {
    @Override
    public void arrange(FaultScene scene) throws Exception {
      super.arrange(scene);
      scene.runJobOnCluster(2);
    }

    @Override
    public void strike(FaultScene scene) throws Exception {
      scene.cluster().killTaskManager();
      scene.cluster().startTaskManager();
      scene.awaitCommit();
    }

    @Override
    public void check(FaultScene scene, BatchLedger ledger) throws Exception {
      super.check(scene, ledger);
      try (FlinkRest flink = new FlinkRest(scene.cluster().web())) {
        assertThat(flink.failures(flink.onlyJob())).contains("TaskManager");
      }
    }
  },
  TASK_FAILED {
    @Override
    public void strike(FaultScene scene) throws Exception {
      Saboteur.failNext();
      scene.awaitSabotage();
      scene.awaitCommit();
    }
  },
  CHECKPOINT_DISK_FULL {
    @Override
    public void arrange(FaultScene scene) throws Exception {
      super.arrange(scene);
      scene.keepCheckpointsOnSmallDisk();
    }

    @Override
    public void strike(FaultScene scene) throws Exception {
      fillDiskForTwoCheckpoints(scene);
      Optional<Path> latest = scene.checkpoints().newest();
      assertThat(latest).as("before").isPresent();
      fillDiskForTwoCheckpoints(scene);
      assertThat(scene.checkpoints().newest()).as("on a full disk").isEqualTo(latest);
      scene.disk().free();
      scene.awaitCommit();
    }

    // The first of them may have begun before the disk was full.
    private void fillDiskForTwoCheckpoints(FaultScene scene) throws Exception {
      try (FlinkRest rest = scene.job().rest()) {
        long failed = scene.job().failedCheckpoints(rest);
        scene.disk().stayFullUntil(() -> scene.job().failedCheckpoints(rest) >= failed + 2);
      }
    }
  },
  /** Kafka has given up what a checkpoint took for delivered. */
  JOB_PAUSED_BEYOND_ITS_TRANSACTION_TIMEOUT {
    @Override
    public void arrange(FaultScene scene) throws Exception {
      super.arrange(scene);
      scene.options().kafka.transactionTimeout = TRANSACTION_TIMEOUT;
      scene.options().kafka.onLostTransaction = OnLostTransaction.CONTINUE;
    }

    @Override
    public void strike(FaultScene scene) throws Exception {
      Saboteur.holdNextCheckpoint();
      scene.awaitSabotage();
      scene.awaitNoTransaction();
      Saboteur.reset();
      scene.awaitCommit();
    }

    @Override
    public void check(FaultScene scene, BatchLedger ledger) {
      assertThat(scene.dropped()).isZero();
      assertThat(ledger.lost()).as("lost").isPositive();
    }
  },
  /** The capture has the steps in it. */
  CLOCK_STEPPED {
    @Override
    public void arrange(FaultScene scene) throws Exception {
      scene.addTapOfSteppedCapture(RATE);
    }

    @Override
    public void strike(FaultScene scene) {}

    @Override
    public void check(FaultScene scene, BatchLedger ledger) throws Exception {
      super.check(scene, ledger);
      assertThat(ledger.timeSumNs()).as("times").isEqualTo(scene.timeSumNs().orElseThrow());
    }
  },
  RESCALED {
    @Override
    public void strike(FaultScene scene) throws Exception {
      for (int parallelism : new int[] {2, 1}) {
        scene.job().stopWithSavepoint();
        scene.job().start(parallelism);
        scene.awaitCommit();
      }
    }
  },
  /** The rings of one are smaller than what comes between two checkpoints. */
  ONE_OF_TWO_TAPS_LOSES {
    @Override
    public void arrange(FaultScene scene) throws Exception {
      super.arrange(scene);
      scene.addTap(MortalTap.synthetic(RATE, "64k"));
    }

    @Override
    public void strike(FaultScene scene) {}

    @Override
    public void check(FaultScene scene, BatchLedger ledger) {
      assertThat(scene.tap(0).dropped()).isZero();
      assertThat(ledger.lost()).isPositive().isEqualTo(scene.tap(1).dropped());
    }
  };

  private static final int RATE = 20_000;

  /**
   * Holds more than three minutes of traffic. On a slow machine a job needs half a minute to
   * continue after its broker was down for ten seconds.
   */
  private static final String ROOMY = "128m";

  /** Longer than any checkpoint takes. */
  private static final Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(3);

  /** What is needed; a tap that has room unless something else is said. */
  public void arrange(FaultScene scene) throws Exception {
    scene.addTap(MortalTap.synthetic(RATE, ROOMY));
  }

  /** Does it; packets come meanwhile. */
  public abstract void strike(FaultScene scene) throws Exception;

  /** What holds for this one; that nothing is lost unless something else is said. */
  public void check(FaultScene scene, BatchLedger ledger) throws Exception {
    assertThat(scene.dropped()).isZero();
    assertThat(ledger.lost()).as("lost").isZero();
  }
}
