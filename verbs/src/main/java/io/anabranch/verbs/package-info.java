/**
 * The application API: what a program that moves data over MRC calls. Names, rules and limits are
 * those of the public MRC application API 1.0.1, in Java's style.
 *
 * <p>A {@link io.anabranch.verbs.MrcContext} is opened over a driver and is the parent of all other
 * objects. Under the blocking calls lies a core that never blocks: calls of any thread cross to the
 * driver's thread through one bounded queue, and completions and events come back through {@link
 * io.anabranch.verbs.CompletionQueue completion queues} and the context's asynchronous events.
 *
 * <p>Every refusal is an {@link io.anabranch.verbs.MrcException}. Calls of any object here may be
 * made from any thread unless the method says otherwise.
 */
@NullMarked
package io.anabranch.verbs;

import org.jspecify.annotations.NullMarked;
