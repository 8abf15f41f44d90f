import assert from "node:assert/strict";
import { diskBlobs } from "../../../../adapters/disk.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";

/** Writes more into a draft than its file may hold, and prints what comes of it. Run it under a limit on the size of files. */
const blobs = diskBlobs({ path: process.env["BLOBS_PATH"] ?? "" });
const drafts = blobs.drafts;
assert.ok(drafts);

const refused: string[] = [];
const begun = await drafts.begin("large", { contentType: "text/plain" });
const writer = await drafts.resume("large", begun);
assert.ok(writer);
await writer.write(Buffer.alloc(1_000_000, 1));
const draft = await writer.flush();
try {
  for (let written = 0; written < 8_000_000; written += 65_536) await writer.write(Buffer.alloc(65_536, 2));
  await writer.flush();
} catch (error) {
  if (error instanceof Unavailable) refused.push(error.message);
}
for (const more of [() => writer.write(Buffer.alloc(1)), () => writer.flush()]) {
  await more().catch((error: unknown) => {
    if (error instanceof Unavailable) refused.push(error.message);
  });
}
await writer.close();
const completed = await drafts.complete("large", draft);
const bytes: Uint8Array[] = [];
for await (const chunk of (await blobs.read("large")) ?? []) bytes.push(chunk);
const isWhole = Buffer.concat(bytes).equals(Buffer.alloc(1_000_000, 1));
process.stdout.write(JSON.stringify({ refused, size: completed?.size, isWhole }));
