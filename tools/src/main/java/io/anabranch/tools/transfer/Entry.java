package io.anabranch.tools.transfer;

/**
 * One thing to be transferred.
 *
 * @param name where it goes, relative to the receiver's folder, parts separated by {@code /}
 * @param directory whether it is a folder
 * @param bytes a file's length; 0 of a folder
 * @param executable whether a file may be run
 */
record Entry(String name, boolean directory, long bytes, boolean executable) {
  static Entry directory(String name) {
    return new Entry(name, true, 0, false);
  }

  static Entry file(String name, long bytes) {
    return new Entry(name, false, bytes, false);
  }
}
