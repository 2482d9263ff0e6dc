/** What {@code mrc decode} is made of: packets, filter, the two output forms, and the summary. */
@org.jspecify.annotations.NullMarked
package io.anabranch.tools.cli.decode;
