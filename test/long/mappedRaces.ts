import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { ownSchema, postgresUrl } from "../stores/postgresSchema.js";
import {
  Counters,
  countTogether,
  createCounters,
  foreignWrite,
  lostUpdates,
  quantities,
  raceForTags,
  type VersionKind,
  versionKinds,
} from "../tables/tableRaces.js";

/**
 * Writers race for the rows of a table of a developer, with each kind of version: `npx tsx test/long/mappedRaces.ts --keys 200 --writers 50` (POSTGRES_URL). Beside them a
 * second connection writes the same rows, and psql if it is installed. Exits with 1 unless each tag has exactly one winner, no tag fits two states, no 304 is stale and no
 * write is lost.
 */
const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "200" },
    writers: { type: "string", default: "50" },
    writes: { type: "string", default: "40" },
  },
});
if (postgresUrl === undefined) throw new Error("POSTGRES_URL is not set.");
const [keys, writers, writes] = [values.keys, values.writers, values.writes].map(Number) as [number, number, number];

const schema = ownSchema();
const connectionString = await schema.create();
const storage = postgresStorage({ connectionString });
const pool = new pg.Pool({ connectionString, max: 2 });

for (const [name, kind] of Object.entries(versionKinds)) {
  await createCounters(pool, kind, keys);
  const counters = new Counters(storage, kind);
  const begunMs = performance.now();
  const winners = await raceForTags(counters, keys, writers);
  const before = await quantities(pool);
  const stopPsql = psqlLoop(kind);
  const counted = await countTogether(counters, pool, kind, { keys: Math.min(keys, 20), writers, writes });
  const hasPsql = await stopPsql();
  const lost = await lostUpdates(pool, before, counted);
  const { rows } = await pool.query("select sum(others)::int as others from counters");
  const others = Number(rows[0].others);
  const wrong = winners.filter((count) => count !== 1).length;
  const won = [...counted.values()].reduce((sum, count) => sum + count, 0);
  const seconds = ((performance.now() - begunMs) / 1_000).toFixed(1);
  console.log(
    `${name}: ${keys} tags with ${writers} writers each, ${wrong} without exactly one winner; then ${won} of ${writers * writes} writes won beside ${others} of other programs` +
      `${hasPsql ? " (psql among them)" : ""}, ${lost.length} rows with lost writes, ${counters.faults.length} other faults; ${seconds} s`,
  );
  for (const line of [...lost, ...counters.faults].slice(0, 10)) console.log(`  ${line}`);
  if (wrong + lost.length + counters.faults.length > 0) process.exitCode = 1;
}

await storage.close?.();
await pool.end();
await schema.drop();

/** Lets psql write until it is stopped. @returns a function that stops it, and tells whether there was one */
function psqlLoop(kind: VersionKind): () => Promise<boolean> {
  const psql = spawn("psql", ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", connectionString.replaceAll("+", "%20")], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  let isRunning = true;
  let isOver = false;
  const ended = once(psql, "close").then(
    ([code]) => code === 0,
    () => false,
  );
  void ended.then(() => {
    isRunning = false;
  });
  psql.stdin.on("error", () => {});
  const feed = async () => {
    for (let write = 0; !isOver && isRunning; write++) {
      const text = `${foreignWrite(kind)}'k${1 + (write % 20)}';\n`;
      if (!psql.stdin.write(text)) await Promise.race([once(psql.stdin, "drain"), ended]);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    psql.stdin.end();
  };
  const fed = feed().catch(() => {});
  return async () => {
    isOver = true;
    await fed;
    return ended;
  };
}
