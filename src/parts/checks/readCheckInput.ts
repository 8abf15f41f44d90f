import { ByteCollector } from "../../ground/http/body/byteCollector.js";
import { parseMediaType } from "../../ground/http/headers/mediaType.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { ByteRange } from "../../ground/storage/files/blobs.js";
import type { CheckInput } from "./fileCheck.js";
import { detectType } from "./types/detectType.js";
import { extensionOf } from "./types/extensionOf.js";

/** A file before it is checked. */
export interface UncheckedFile {
  /** With its extension, which is checked; never used as a path. */
  readonly filename: string;
  /** The value of its Content-Type. */
  readonly declaredType?: string | undefined;
  /** In bytes; absent if unknown. */
  readonly size?: number | undefined;
  /** Ends the checks. */
  readonly signal?: AbortSignal | undefined;
  /** The bytes, or those of a range; each call reads them again. */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
}

/** Number of first bytes that decide the type of a file. */
export const headBytes = 65_536;

/**
 * Reads the beginning of a file and detects its type.
 *
 * @example
 * const input = await readCheckInput({ filename: "report.pdf", size: bytes.length, read: async function* () { yield bytes; } });
 */
export async function readCheckInput(file: UncheckedFile): Promise<CheckInput> {
  const { filename, size, signal = neverAborted() } = file;
  const read = (range?: ByteRange) => file.read(range);
  const readAll = async (limitBytes: number) => {
    if (size !== undefined && size > limitBytes) throw tooLarge(limitBytes);
    return collect(read(), limitBytes);
  };
  const beginning = await readBeginning(read);
  const head = beginning.subarray(0, headBytes);
  const extension = extensionOf(filename);
  const detectedType = detectType(head, { extension, isWhole: beginning.length <= headBytes });
  return { filename, extension, declaredType: declaredTypeOf(file.declaredType), detectedType, head, size, read, readAll, signal };
}

/** The same file with other bytes. */
export function rewrittenInput(input: CheckInput, bytes: Uint8Array): CheckInput {
  const head = bytes.subarray(0, headBytes);
  const detectedType = detectType(head, { extension: input.extension, isWhole: bytes.length <= headBytes });
  const read = readerOf(bytes);
  return { ...input, head, detectedType, size: bytes.length, read, readAll: (limitBytes) => collect(read(), limitBytes) };
}

async function collect(chunks: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array> {
  const collected = new ByteCollector();
  for await (const chunk of chunks) {
    if (collected.length + chunk.length > limitBytes) throw tooLarge(limitBytes);
    collected.add(chunk);
  }
  return collected.bytes();
}

function tooLarge(limit: number): ProblemError {
  return new ProblemError("FILE_TOO_LARGE", `The file is larger than ${limit} bytes, which is the maximum for checks.`, { extensions: { limit } });
}

/** One byte more than the head, to find out whether the head is the whole file. */
async function readBeginning(read: UncheckedFile["read"]): Promise<Uint8Array> {
  const collected = new ByteCollector();
  for await (const chunk of read({ start: 0, end: headBytes + 1 })) {
    collected.add(chunk);
    if (collected.length > headBytes) break;
  }
  return collected.bytes();
}

/** Reads bytes in memory in pieces, as a store does. */
export function readerOf(bytes: Uint8Array): UncheckedFile["read"] {
  return async function* (range) {
    const wanted = range === undefined ? bytes : bytes.subarray(range.start, range.end);
    for (let start = 0; start < wanted.length; start += headBytes) yield wanted.subarray(start, start + headBytes);
  };
}

/** An unreadable claim is neither trusted nor compared. */
export function declaredTypeOf(declaredType: string | undefined): string | undefined {
  if (declaredType === undefined || declaredType.trim() === "") return undefined;
  return parseMediaType(declaredType)?.type ?? declaredType.trim().toLowerCase();
}

function neverAborted(): AbortSignal {
  return new AbortController().signal;
}
