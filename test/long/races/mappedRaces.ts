import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type CountersDatabase,
  createCounters,
  postgresCounters,
  postgresKinds,
  sqliteCounters,
  sqliteKinds,
} from "../../adapters/stores/mapped/races/counterTables.js";
import { connectionProgram, psqlProgram, type StartProgram, sqliteProgram } from "../../adapters/stores/mapped/races/otherPrograms.js";
import { Counters, countTogether, raceForTags } from "../../adapters/stores/mapped/races/tableRaces.js";
import { isMissing, postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Writers race for the rows of a table of a developer, with each kind of version, beside other programs that write the same rows: `npx tsx test/long/races/mappedRaces.ts --keys 200
 * --writers 50` (POSTGRES_URL; a second connection, and psql if it is installed), and with `--store sqlite` beside a second process. Exits with 1 unless each tag has exactly
 * one winner, each version one writer, no tag fits two states, no 304 is stale and no write is lost.
 */
const { values } = parseArgs({
  options: {
    store: { type: "string", default: "postgres" },
    keys: { type: "string", default: "200" },
    writers: { type: "string", default: "50" },
    writes: { type: "string", default: "40" },
  },
});
const { store } = values;
if (!["sqlite", "postgres"].includes(store)) throw new Error(`--store must be sqlite or postgres; got "${store}".`);
if (store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");
const [keys, writers, writes] = [values.keys, values.writers, values.writes].map(Number) as [number, number, number];

interface Opened {
  readonly database: CountersDatabase;
  readonly programs: Readonly<Record<string, StartProgram>>;
  remove(): Promise<void>;
}

async function openPostgres(): Promise<Opened> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  const database = postgresCounters(connectionString);
  const programs = { "a second connection": connectionProgram(database), ...(!isMissing("psql") && { psql: psqlProgram(connectionString) }) };
  return { database, programs, remove: () => schema.drop() };
}

async function openSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "restwright-races-"));
  const path = join(folder, "counters.db");
  const remove = async () => rmSync(folder, { recursive: true, force: true });
  return { database: sqliteCounters(path), programs: { "a second process": sqliteProgram(path) }, remove };
}

const { database, programs, remove } = await (store === "postgres" ? openPostgres() : openSqlite());
const kinds = store === "postgres" ? postgresKinds : sqliteKinds;

for (const [name, kind] of Object.entries(kinds)) {
  for (const [program, start] of Object.entries(programs)) {
    await createCounters(database, kind, keys);
    const counters = new Counters(database.storage, kind);
    const begunMs = performance.now();
    const winners = await raceForTags(counters, keys, writers);
    const counted = await countTogether(counters, database, kind, start, { keys: Math.min(keys, 20), writers, writes });
    const wrong = winners.filter((count) => count !== 1).length;
    const seconds = ((performance.now() - begunMs) / 1_000).toFixed(1);
    console.log(
      `${name}: ${keys} tags with ${writers} writers each, ${wrong} without exactly one winner; then ${counted.won} of ${writers * writes} writes won beside ` +
        `${counted.others} of ${program}, ${counted.faults.length} rows with lost writes, ${counters.faults.length} other faults; ${seconds} s`,
    );
    for (const line of [...counted.faults, ...counters.faults].slice(0, 10)) console.log(`  ${line}`);
    if (wrong + counted.faults.length + counters.faults.length > 0) process.exitCode = 1;
  }
}

await database.close();
await remove();
