package io.anabranch.tools.scenario;

/**
 * A part of a run whose goodput is told on its own.
 *
 * @param name of it
 * @param fromPs beginning
 * @param toPs end
 */
public record Phase(String name, long fromPs, long toPs) {}
