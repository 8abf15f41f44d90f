import { createHash, type Hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, open, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError, Interrupted } from "../commandError.js";
import type { OutgoingFile } from "./sendFile.js";

/** A file to import. */
export interface InputFile extends OutgoingFile {
  /** As in the command line. */
  readonly name: string;
  /** Path, size and modification time, or the hash of standard input: the same for the same content. */
  readonly identity: string;
  /** The first bytes. */
  readonly head: Uint8Array;
  /** @throws {CommandError} if the file was modified after the command began */
  requireUnchanged(): Promise<void>;
  /** Removes temporary files. */
  close(): Promise<void>;
}

const headBytes = 65_536;

/**
 * Opens a file.
 *
 * @throws {CommandError} if it is not a file, or is empty
 */
export async function openInputFile(name: string): Promise<InputFile> {
  const path = await realpath(name).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" ? new CommandError(`The file ${name} does not exist.`) : error;
  });
  const found = await stat(path);
  if (!found.isFile()) throw new CommandError(`${name} is not a regular file. To import from a pipe, use standard input: "-".`);
  const requireUnchanged = async () => {
    const now = await stat(path);
    if (now.size !== found.size || now.mtimeMs !== found.mtimeMs) throw new CommandError(`${name} was modified after the command began.`);
  };
  const identity = JSON.stringify([path, found.size, found.mtimeMs]);
  return { name, path, bytes: found.size, identity, head: await readHead(path, name), requireUnchanged, close: async () => {} };
}

/** Copies standard input to a temporary file, so that its length is known and it can be sent again. */
export async function spoolInput(stdin: Readable, signal: AbortSignal): Promise<InputFile> {
  const folder = await mkdtemp(join(tmpdir(), "restwright-"));
  const close = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, "stdin");
  const hash = createHash("sha256");
  try {
    await pipeline(stdin, (source: AsyncIterable<Buffer>) => hashed(source, hash), createWriteStream(path, { mode: 0o600 }), { signal });
    const { size } = await stat(path);
    const identity = JSON.stringify(["-", hash.digest("hex")]);
    return { name: "-", path, bytes: size, identity, head: await readHead(path, "standard input"), requireUnchanged: async () => {}, close };
  } catch (error) {
    await close();
    throw signal.aborted ? new Interrupted() : error;
  }
}

async function* hashed(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

async function readHead(path: string, name: string): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    if (bytesRead === 0) throw new CommandError(`${name} is empty.`);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Whether a file is gzip. No text format begins with these bytes. @see RFC 1952 §2.3.1 */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Whether a file is the error report of an import, corrected or not. */
export function isErrorReport(head: Uint8Array): boolean {
  const [header = ""] = Buffer.from(head)
    .toString()
    .split(/[\r\n]/, 1);
  return header.endsWith("_row,_line,_code,_field,_message");
}
