/**
 * What a person at a terminal uses: commands, workers, the lab, result files and scenario files.
 */
@org.jspecify.annotations.NullMarked
package io.anabranch.tools;
