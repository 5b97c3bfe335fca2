// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.testbed.browser.ShownPage.Node;
import java.util.List;
import java.util.Map;

/** What a page says of whether every packet is accounted for. */
public record ShownVerdict(ShownPage page) {
  /** The style sheet's, where a browser asks for light colours. */
  private static final String RED = "rgb(179, 33, 26)";

  /** Returns when it is that. */
  public void await(String state) throws Exception {
    page.await("document.querySelector('#verdict').dataset.state === '" + state + "'");
  }

  /**
   * In words.
   *
   * @param red nodes of the picture that say so in red, and no other does
   */
  public void require(String state, String words, String... red) throws Exception {
    assertThat(page.text("#verdict")).isEqualTo(words);
    assertThat(page.value("document.querySelector('#verdict').dataset.state").asText())
        .isEqualTo(state);
    Map<String, Node> nodes = page.nodes();
    assertThat(nodes.keySet()).hasSizeGreaterThan(4).containsAll(List.of(red));
    nodes.forEach(
        (id, node) -> {
          boolean isRed = List.of(red).contains(id);
          assertThat(node.state().equals("bad")).as("%s: %s", id, node).isEqualTo(isRed);
          assertThat(node.frame().equals(RED)).as("%s: %s", id, node).isEqualTo(isRed);
          assertThat(node.words().contains("missing")).as("%s: %s", id, node).isEqualTo(isRed);
        });
  }
}
