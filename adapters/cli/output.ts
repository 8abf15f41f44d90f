import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { CommandError } from "./commandError.js";

/** Where a download goes. */
export interface Output {
  write(chunk: Uint8Array): Promise<void>;
  /** Forgets what was written; absent where that has gone out of the house. */
  restart?(): Promise<void>;
  /** Everything is there. */
  commit(): Promise<void>;
  /** It will never be; does nothing behind a commit. */
  discard(): Promise<void>;
}

/** A file that has its name only when all of it is there. */
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

/** A stream, as standard output is one. */
export function streamOutput(stream: Writable): Output {
  return {
    async write(chunk) {
      if (stream.destroyed) throw new CommandError("Nobody reads the output any more.");
      if (!stream.write(chunk)) await Promise.race([once(stream, "drain"), once(stream, "close")]);
    },
    commit: async () => {},
    discard: async () => {},
  };
}
