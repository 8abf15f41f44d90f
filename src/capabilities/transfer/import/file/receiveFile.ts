import { createHash } from "node:crypto";
import type { Limits } from "../../../../ground/limits/limits.js";
import { ProblemError } from "../../../../ground/problem/index.js";
import type { BlobStat } from "../../../../ground/storage/files/blobs.js";
import { expand } from "../../formats/expand.js";
import { requireJsonArray } from "../../formats/jsonArrayRows.js";
import { pieces } from "../../formats/pieces.js";
import { type CsvHeader, readHeader } from "../../formats/readHeader.js";
import { recordCounter } from "../../formats/recordCounter.js";
import { type TextCharset, utf8Text } from "../../formats/utf8Text.js";
import type { TransferFormat } from "../../rows.js";
import type { ImportFile } from "./importFile.js";

/** A body that a host passes as one chunk is processed in pieces of so many bytes. */
const pieceBytes = 65_536;

/** Where a received file is written to. */
export interface FileTarget {
  write(chunk: Uint8Array): Promise<void>;
  /** @returns the ETag of the blob, and the sealed key if it is sealed; `undefined` if the file is in memory */
  commit(): Promise<(Pick<BlobStat, "etag"> & { readonly dataKey?: string | undefined }) | undefined>;
  abort(): Promise<void>;
}

/** How a file is sent, and its limits. */
export interface IncomingFile {
  readonly format: TransferFormat;
  readonly delimiter: string;
  readonly charset: TextCharset | undefined;
  readonly isCompressed: boolean;
  readonly limits: Limits;
  /** Limit of its text, after decompression. */
  readonly limitBytes: number;
  /** Makes the error for a larger file. */
  tooLarge(limitBytes: number): ProblemError;
  /** Validates the CSV header before the file is complete. */
  checkHeader(header: CsvHeader): void;
}

/**
 * Receives a file: decompresses it, converts it to UTF-8, hashes it and counts its rows in one pass. A refused file is removed from the target.
 *
 * @param key key of the blob, if the target is one
 * @throws {ProblemError} EMPTY_FILE, IMPORT_TOO_LARGE, INVALID_COMPRESSION, INVALID_ENCODING, MALFORMED_JSON if a JSON file is not an array, the errors of
 *   `readHeader` and `checkHeader`
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
    return { ...passed, blob: key === undefined || stat === undefined ? undefined : { key, etag: stat.etag, dataKey: stat.dataKey } };
  } catch (error) {
    await target.abort();
    throw error;
  }
}

async function passThrough(source: AsyncIterable<Uint8Array>, target: FileTarget, incoming: IncomingFile): Promise<Omit<ImportFile, "blob">> {
  const { format, charset, isCompressed, limitBytes, tooLarge } = incoming;
  const plain = isCompressed ? expand(source, { limitBytes, tooLarge }) : source;
  const hash = createHash("sha256");
  const counter = recordCounter(format);
  const head = new Head(headBytes(incoming));
  let header: CsvHeader | undefined;
  let bytes = 0;
  for await (const chunk of utf8Text(pieces(plain, pieceBytes), { charset })) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    hash.update(chunk);
    counter.add(chunk);
    if (header === undefined) head.add(chunk);
    // Validates the header as soon as it is complete, so that the client need not send the rest of a file with a wrong one. After a carriage return a line
    // feed may follow in the next chunk.
    if (format === "csv" && header === undefined && (head.isFull || (counter.row > 0 && chunk.at(-1) !== carriageReturn))) {
      header = await headerOf(head.bytes(), incoming);
    }
    await target.write(chunk);
  }
  const { records } = counter.end();
  // An empty JSON array is a valid file without rows.
  if (bytes === 0 || (records === 0 && format !== "json")) throw emptyFile(format);
  if (format === "json") await requireJsonArray(head.bytes());
  if (format === "csv") header ??= await headerOf(head.bytes(), incoming);
  return { format, bytes, sha256: hash.digest("hex"), rows: header === undefined ? records : records - 1, header };
}

function emptyFile(format: TransferFormat): ProblemError {
  return new ProblemError("EMPTY_FILE", format === "csv" ? "The file is empty; it must begin with a header." : "The file has no rows.");
}

/** How many bytes are kept in memory for validation: the header of CSV, all of a JSON array. */
function headBytes({ format, limits, limitBytes }: IncomingFile): number {
  if (format === "json") return limitBytes;
  return format === "csv" ? limits.importRowBytes + lineEndBytes : 0;
}

async function headerOf(head: Uint8Array, incoming: IncomingFile): Promise<CsvHeader> {
  const { delimiter, limits } = incoming;
  const header = await readHeader(singleChunk(head), { delimiter, limits: { rowBytes: limits.importRowBytes, columns: limits.importColumns } });
  incoming.checkHeader(header);
  return header;
}

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const lineEndBytes = 65_536;

const carriageReturn = 0x0d;

/** Collects the beginning of a file. */
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
