// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnFolderTest {
  private static final int STRANGER = 1;

  @TempDir private Path scratch;

  private Path folder(String name, int mode) throws IOException {
    Path folder = Files.createDirectory(scratch.resolve(name));
    Files.setAttribute(folder, "unix:mode", mode);
    return folder;
  }

  @Test
  void acceptsAFolderThatOthersCannotWriteTo() throws Exception {
    assertThatCode(() -> OwnFolder.require(folder("own", 0700))).doesNotThrowAnyException();
    assertThatCode(() -> OwnFolder.require(folder("listed", 0755))).doesNotThrowAnyException();
  }

  @Test
  void rejectsAFolderThatOthersCanWriteTo() {
    assertThatThrownBy(() -> OwnFolder.require(folder("open", 0707)))
        .hasMessageContaining(scratch.resolve("open") + ": writable by other users")
        .hasMessageContaining("chmod go-w");
    assertThatThrownBy(() -> OwnFolder.require(folder("group", 0770)))
        .hasMessageContaining("chmod go-w");
    assertThatThrownBy(() -> OwnFolder.require(folder("sticky", 01777)))
        .hasMessageContaining("chmod go-w");
  }

  @Test
  void rejectsASymbolicLink() throws Exception {
    Path link = Files.createSymbolicLink(scratch.resolve("link"), folder("own", 0700));
    assertThatThrownBy(() -> OwnFolder.require(link)).hasMessageContaining("symbolic link");
  }

  @Test
  void rejectsALinkOnTheWayToAFolderThatOthersCanReplace() throws Exception {
    Path open = folder("open", 0777);
    Path link = Files.createSymbolicLink(scratch.resolve("link"), open);
    Files.createDirectory(open.resolve("rings"));
    assertThatThrownBy(() -> OwnFolder.require(link.resolve("rings")))
        .hasMessageContaining(open + ": writable by other users");
  }

  @Test
  void rejectsALinkOnTheWayThatOthersCanReplace() throws Exception {
    Path own = Files.createDirectories(folder("own", 0700).resolve("rings"));
    Path open = folder("open", 0777);
    Path link = Files.createSymbolicLink(open.resolve("link"), own.getParent());
    assertThatThrownBy(() -> OwnFolder.require(link.resolve("rings")))
        .hasMessageContaining(open + ": writable by other users");
  }

  @Test
  void rejectsAFolderThatOthersCanReplace() throws Exception {
    Path open = folder("open", 0777);
    Path inside = Files.createDirectory(open.resolve("rings"));
    assertThatThrownBy(() -> OwnFolder.require(inside))
        .hasMessageContaining(open + ": writable by other users");
    Files.setAttribute(open, "unix:mode", 01777);
    assertThatCode(() -> OwnFolder.require(inside)).doesNotThrowAnyException();
  }

  @Test
  void createsNothingBehindALinkThatOthersCanReplace() throws Exception {
    Path elsewhere = folder("etc", 0700);
    Path link = Files.createSymbolicLink(folder("open", 0777).resolve("link"), elsewhere);
    assertThatThrownBy(() -> OwnFolder.create(link.resolve("new/rings")))
        .hasMessageContaining(scratch.resolve("open") + ": writable by other users");
    assertThat(elsewhere).isEmptyDirectory();
  }

  @Test
  void createsAFolderForItsUserAlone() throws Exception {
    Path folder = folder("own", 0755).resolve("new/rings");
    OwnFolder.create(folder);
    assertThat(Files.getPosixFilePermissions(folder)).hasSize(3);
    assertThatCode(() -> OwnFolder.create(folder)).doesNotThrowAnyException();
  }

  @Test
  void rejectsAFolderOfAnotherUser() throws Exception {
    assumeTrue(Posix.effectiveUser() == 0, "only root can change the owner of a folder");
    Path given = folder("given", 0755);
    Path inside = Files.createDirectory(given.resolve("rings"));
    Files.setAttribute(given, "unix:uid", STRANGER);
    assertThatThrownBy(() -> OwnFolder.require(given))
        .hasMessageContaining(given + ": owned by user " + STRANGER)
        .hasMessageContaining("choose a folder of your own");
    assertThatThrownBy(() -> OwnFolder.require(inside))
        .hasMessageContaining(given + ": owned by user " + STRANGER);
  }
}
