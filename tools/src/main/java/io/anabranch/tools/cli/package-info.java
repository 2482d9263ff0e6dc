/** The {@code mrc} command: one class a subcommand, and the rules for messages and exit codes. */
@org.jspecify.annotations.NullMarked
package io.anabranch.tools.cli;
