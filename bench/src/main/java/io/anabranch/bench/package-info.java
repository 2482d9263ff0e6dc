/** Benchmarks of the hot paths; each is a JMH class, run from {@code benchmarks.jar}. */
@org.jspecify.annotations.NullMarked
package io.anabranch.bench;
