import { ByteCollector } from "../../http/byteCollector.js";
import { parseMediaType } from "../../http/mediaType.js";
import { ProblemError } from "../../problem/index.js";
import type { ByteRange } from "../../storage/blobs.js";
import type { CheckInput } from "./fileCheck.js";
import { detectType } from "./types/detectType.js";
import { extensionOf } from "./types/extensionOf.js";

/** A file before anybody has looked into it. */
export interface UncheckedFile {
  /** With its extension, which counts; never used as a path. */
  readonly filename: string;
  /** The value of its Content-Type. */
  readonly declaredType?: string | undefined;
  /** In bytes; left out where it is not known. */
  readonly size?: number | undefined;
  /** Ends the checks. */
  readonly signal?: AbortSignal | undefined;
  /** The bytes, or those of a range, each time anew. */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
}

/** So many bytes at the beginning of a file decide what it is. */
export const headBytes = 65_536;

/**
 * Reads the beginning of a file, and says what the file is.
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
  const read = (range: ByteRange = { start: 0, end: bytes.length }) => pieces(bytes.subarray(range.start, range.end));
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
  return new ProblemError("FILE_TOO_LARGE", `The file is larger than ${limit} bytes, the most that is looked into.`, { extensions: { limit } });
}

/** One byte more than the head, where there is one, tells that the head is not all. */
async function readBeginning(read: UncheckedFile["read"]): Promise<Uint8Array> {
  const collected = new ByteCollector();
  for await (const chunk of read({ start: 0, end: headBytes + 1 })) {
    collected.add(chunk);
    if (collected.length > headBytes) break;
  }
  return collected.bytes();
}

/** The bytes in pieces, as a store would give them. */
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += headBytes) yield bytes.subarray(start, start + headBytes);
}

/** What cannot be read says nothing that would have to be believed, and nothing that could be right. */
export function declaredTypeOf(declaredType: string | undefined): string | undefined {
  if (declaredType === undefined || declaredType.trim() === "") return undefined;
  return parseMediaType(declaredType)?.type ?? declaredType.trim().toLowerCase();
}

function neverAborted(): AbortSignal {
  return new AbortController().signal;
}
