import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { ProblemError } from "../../../ground/problem/index.js";

/** Options of `expand`. */
export interface ExpandOptions {
  /** Limit of the expanded size. */
  readonly limitBytes: number;
  /** Makes the error for a larger file. */
  readonly tooLarge?: ((limitBytes: number) => ProblemError) | undefined;
}

/**
 * Expands a gzip file, which may consist of several members. Holds about 100 KiB in memory, whatever the expanded size.
 *
 * @throws {ProblemError} INVALID_COMPRESSION if the file is not gzip, is damaged or incomplete; IMPORT_TOO_LARGE, with `maximum`. Errors of the source pass
 *   unchanged.
 * @see RFC 1952
 */
export async function* expand(
  source: AsyncIterable<Uint8Array>,
  { limitBytes, tooLarge = expandsTooMuch }: ExpandOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gunzip = createGunzip({ chunkSize: 65_536 });
  const fed = pipeline(source, gunzip);
  // The loop below throws the same error.
  fed.catch(() => {});
  let expanded = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      expanded += chunk.length;
      if (expanded > limitBytes) throw tooLarge(limitBytes);
      yield chunk;
    }
  } catch (error) {
    throw isZlibFault(error) ? compressionFault(error) : error;
  } finally {
    gunzip.destroy();
  }
}

function isZlibFault(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_");
}

function compressionFault(cause: Error): ProblemError {
  return new ProblemError("INVALID_COMPRESSION", `The file is not gzip, is damaged, or is incomplete: ${cause.message}.`, { cause });
}

function expandsTooMuch(maximum: number): ProblemError {
  return new ProblemError("IMPORT_TOO_LARGE", `The file expands to more than ${maximum} bytes.`, { extensions: { maximum } });
}
