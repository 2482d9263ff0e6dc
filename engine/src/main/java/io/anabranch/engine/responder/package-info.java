/** The receiving half of a queue pair: what has arrived, and what is said of it. */
@NullMarked
package io.anabranch.engine.responder;

import org.jspecify.annotations.NullMarked;
