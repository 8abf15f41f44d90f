import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("blobWriter.ts", import.meta.url));

export interface BlobWriterProcess {
  /** What it has printed: keys, one after the other. */
  readonly keys: readonly string[];
  /** Resolves when it is dead. */
  kill(): Promise<void>;
}

/** Starts the writer in a process of its own; resolves when it has printed its first key. */
export async function startBlobWriter({
  path,
  key,
  bytes,
}: {
  readonly path: string;
  readonly key?: string;
  readonly bytes?: number;
}): Promise<BlobWriterProcess> {
  const child = spawn(process.execPath, ["--import", "tsx", main], {
    env: { ...process.env, BLOBS_PATH: path, BLOB_KEY: key ?? "", BLOB_BYTES: String(bytes ?? 0) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const keys: string[] = [];
  const lines = createInterface({ input: child.stdout }).on("line", (line) => keys.push(line));
  const ended = once(child, "close").then(([code]) => {
    if (keys.length === 0) throw new Error(`The writer ended with ${String(code)}.`);
  });
  ended.catch(() => {});
  await Promise.race([once(lines, "line"), ended]);
  return {
    keys,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
