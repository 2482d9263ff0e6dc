package io.anabranch.verbs;

/**
 * Versions of the application API.
 *
 * @param current the one implemented
 * @param oldestSupported the oldest whose callers are served
 * @param vendorCurrent this implementation's own
 * @param vendorOldest the oldest of this implementation whose callers are served
 */
public record ApiVersions(
    String current, String oldestSupported, String vendorCurrent, String vendorOldest) {
  /** Those of this implementation. */
  public static final ApiVersions THIS = new ApiVersions("1.0.1", "1.0.1", "0.1.0", "0.1.0");
}
