// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Why something failed, in words: some messages of Java's are but the file's path. */
public final class Reason {
  private Reason() {}

  /** One line, without the path. */
  public static String of(Throwable failure) {
    return switch (failure) {
      case NoSuchFileException missing -> "no such file or folder";
      case AccessDeniedException denied -> "permission denied";
      case FileAlreadyExistsException exists -> "it is there already";
      case NotDirectoryException file -> "not a folder";
      case DirectoryNotEmptyException full -> "the folder is not empty";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      default -> message(failure);
    };
  }

  /** Of the first failure, which the others only wrap. */
  public static String ofRoot(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return of(root);
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.toString() : message.strip().replaceAll("\\s*\\R\\s*", "; ");
  }
}
