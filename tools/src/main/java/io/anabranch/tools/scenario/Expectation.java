package io.anabranch.tools.scenario;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a result must be.
 *
 * @param field path in the result's JSON, such as {@code flows.fct_us.p50}
 * @param min least value, or null
 * @param max largest value, or null; equal to {@code min} = exactly that value
 */
public record Expectation(String field, @Nullable BigDecimal min, @Nullable BigDecimal max) {
  /** The fields that a result has, for messages. */
  static final String FIELDS =
      "simulated_us, flows.{count,completed,failed,unfinished,last_finish_us,goodput_gbps},"
          + " flows.fct_us.{min,p50,p99,max},"
          + " packets.{delivered,retransmitted,trimmed,ecn_marked,hops}, packets.dropped.total,"
          + " packets.dropped.CAUSE, planes.N.{delivered,share}, evs.N.shares.M.{packets,share},"
          + " jobs.N.flows.… as flows.…, jobs.N.rounds.{completed,us.{min,p50,p99,max}},"
          + " jobs.N.packets.{delivered,retransmitted,trimmed,ecn_marked},"
          + " limits.{sending,host,fabric_core,last_hop,fabric_core_queue,last_hop_queue},"
          + " faults.N.{packets_lost,copies_resent,queue_pairs,paths,paths_left,last_left_us,"
          + "slowest_left_us,goodput_before_gbps,goodput_gbps,goodput_lost_gbps},"
          + " phases.N.goodput_gbps,"
          + " host.{wall_s,cpu_s,peak_mib,events,hops_per_cpu_s},"
          + " topology.{hosts,planes,nic_gbps,switches,cables,optics,bisection_gbps},"
          + " topology.paths.{per_plane,per_pair,links}, topology.links.N.{cables,gbps},"
          + " topology.tiers.N.{switches,ports,gbps,oversubscription},"
          + " topology.failures.N.{count,hosts,of_uplinks,of_paths},"
          + " topology.per_nic.{switches,optics},"
          + " topology.compared.{radix,hosts,switches,of_uplinks,switches_ratio,optics_ratio},"
          + " topology.compared.per_nic.{switches,optics}";

  private static final Pattern FIELD =
      Pattern.compile(
          "(simulated_us"
              + "|(jobs\\.[0-9]{1,3}\\.)?flows\\.(count|completed|failed|unfinished|last_finish_us|goodput_gbps)"
              + "|(jobs\\.[0-9]{1,3}\\.)?flows\\.fct_us\\.(min|p50|p99|max)"
              + "|jobs\\.[0-9]{1,3}\\.rounds\\.(completed|us\\.(min|p50|p99|max))"
              + "|jobs\\.[0-9]{1,3}\\.packets\\.(delivered|retransmitted|trimmed|ecn_marked)"
              + "|limits\\.(sending|host|fabric_core|last_hop|fabric_core_queue|last_hop_queue)"
              + "|packets\\.(delivered|retransmitted|trimmed|ecn_marked|hops)"
              + "|packets\\.dropped\\.[a-z_]+"
              + "|planes\\.[0-9]{1,2}\\.(delivered|share)"
              + "|evs\\.[0-9]{1,8}\\.shares\\.[0-9]{1,4}\\.(packets|share)"
              + "|faults\\.[0-9]{1,6}\\.(packets_lost|copies_resent|queue_pairs|paths|paths_left"
              + "|last_left_us|slowest_left_us|goodput_before_gbps|goodput_gbps"
              + "|goodput_lost_gbps)"
              + "|phases\\.[0-9]{1,4}\\.goodput_gbps"
              + "|host\\.(wall_s|cpu_s|peak_mib|events|hops_per_cpu_s)"
              + "|topology\\.(hosts|planes|nic_gbps|switches|cables|optics|bisection_gbps"
              + "|paths\\.(per_plane|per_pair|links)"
              + "|tiers\\.[0-9]\\.(switches|ports|gbps|oversubscription)"
              + "|links\\.[0-9]{1,2}\\.(cables|gbps)"
              + "|failures\\.[0-9]\\.(count|hosts|of_uplinks|of_paths)"
              + "|(compared\\.)?per_nic\\.(switches|optics)"
              + "|compared\\.(radix|hosts|switches|of_uplinks|switches_ratio|optics_ratio)))"
              + "(?=\\.|$)");

  /** Whether it is of the topology, so that nothing has to run to tell. */
  public boolean isOfTopology() {
    return field.startsWith("topology.");
  }

  /** Whether a result may have this field. */
  static boolean isField(String path) {
    return path.equals(fieldAtStartOf(path));
  }

  /** The field that a path begins with, or null. */
  static @Nullable String fieldAtStartOf(String path) {
    Matcher m = FIELD.matcher(path);
    return m.lookingAt() ? m.group(1) : null;
  }

  /** Whether a value is as wanted. */
  public boolean isMetBy(BigDecimal got) {
    return (min == null || got.compareTo(min) >= 0) && (max == null || got.compareTo(max) <= 0);
  }

  /** The wanted value in words: a number, or bounds. */
  public String wanted() {
    if (min != null && max != null) {
      return min.compareTo(max) == 0
          ? min.toPlainString()
          : min.toPlainString() + " … " + max.toPlainString();
    }
    return min != null ? "at least " + min.toPlainString() : "at most " + shown(max);
  }

  private static String shown(@Nullable BigDecimal value) {
    return value == null ? "anything" : value.toPlainString();
  }
}
