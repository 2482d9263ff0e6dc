@org.jspecify.annotations.NullMarked
package io.anabranch.fabric.peer.roce;
