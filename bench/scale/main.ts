import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { createService, defineResource, type HttpRequest } from "restwright";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { formatHeat, formatSummary } from "../tools/raceReport.js";
import { summarize } from "../tools/statistics.js";
import { measureDocuments } from "./documents.js";

const rounds = 7;
const requests = 3_000;
const rowCount = 500;
const wideColumns = 200;
const resourceCount = 500;
const [service, byHand] = ["restwright", "by hand"];

const folder = mkdtempSync(join(tmpdir(), "restwright-scale-"));
await measureWideRows();
await measureManyResources();
await measureDocuments();
rmSync(folder, { recursive: true, force: true });

/** GET of one row of a table with 200 columns, through the service and by a prepared statement. */
async function measureWideRows(): Promise<void> {
  const members = Object.fromEntries(
    Array.from({ length: wideColumns - 1 }, (_, index) => [`column${index}`, index % 2 === 0 ? z.int() : z.string()]),
  );
  const wide = defineResource("wide", { schema: z.object({ id: z.int(), ...members }), generated: { id: "increment" } });
  const path = join(folder, "wide.db");
  const storage = sqliteStorage({ path, driver: "libsql" });
  const { handle, start, close } = createService({ resources: [wide], storage });
  await start();
  const values = Object.fromEntries(Object.keys(members).map((name, index) => [name, index % 2 === 0 ? index : `text ${index}`]));
  const rows = storage.collection(wide.model);
  for (let made = 0; made < rowCount; made++) await rows.insert({ ...values, _version: "v1", _updatedAt: new Date(0) }, {});
  const statement = new Database(path).prepare(`select * from wide where "_tenant" = '' and id = ?`);
  const runs = new Map<string, (id: number) => unknown>([
    [service, (id) => handle(getOf(`/wide/${id}`))],
    [byHand, (id) => JSON.stringify(statement.get(id))],
  ]);
  const figures = new Map<string, number[]>([...runs.keys()].map((name) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [name, run] of runs) {
      const took = await cpuMicroseconds(run);
      if (round >= 0) figures.get(name)?.push(took);
    }
  }
  await close();
  const comparisons = [{ one: service, other: byHand, bar: 2 }];
  console.log(formatHeat({ title: `GET of a row of ${wideColumns} columns, SQLite, without a socket`, figures, comparisons }));
}

async function cpuMicroseconds(run: (id: number) => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let turn = 0; turn < requests; turn++) await run((turn % rowCount) + 1);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

function getOf(path: string): HttpRequest {
  const never = new AbortController().signal;
  return { method: "GET", path, query: "", mount: "", headers: [], body: { kind: "none" }, signal: never, native: undefined };
}

/** Defining 500 resources, and starting a service with them on a file that has their tables. */
async function measureManyResources(): Promise<void> {
  const schema = () =>
    z.object({ id: z.int(), name: z.string(), email: z.email(), status: z.enum(["a", "b"]), note: z.string().nullable(), at: z.date() });
  const generated = { id: "increment", at: "createdAt" } as const;
  const taken: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const begun = performance.now();
    const resources = Array.from({ length: resourceCount }, (_, index) => defineResource(`things${index}`, { schema: schema(), generated }));
    const started = createService({ resources, storage: sqliteStorage({ path: join(folder, "many.db") }) });
    await started.start();
    if (round >= 0) taken.push(performance.now() - begun);
    await started.close();
  }
  console.log(`\n${resourceCount} resources are defined and started in ${formatSummary(summarize(taken))} ms (bar 300)`);
}
