package io.anabranch.wire.ib;

/**
 * RDMA extended transport header (InfiniBand volume 1, section 9.3.3).
 *
 * <pre>
 *  0  virtual address, 8 bytes
 *  8  R_Key, 4 bytes
 * 12  DMA length, 4 bytes
 * </pre>
 */
public final class Reth {
  /** Size on the wire. */
  public static final int BYTES = 16;

  public static final Field VIRTUAL_ADDRESS = Field.hex("virtualAddress", 0, 8);
  public static final Field R_KEY = Field.hex("rKey", 8, 4);
  public static final Field DMA_LENGTH = Field.number("dmaLength", 12, 4);

  public static final Header HEADER = Header.of("RETH", BYTES, VIRTUAL_ADDRESS, R_KEY, DMA_LENGTH);

  private Reth() {}
}
