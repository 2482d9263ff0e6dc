/** Configuration of engines, peers and queue pairs: records that refuse what is out of range. */
@NullMarked
package io.anabranch.engine.config;

import org.jspecify.annotations.NullMarked;
