import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Draft } from "../../../../src/ground/storage/files/blobs.js";

const main = fileURLToPath(new URL("draftWriter.ts", import.meta.url));

export interface DraftWriterProcess {
  /** The drafts that it has flushed, one after the other. */
  readonly drafts: readonly Draft[];
  /** What it was told when it could not go on. */
  readonly refused: string | undefined;
  /** Resolves when it has flushed so many. */
  flushed(count: number): Promise<void>;
  /** Resolves with its exit code. */
  readonly ended: Promise<unknown>;
  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void;
}

/** Goes on with a draft in a process of its own, which writes until it is killed or refused. */
export function startDraftWriter({ path, key, draft }: { readonly path: string; readonly key: string; readonly draft: Draft }): DraftWriterProcess {
  const child = spawn(process.execPath, ["--import", "tsx", main], {
    env: { ...process.env, BLOBS_PATH: path, BLOB_KEY: key, BLOB_DRAFT: JSON.stringify(draft) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const drafts: Draft[] = [];
  let refused: string | undefined;
  const lines = createInterface({ input: child.stdout }).on("line", (line) => {
    const said: Draft | { readonly refused: string } = JSON.parse(line);
    if ("refused" in said) refused = said.refused;
    else drafts.push(said);
  });
  const ended = once(child, "close").then(([code]: unknown[]) => code);
  return {
    drafts,
    get refused() {
      return refused;
    },
    async flushed(count) {
      while (drafts.length < count) {
        const code = await Promise.race([once(lines, "line").then(() => undefined), ended]);
        if (code !== undefined && drafts.length < count) throw new Error(`The writer ended with ${String(code)}.`);
      }
    },
    ended,
    signal: (name) => void child.kill(name),
  };
}
