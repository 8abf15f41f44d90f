import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { ProblemError } from "../../problem/index.js";

/** How much may come out of a gzip file. */
export interface ExpandOptions {
  readonly limitBytes: number;
  /** What is said of one that holds more, where that is not the usual. */
  readonly tooLarge?: ((limitBytes: number) => ProblemError) | undefined;
}

/**
 * What a gzip file holds; it may consist of several members. At most about 100 KiB are held at a time, however much a file expands.
 *
 * @throws {ProblemError} INVALID_COMPRESSION where it is no gzip, damaged or cut off; IMPORT_TOO_LARGE, with `maximum`. What the source throws passes unchanged.
 * @see RFC 1952
 */
export async function* expand(
  source: AsyncIterable<Uint8Array>,
  { limitBytes, tooLarge = expandsTooMuch }: ExpandOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gunzip = createGunzip({ chunkSize: 65_536 });
  const fed = pipeline(source, gunzip);
  // The same fault arrives below, where somebody waits for it.
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
  return new ProblemError("INVALID_COMPRESSION", `The file is not gzip, or is damaged or cut off: ${cause.message}.`, { cause });
}

function expandsTooMuch(maximum: number): ProblemError {
  return new ProblemError("IMPORT_TOO_LARGE", `The file expands to more than ${maximum} bytes.`, { extensions: { maximum } });
}
