// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A group of this machine by its name: refused before a tap opens anything. */
final class GroupConverter implements ITypeConverter<String> {
  @Override
  public String convert(String name) throws IOException {
    try {
      FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByGroupName(name);
      return name;
    } catch (UserPrincipalNotFoundException e) {
      throw new TypeConversionException("there is no group " + name);
    }
  }
}
