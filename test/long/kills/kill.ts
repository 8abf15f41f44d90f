import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killWhileWriting } from "../../e2e/kills/killWhileWriting.js";
import { hosts } from "../../e2e/shop/shopProcess.js";

/** Kills the shop with SIGKILL while it writes, by the hundred: `npx tsx test/long/kills/kill.ts --rounds 100`. Exits with 1 where anything acknowledged is lost. */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    writers: { type: "string", default: "16" },
    host: { type: "string", default: "fastify" },
    /** A PostgreSQL that is there to be written to; otherwise the embedded store in a temporary folder. */
    database: { type: "string" },
  },
});
const host = hosts.find((name) => name === values.host);
if (host === undefined) throw new Error(`--host must be one of ${hosts.join(", ")}; got "${values.host}".`);

const folder = mkdtempSync(join(tmpdir(), "restwright-kill-"));
const environment = values.database === undefined ? { DATA_DIR: folder } : { DATABASE_URL: values.database };
const report = await killWhileWriting({
  rounds: Number(values.rounds),
  writers: Number(values.writers),
  host,
  environment,
  aliveMs: () => 30 + Math.random() * 300,
});
rmSync(folder, { recursive: true, force: true });
console.log(
  `${values.rounds} kills: ${report.acknowledgedRows} rows and ${report.acknowledgedChanges} changes acknowledged, ${report.losses.length} lost`,
);
for (const loss of report.losses) console.log(loss);
process.exitCode = report.losses.length === 0 ? 0 : 1;
