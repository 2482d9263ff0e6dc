@NullMarked
package io.anabranch.tools.cli;

import org.jspecify.annotations.NullMarked;
