import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hosts } from "../../e2e/shop/shopProcess.js";
import { uploadsTakenOver } from "../../e2e/uploads/uploadsTakenOver.js";
import { uploadWhileKilled } from "../../e2e/uploads/uploadWhileKilled.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * One large upload by tus-js-client, during which the shop is killed with SIGKILL at 15, 55 and 95 %: `npx tsx test/long/kills/uploads.ts`. With `--seconds 180` two
 * shops on one folder and one database instead, and clients that go from one to the other in the middle of what they send, while shops stand still for longer than
 * anybody waits for them. `--durability file`: only whole files are durable. `--store postgres` needs POSTGRES_URL. Exits with 1 where a file is not what was sent, or an upload began anew.
 */
const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    host: { type: "string", default: "fastify" },
    /** Size of the one file, and of the largest of many. */
    mebibytes: { type: "string" },
    seconds: { type: "string", default: "0" },
    clients: { type: "string", default: "6" },
    pause: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    durability: { type: "string", default: "piece" },
  },
});
const host = hosts.find((name) => name === values.host);
if (host === undefined) throw new Error(`--host must be one of ${hosts.join(", ")}; got "${values.host}".`);
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const mebibyte = 1_048_576;
const folder = mkdtempSync(join(tmpdir(), "restwright-uploads-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const database: Record<string, string> = schema === undefined ? {} : { DATABASE_URL: await schema.create() };
const environment = { DATA_DIR: folder, ...database, DURABLE_PIECES: values.durability === "file" ? "off" : "on" };
const begunMs = performance.now();
const faults = await (values.seconds === "0" ? killed() : takenOver());
await schema?.drop();
rmSync(folder, { recursive: true, force: true });
console.log(`${Math.round((performance.now() - begunMs) / 1_000)} s, ${faults.length} faults`);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

async function killed(): Promise<readonly string[]> {
  const report = await uploadWhileKilled({
    host: host ?? "fastify",
    environment,
    bytes: Number(values.mebibytes ?? 200) * mebibyte,
    bytesPerSecond: 40 * mebibyte,
    seed: Number(values.seed),
    killAt: [0.15, 0.55, 0.95],
  });
  for (const { sent, resumedAt } of report.kills) console.log(`killed after ${sent} bytes, went on at ${resumedAt}`);
  return report.faults;
}

async function takenOver(): Promise<readonly string[]> {
  const report = await uploadsTakenOver({
    environment,
    forMs: Number(values.seconds) * 1_000,
    clients: Number(values.clients),
    maxBytes: Number(values.mebibytes ?? 24) * mebibyte,
    pauseMs: Number(values.pause) * 1_000,
    seed: Number(values.seed),
  });
  const { uploads, bytes, patches, broken, pauses, pausedWhileWriting, refused } = report;
  const answers = [...refused].map(([status, count]) => `${count} × ${status}`).join(", ");
  console.log(
    `${uploads} uploads, ${bytes} bytes; ${patches} PATCHes to their end, ${broken} broken off, ${pauses} pauses, ${pausedWhileWriting} during a PATCH; ${answers || "none refused"}`,
  );
  if (uploads === 0) return ["Nothing was uploaded."];
  return report.faults;
}
