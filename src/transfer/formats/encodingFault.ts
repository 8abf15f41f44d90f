import { ProblemError } from "../../problem/index.js";

/**
 * The problem of a file that is no text.
 *
 * @param line Line of the fault, the first being 1.
 * @param byte Bytes of the file, as it was sent, before the fault.
 */
export function encodingFault(detail: string, line: number, byte: number): ProblemError {
  return new ProblemError("INVALID_ENCODING", `Line ${line}, after ${byte} bytes: ${detail}`, { extensions: { line, byte } });
}
