@NullMarked
package io.anabranch.tools.scenario;

import org.jspecify.annotations.NullMarked;
