/** Turns text that comes in parts into UTF-8; both methods throw INVALID_ENCODING. */
export interface CharsetDecoder {
  /** All characters that are complete by now. */
  add(bytes: Uint8Array): Uint8Array;
  end(): void;
}
