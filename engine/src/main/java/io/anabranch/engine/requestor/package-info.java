/** The sending half of a queue pair: what to send, what is lost, what has completed. */
@NullMarked
package io.anabranch.engine.requestor;

import org.jspecify.annotations.NullMarked;
