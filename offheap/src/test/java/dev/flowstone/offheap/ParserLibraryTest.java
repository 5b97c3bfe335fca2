// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.AbiDigest;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ParserLibraryTest {
  private static final long OTHER_DIGEST = AbiDigest.VALUE ^ 1;

  @Test
  void shouldRefuseALibraryThatWasBuiltFromOtherLayouts() {
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup library = libraryWithDigest(OTHER_DIGEST, arena);

      assertThatThrownBy(() -> new ParserLibrary(library))
          .isInstanceOf(UnsatisfiedLinkError.class)
          .hasMessageContaining(HexFormat.of().toHexDigits(OTHER_DIGEST))
          .hasMessageContaining(HexFormat.of().toHexDigits(AbiDigest.VALUE))
          .hasMessageEndingWith("rebuild both with ./flowstone");
    }
  }

  @Test
  void shouldRefuseALibraryThatCannotTellItsLayouts() {
    assertThatThrownBy(() -> new ParserLibrary(name -> Optional.empty()))
        .isInstanceOf(UnsatisfiedLinkError.class)
        .hasMessageContaining("flowstone_abi_digest");
  }

  /** Its functions all return the digest; none but the one that tells it is called. */
  @SuppressWarnings("restricted")
  private static SymbolLookup libraryWithDigest(long digest, Arena arena) {
    MemorySegment function =
        Linker.nativeLinker()
            .upcallStub(
                MethodHandles.constant(long.class, digest),
                FunctionDescriptor.of(ValueLayout.JAVA_LONG),
                arena);
    return name -> Optional.of(function);
  }
}
