import { once } from "node:events";
import { access, constants, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandError } from "./commandError.js";
import { printableLines } from "./terminal/printable.js";
import type { Terminal } from "./terminal/terminal.js";

/** Where a download is written to. */
export interface Output {
  write(chunk: Uint8Array): Promise<void>;
  /** Discards what was written; absent if that is not possible. */
  restart?(): Promise<void>;
  /** Completes the output. */
  commit(): Promise<void>;
  /** Removes an incomplete output; does nothing after `commit`. */
  discard(): Promise<void>;
}

/** Opens a file under a temporary name; `commit` renames it to its path. */
export async function openFileOutput(path: string): Promise<Output> {
  const part = `${path}.${process.pid}.part`;
  const handle = await open(part, "w");
  let isOpen = true;
  let at = 0;
  const close = async () => {
    isOpen = false;
    await handle.close();
  };
  return {
    async write(chunk) {
      for (let start = 0; start < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, start, chunk.length - start, at);
        start += bytesWritten;
        at += bytesWritten;
      }
    },
    async restart() {
      await handle.truncate(0);
      at = 0;
    },
    async commit() {
      await handle.sync();
      await close();
      await rename(part, path);
    },
    async discard() {
      if (isOpen) await close();
      await rm(part, { force: true });
    },
  };
}

/**
 * Checks that a file can be written, before the command sends a request.
 *
 * @param option the option that names the file
 * @throws {CommandError} if its folder is missing or not writable, or if the path is a folder
 */
export async function requireWritable(path: string, option: string): Promise<void> {
  const folder = dirname(path);
  const inFolder = await stat(folder).catch(() => undefined);
  if (inFolder?.isDirectory() !== true) throw new CommandError(`${option} ${path}: the folder ${folder} does not exist.`);
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new CommandError(`${option} ${path}: the folder ${folder} is not writable.`, { cause });
  });
  const atPath = await stat(path).catch(() => undefined);
  if (atPath?.isDirectory() === true) throw new CommandError(`${option} ${path}: this is a folder; name a file in it.`);
}

/** An output to a stream, such as standard output. Of what would change a terminal, a terminal shows spaces. */
export function streamOutput(stream: Terminal["stdout"]): Output {
  const decoder = stream.isTTY === true ? new TextDecoder() : undefined;
  return {
    async write(bytes) {
      const chunk = decoder === undefined ? bytes : printableLines(decoder.decode(bytes, { stream: true }));
      if (stream.destroyed) throw new CommandError("The reader of standard output has closed it.");
      if (!stream.write(chunk)) await Promise.race([once(stream, "drain"), once(stream, "close")]);
    },
    commit: async () => {},
    discard: async () => {},
  };
}
