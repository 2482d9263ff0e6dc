package io.anabranch.tools.run;

/** Is told how a simulation gets on, a few times a second. */
public interface SimWatch {
  /** Nobody is watching. */
  SimWatch NOBODY =
      new SimWatch() {
        @Override
        public boolean wanted() {
          return false;
        }

        @Override
        public void progress(long nowPs, long events, double done, long wallNs) {
          // No one to tell.
        }
      };

  /** Whether anyone watches: what progress tells costs a little to find out. */
  boolean wanted();

  /**
   * How far it has come.
   *
   * @param nowPs simulated time
   * @param events taken so far
   * @param done share of all payload that is acknowledged, 0 … 1
   * @param wallNs since the start
   */
  void progress(long nowPs, long events, double done, long wallNs);
}
