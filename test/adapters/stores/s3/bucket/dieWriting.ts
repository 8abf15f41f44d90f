import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { S3Keys, S3Location } from "restwright/s3";

const main = fileURLToPath(new URL("dyingWriter.ts", import.meta.url));

/** Begins a blob in a process of its own, writes so many bytes, and kills that process. */
export async function dieWriting(options: S3Location & S3Keys, key: string, bytes: number): Promise<void> {
  const child = spawn(process.execPath, ["--import", "tsx", main, JSON.stringify({ options, key, bytes })], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const [first] = await Promise.race([once(child.stdout, "data"), ended]);
  if (!Buffer.isBuffer(first)) throw new Error(`The writer ended with ${String(first)}.`);
  child.kill("SIGKILL");
  await ended;
}
