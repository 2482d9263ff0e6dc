package io.anabranch.wire.ib;

/**
 * Atomic extended transport header (InfiniBand volume 1, section 9.3.4).
 *
 * <pre>
 *  0  virtual address, 8 bytes
 *  8  R_Key, 4 bytes
 * 12  swap or add data, 8 bytes
 * 20  compare data, 8 bytes
 * </pre>
 */
public final class AtomicEth {
  /** Size on the wire. */
  public static final int BYTES = 28;

  public static final Field VIRTUAL_ADDRESS = Field.hex("virtualAddress", 0, 8);
  public static final Field R_KEY = Field.hex("rKey", 8, 4);
  public static final Field SWAP_OR_ADD = Field.hex("swapOrAdd", 12, 8);
  public static final Field COMPARE = Field.hex("compare", 20, 8);

  public static final Header HEADER =
      Header.of("AtomicETH", BYTES, VIRTUAL_ADDRESS, R_KEY, SWAP_OR_ADD, COMPARE);

  private AtomicEth() {}
}
