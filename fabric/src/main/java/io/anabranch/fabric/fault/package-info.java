/** What fails, when, what that does to packets, and what it costs. */
@NullMarked
package io.anabranch.fabric.fault;

import org.jspecify.annotations.NullMarked;
