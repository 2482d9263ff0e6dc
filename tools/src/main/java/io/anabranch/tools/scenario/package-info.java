/**
 * Scenario files: YAML with units, read into the fabric's records; every mistake named by file,
 * line, field, value and what is allowed. docs/scenarios.md is the reference.
 */
@NullMarked
package io.anabranch.tools.scenario;

import org.jspecify.annotations.NullMarked;
