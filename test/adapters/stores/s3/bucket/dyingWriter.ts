import { s3Blobs } from "../../../../../adapters/s3.js";

/** Begins a blob, says so, and never commits it. */
const { options, key, bytes } = JSON.parse(process.argv[2] ?? "");
const writer = await s3Blobs(options).open(key);
await writer.write(Buffer.alloc(bytes, 1));
process.stdout.write(`${key}\n`);
setInterval(() => {}, 60_000);
