import { promisify } from "node:util";
import { constants, crc32, inflateRaw, inflateRawSync } from "node:zlib";
import { unscannable } from "../rejection.js";
import type { InflateBudget } from "./inflateBudget.js";
import type { ZipEntry } from "./zipEntry.js";

/** With `info`, zlib reports how much it has read. */
const inflate = promisify<Uint8Array, InflateOptions, Inflated>(inflateRaw as never);

interface InflateOptions {
  readonly maxOutputLength: number;
  readonly info: true;
}

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Enough of an entry to detect its type. */
const magicBytes = 8;
/** The tables of a compressed block are shorter than this. */
const beginningBytes = 512;

/**
 * All bytes of an entry, inflated outside of the event loop.
 *
 * @throws {ProblemError} UNSCANNABLE if there are too many, or they differ from the directory
 */
export async function inflateEntry({ method, compressed, size, crc }: ZipEntry, budget: InflateBudget): Promise<Uint8Array> {
  if (method === 0) {
    if (compressed.length !== size || crc32(compressed) !== crc) throw damaged();
    return compressed;
  }
  budget.checkRatio(compressed.length, size);
  budget.takeBytes(size);
  const { buffer, engine } = await inflate(compressed, { maxOutputLength: Math.max(1, size), info: true }).catch(() => {
    throw damaged();
  });
  if (buffer.length !== size || engine.bytesWritten !== compressed.length || crc32(buffer) !== crc) throw damaged();
  return buffer;
}

/**
 * The first bytes of an entry, at least eight unless it is shorter.
 *
 * @throws {ProblemError} UNSCANNABLE
 */
export async function firstBytesOf(entry: ZipEntry, budget: InflateBudget): Promise<Uint8Array> {
  if (entry.method === 0) return entry.compressed.subarray(0, beginningBytes);
  let beginning: Uint8Array;
  try {
    beginning = inflateRawSync(entry.compressed.subarray(0, beginningBytes), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    throw damaged();
  }
  budget.takeBytes(beginning.length);
  // Empty blocks can make the beginning arbitrarily long.
  return beginning.length < Math.min(magicBytes, entry.size) ? inflateEntry(entry, budget) : beginning;
}

function damaged() {
  return unscannable("The archive has an entry that is damaged, or larger than its header says.");
}
