import { parseArgs } from "node:util";
import { createService, defineResource, type HttpRequest, type ScopeRule, type Storage } from "restwright";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { summarize } from "../tools/statistics.js";

/**
 * What a row scope costs: a read of a row, a list of 20 rows, and a batch of 1,000 new rows, each without a scope, with a scope that allows all rows, and with one that
 * compares the owner. All of them are measured in turn, round by round, in CPU time. Run with `npx tsx bench/capabilities/rules.ts`.
 */
const { values } = parseArgs({ options: { rounds: { type: "string", default: "11" }, requests: { type: "string", default: "4000" } } });
const rounds = Number(values.rounds);
const requests = Number(values.requests);

const schema = z.object({ id: z.int(), ownerId: z.string(), title: z.string(), total: z.number() });
type Note = z.output<typeof schema>;

const notes = (scope?: ScopeRule<Note>) => defineResource("notes", { schema, generated: { id: "increment" }, index: ["ownerId"], scope });

const scopes: Readonly<Record<string, ScopeRule<Note> | undefined>> = {
  "no scope": undefined,
  "a scope of all rows": () => true,
  "a scope of the owner": ({ principal }) => ({ ownerId: principal.id }),
};
const first = "no scope";

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const note = { ownerId: "anonymous", title: "A note", total: 5 };
const thousand = bytesOf({ items: Array.from({ length: 1_000 }, () => note) });
const signal = new AbortController().signal;

/** @param body JSON */
function requestOf(method: string, target: string, body?: Uint8Array): HttpRequest {
  const [path = "", query = ""] = target.split("?", 2);
  return {
    ...{ method, path, query, mount: "", native: undefined, signal },
    headers: ["host", "api.example", "content-type", "application/json", "prefer", "return=minimal"],
    body: body === undefined ? { kind: "none" } : { kind: "bytes", bytes: body },
  };
}

const works = {
  "GET of a row": { request: requestOf("GET", "/notes/7"), times: requests },
  "list of 20 rows": { request: requestOf("GET", "/notes?perPage=20&count=none"), times: Math.ceil(requests / 8) },
  "batch of 1,000 rows": { request: requestOf("POST", "/notes/batch", thousand), times: Math.ceil(requests / 2_000) },
};

async function start(name: string, storage: Storage) {
  const service = createService({ resources: [notes(scopes[name])], storage, use: [batch()], logger: false });
  // Ten owners; the rows 7, 17, … belong to the caller.
  for (let row = 1; row <= 500; row++)
    await service.asSystem().notes.create({ ...note, ownerId: row % 10 === 7 ? note.ownerId : `owner-${row % 10}` });
  const answer = await service.handle(works["GET of a row"].request);
  if (answer?.status !== 200) throw new Error(`${name}: ${answer?.status}.`);
  return { name, service };
}

for (const [store, open] of Object.entries({ memory: memoryStorage, SQLite: () => sqliteStorage({ path: ":memory:" }) })) {
  const running = await Promise.all(Object.keys(scopes).map((name) => start(name, open())));
  for (const [work, { request, times }] of Object.entries(works)) {
    const figures = new Map(running.map(({ name }): [string, number[]] => [name, []]));
    for (let round = -3; round < rounds; round++) {
      for (const { name, service } of running) {
        const before = process.cpuUsage();
        for (let index = 0; index < times; index++) await service.handle(request);
        const { user, system } = process.cpuUsage(before);
        if (round >= 0) figures.get(name)?.push((user + system) / times);
      }
    }
    const base = figures.get(first) ?? [];
    for (const [name, found] of figures) {
      const ratio = summarize(found.map((figure, round) => figure / (base[round] ?? Number.NaN)));
      const more = summarize(found.map((figure, round) => figure - (base[round] ?? Number.NaN)));
      console.log(
        `${store}, ${work}, ${name}: ${summarize(found).median.toFixed(2)} µs, ${ratio.median.toFixed(2)} times, ${more.median.toFixed(2)} µs more`,
      );
    }
  }
  for (const { service } of running) await service.close();
}
