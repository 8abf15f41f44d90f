import { ProblemError } from "../../../ground/problem/index.js";

/** Converts a text that arrives in parts to UTF-8; both methods throw INVALID_ENCODING. */
export interface CharsetDecoder {
  /** Returns all characters that are complete so far. */
  add(bytes: Uint8Array): Uint8Array;
  end(): void;
}

/**
 * The problem of a file that is not text in its encoding.
 *
 * @param line line of the fault; the first is 1
 * @param byte number of bytes of the file, as it was sent, before the fault
 */
export function encodingFault(detail: string, line: number, byte: number): ProblemError {
  return new ProblemError("INVALID_ENCODING", `Line ${line}, after ${byte} bytes: ${detail}`, { extensions: { line, byte } });
}
