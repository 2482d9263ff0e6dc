/** What a topology is made of and can do, in figures and drawings; nothing is run. */
@NullMarked
package io.anabranch.tools.topo;

import org.jspecify.annotations.NullMarked;
