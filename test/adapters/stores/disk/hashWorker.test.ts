// @slow

import { fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { HashWorker } from "../../../../adapters/stores/disk/hashWorker.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-hash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("files that grow at the same time have the hashes of their bytes", async () => {
  const worker = new HashWorker();
  const files = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const file = join(folder, `growing-${index}`);
      const pieces = Array.from({ length: 5 }, () => randomBytes(100_000 * index + 1));
      let size = 0;
      for (const piece of pieces) {
        appendFileSync(file, piece);
        size += piece.length;
        const following = worker.follow(file, size);
        if (index % 2 === 0) await following;
      }
      return { expected: sha256(Buffer.concat(pieces)), got: await worker.digest(file, size) };
    }),
  );
  for (const { expected, got } of files) expect(got).toBe(expected);
});

test("a file larger than a step is hashed to its end, and bytes after its size do not count", async () => {
  const worker = new HashWorker();
  const file = join(folder, "large");
  const bytes = randomBytes(40_000_000);
  writeFileSync(file, bytes);
  expect(await worker.digest(file, 39_999_999)).toBe(sha256(bytes.subarray(0, 39_999_999)));
});

test("a size below what was followed begins again", async () => {
  const worker = new HashWorker();
  const file = join(folder, "shorter");
  const bytes = randomBytes(1_000);
  writeFileSync(file, bytes);
  await worker.follow(file, 1_000);
  expect(await worker.digest(file, 600)).toBe(sha256(bytes.subarray(0, 600)));
});

test("a file that is missing or too short has no hash, and others still have", async () => {
  const worker = new HashWorker();
  const file = join(folder, "short");
  writeFileSync(file, "abc");
  await worker.follow(join(folder, "missing"), 3);
  expect(await worker.digest(join(folder, "missing"), 3)).toBeUndefined();
  expect(await worker.digest(file, 4)).toBeUndefined();
  expect(await worker.digest(file, 3)).toBe(sha256(Buffer.from("abc")));
});

test("after the thread has died there is no hash, and nobody waits for it", async () => {
  const file = join(folder, "any");
  writeFileSync(file, "abc");
  for (const code of ["process.exit(1)", "throw new Error()", 'require("node:worker_threads").parentPort.on("message", () => process.exit(1))']) {
    const worker = new HashWorker(code);
    await worker.follow(file, 3);
    expect(await worker.digest(file, 3)).toBeUndefined();
    expect(await worker.digest(file, 3)).toBeUndefined();
  }
});

test("a process ends although the thread waits for more files", async () => {
  const file = join(folder, "last");
  writeFileSync(file, "abc");
  const child = fork(fileURLToPath(new URL("hashWorkerProcess.ts", import.meta.url)), [file], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  child.disconnect();
  let said = "";
  child.stdout?.on("data", (text: Buffer) => {
    said += text.toString();
  });
  const [code] = await once(child, "exit");
  expect({ code, said }).toEqual({ code: 0, said: sha256(Buffer.from("abc")) });
});
