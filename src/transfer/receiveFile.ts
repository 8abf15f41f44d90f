import { createHash } from "node:crypto";
import type { Limits } from "../limits/limits.js";
import { ProblemError } from "../problem/index.js";
import type { BlobStat } from "../storage/blobs.js";
import { expand } from "./formats/expand.js";
import { requireJsonArray } from "./formats/jsonArrayRows.js";
import { type CsvHeader, readHeader } from "./formats/readHeader.js";
import { recordCounter } from "./formats/recordCounter.js";
import { type TextCharset, utf8Text } from "./formats/utf8Text.js";
import type { ImportFile } from "./importFile.js";
import type { TransferFormat } from "./rows.js";

/** Where a file goes on its way in. */
export interface FileTarget {
  write(chunk: Uint8Array): Promise<void>;
  /** @returns how it can be told from another, where it is kept */
  commit(): Promise<Pick<BlobStat, "etag"> | undefined>;
  abort(): Promise<void>;
}

/** How a file comes. */
export interface IncomingFile {
  readonly format: TransferFormat;
  readonly delimiter: string;
  readonly charset: TextCharset | undefined;
  readonly isCompressed: boolean;
  readonly limits: Limits;
  /** The most that its text may be. */
  readonly limitBytes: number;
  /** What is said of one that is larger. */
  tooLarge(limitBytes: number): ProblemError;
  /** Judges the header before anything is kept. */
  checkHeader(header: CsvHeader): void;
}

/**
 * Takes a file in: decompressed, as UTF-8, hashed and counted in one pass. Nothing is left of one that is refused.
 *
 * @param key where the target keeps it
 * @throws {ProblemError} EMPTY_FILE, IMPORT_TOO_LARGE, INVALID_COMPRESSION, INVALID_ENCODING, MALFORMED_JSON for what is no JSON array, what `checkHeader` and
 * the header itself are refused for
 */
export async function receiveFile(
  source: AsyncIterable<Uint8Array>,
  target: FileTarget,
  incoming: IncomingFile,
  key?: string | undefined,
): Promise<ImportFile> {
  try {
    const passed = await passThrough(source, target, incoming);
    const stat = await target.commit();
    return { ...passed, blob: key === undefined || stat === undefined ? undefined : { key, etag: stat.etag } };
  } catch (error) {
    await target.abort();
    throw error;
  }
}

async function passThrough(source: AsyncIterable<Uint8Array>, target: FileTarget, incoming: IncomingFile): Promise<Omit<ImportFile, "blob">> {
  const { format, charset, isCompressed, limitBytes, tooLarge, limits } = incoming;
  const plain = isCompressed ? expand(source, { limitBytes, tooLarge }) : source;
  const hash = createHash("sha256");
  const counter = recordCounter(format);
  const head = new Head(headBytes(incoming));
  let header: CsvHeader | undefined;
  let bytes = 0;
  for await (const chunk of utf8Text(plain, { charset })) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    hash.update(chunk);
    counter.add(chunk);
    if (header === undefined) head.add(chunk);
    // Nobody needs to send the rest of a file whose header is wrong. Behind a carriage return half of its line end may be to come.
    if (format === "csv" && header === undefined && (head.isFull || (counter.row > 0 && chunk.at(-1) !== carriageReturn))) {
      header = await headerOf(head.bytes(), incoming);
    }
    await target.write(chunk);
  }
  const { records } = counter.end();
  // An array may have no items, and says so.
  if (bytes === 0 || (records === 0 && format !== "json")) throw emptyFile(format);
  if (format === "json") await requireJsonArray(head.bytes(), { depth: limits.jsonDepth });
  if (format === "csv") header ??= await headerOf(head.bytes(), incoming);
  return { format, bytes, sha256: hash.digest("hex"), rows: header === undefined ? records : records - 1, header };
}

function emptyFile(format: TransferFormat): ProblemError {
  return new ProblemError("EMPTY_FILE", format === "csv" ? "The file is empty; it must begin with a header." : "The file has no rows.");
}

/** How much of a file is looked at before it is kept: the header, or the whole of what is read as a whole. */
function headBytes({ format, limits, limitBytes }: IncomingFile): number {
  if (format === "json") return limitBytes;
  return format === "csv" ? limits.importRowBytes + lineEndBytes : 0;
}

async function headerOf(head: Uint8Array, incoming: IncomingFile): Promise<CsvHeader> {
  const { delimiter, limits } = incoming;
  const header = await readHeader(once(head), { delimiter, limits: { rowBytes: limits.importRowBytes, columns: limits.importColumns } });
  incoming.checkHeader(header);
  return header;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const lineEndBytes = 65_536;

const carriageReturn = 0x0d;

/** The beginning of a file. */
class Head {
  readonly #limit: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#length >= this.#limit;
  }

  add(chunk: Uint8Array): void {
    if (this.isFull) return;
    const part = chunk.subarray(0, this.#limit - this.#length);
    this.#chunks.push(part);
    this.#length += part.length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}
