import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { memoryStorage } from "restwright/memory";
import { diskBlobs } from "../../../adapters/disk.js";
import { breakForms } from "../../capabilities/uploads/forms/breakForms.js";
import { leftOf } from "../../capabilities/uploads/left.js";
import { uploadStage } from "../../capabilities/uploads/stage.js";
import { randomOf } from "../../fuzz/random.js";

/**
 * Sends forms with files to a service on disk, and breaks them off somewhere: `npx tsx test/long/load/uploadDisconnects.ts --clients 1000`. Exits with 1 where a
 * descriptor, a file or a record is left.
 */
const { values } = parseArgs({
  options: { clients: { type: "string", default: "200" }, seed: { type: "string", default: String(Date.now() % 1_000_000) } },
});
const folder = await mkdtemp(join(tmpdir(), "restwright-disconnects-"));
const stage = await uploadStage({
  storage: memoryStorage(),
  blobs: diskBlobs({ path: folder }),
  uploads: { forms: { avatars: { types: "any" } } },
});
const random = randomOf(Number(values.seed));
const atOnce = 20;

/** Open descriptors, and files below the folder of the blobs. */
function counts() {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return { descriptors: readdirSync("/proc/self/fd").length, files: files.length };
}

// What a process opens once is open from then on.
await breakForms(stage, atOnce, random);
await sleep(1_000);
const before = counts();
for (let done = 0; done < Number(values.clients); done += atOnce) await breakForms(stage, atOnce, random);
let after = counts();
for (let second = 0; second < 10 && (after.descriptors > before.descriptors || after.files > before.files); second++) {
  await sleep(1_000);
  after = counts();
}
const left = await leftOf(stage);
console.log(`${values.clients} forms broken off, seed ${values.seed}.`, {
  before,
  after,
  records: left.records.length,
  use: left.use,
  faults: stage.faults,
});
const isClean = after.descriptors <= before.descriptors && after.files === 0 && left.records.length === 0 && left.use.bytes === 0;
await stage.close();
await rm(folder, { recursive: true });
process.exitCode = isClean && stage.faults.length === 0 ? 0 : 1;
