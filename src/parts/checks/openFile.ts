import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { ByteRange } from "../../ground/storage/files/blobs.js";
import { FileUnreadable } from "./fileUnreadable.js";
import type { UncheckedFile } from "./readCheckInput.js";

/** An open file on disk; it stays the same file, whatever happens to its path. */
export interface OpenFile extends Pick<UncheckedFile, "read"> {
  /** In bytes, when it was opened. */
  readonly size: number;
  /** @throws {FileUnreadable} if the file was written to since it was opened */
  verifyUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** A read allocates no more than this, so that the file may have any length. */
const chunkBytes = 65_536;

/**
 * Opens a file to read ranges of its bytes.
 *
 * @throws {FileUnreadable} if there is no regular file at the path, or it cannot be opened
 */
export async function openFile(path: string): Promise<OpenFile> {
  const handle = await openHandle(path);
  try {
    const opened = await handle.stat({ bigint: true });
    if (!opened.isFile()) throw new FileUnreadable(path, "it is not a regular file");
    const size = Number(opened.size);
    return {
      size,
      read: (range) => readRange(path, handle, range ?? { start: 0, end: size }, size),
      async verifyUnchanged() {
        const now = await handle.stat({ bigint: true });
        if (now.size !== opened.size || now.mtimeNs !== opened.mtimeNs) throw new FileUnreadable(path, changed);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const changed = "it changed while it was checked";

async function openHandle(path: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK, opening a named pipe waits for a writer.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new FileUnreadable(path, code === "ENOENT" ? "there is no such file" : message, cause);
  }
}

async function* readRange(path: string, handle: FileHandle, { start, end }: ByteRange, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const stop = Math.min(end, size);
  for (let at = start; at < stop; ) {
    const buffer = new Uint8Array(Math.min(chunkBytes, stop - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    // The rest was cut off; a check must not accept what it has not seen.
    if (bytesRead === 0) throw new FileUnreadable(path, changed);
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
