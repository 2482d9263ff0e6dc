/** Placeholder. */
@org.jspecify.annotations.NullMarked
package io.anabranch.verbs;
