import { diskBlobs } from "../../../../adapters/disk.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";

/** Writes more into a blob than its files may hold, and prints what comes of it and what is left. Run it under a limit on the size of files. */
const blobs = diskBlobs({ path: process.env["BLOBS_PATH"] ?? "" });

const refused: string[] = [];
for (const [key, chunkBytes] of [
  ["large", 65_536],
  ["small", 1_000],
] as const) {
  const writer = await blobs.open(key);
  try {
    for (let written = 0; written < 8_000_000; written += chunkBytes) await writer.write(Buffer.alloc(chunkBytes));
    await writer.commit();
  } catch (error) {
    if (error instanceof Unavailable) refused.push(error.message);
    await writer.abort();
  }
}
const left: string[] = [];
for await (const { key } of blobs.list("", { before: new Date(8.64e15) })) left.push(key);
process.stdout.write(JSON.stringify({ refused, left }));
