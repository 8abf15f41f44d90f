import { parseArgs } from "node:util";
import { type Capability, createService, defineResource, type HttpRequest, type Storage } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { summarize } from "../tools/statistics.js";

/**
 * What hooks and actions cost: a POST, a PATCH and a batch of 1,000 new rows without a hook, in a transaction in which nothing runs, with hooks() but none of this collection, and with a
 * hook before and after each write; and an action beside the PATCH that does the same. All of them are measured in turn, round by round, in CPU time.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "11" },
    requests: { type: "string", default: "2000" },
    only: { type: "string", default: "" },
    of: { type: "string", default: "" },
  },
});
const rounds = Number(values.rounds);
const requests = Number(values.requests);

const schema = z.object({ id: z.int(), title: z.string(), total: z.number(), tax: z.number().default(0) });
const common = { schema, generated: { id: "increment" } } as const;

const collections = {
  "no hook": () => defineResource("notes", common),
  "a transaction": () => defineResource("notes", common),
  "hooks of another collection": () => defineResource("notes", common),
  "a hook before": () => defineResource("notes", { ...common, hooks: { beforeWrite: ({ next }) => ({ tax: (next?.total ?? 0) / 5 }) } }),
  "hooks before and after": () =>
    defineResource("notes", {
      ...common,
      hooks: {
        beforeWrite: ({ next }) => ({ tax: (next?.total ?? 0) / 5 }),
        afterWrite({ row }) {
          seen += row.id;
        },
      },
    }),
  "an action": () =>
    defineResource("notes", {
      ...common,
      actions: ({ action }) => ({
        rename: action({ on: "row", input: z.object({ title: z.string() }), run: ({ input }) => ({ title: input.title }) }),
      }),
    }),
};
type Name = keyof typeof collections;
let seen = 0;

const others = () => defineResource("others", { ...common, hooks: { afterWrite: () => {} } });
const signal = new AbortController().signal;

/** @param body JSON */
function requestOf(method: string, path: string, body: unknown): HttpRequest {
  return {
    ...{ method, path, query: "", mount: "", native: undefined, signal },
    headers: ["host", "api.example", "content-type", "application/json", "prefer", "return=minimal"],
    body: { kind: "bytes", bytes: Buffer.from(JSON.stringify(body)) },
  };
}

const note = { title: "A note", total: 5 };
const thousand = { items: Array.from({ length: 1_000 }, () => note) };
let turn = 0;
// Each PATCH changes the row: one that changes nothing writes nothing.
const titles = ["One title", "Another title"];
const renamings = titles.map((title) => requestOf("PATCH", "/notes/7", { title }));
const calls = titles.map((title) => requestOf("POST", "/notes/7/rename", { title }));
const insert = requestOf("POST", "/notes", note);
const inserts = requestOf("POST", "/notes/batch", thousand);
const oneOf = (all: readonly HttpRequest[]) => all[turn++ % all.length] as HttpRequest;

const works: Readonly<Record<string, { readonly next: (name: Name) => HttpRequest; readonly times: number; readonly of: readonly Name[] }>> = {
  POST: {
    next: () => insert,
    times: requests,
    of: ["no hook", "a transaction", "hooks of another collection", "a hook before", "hooks before and after"],
  },
  PATCH: {
    next: (name) => oneOf(name === "an action" ? calls : renamings),
    times: requests,
    of: ["no hook", "a transaction", "hooks of another collection", "a hook before", "hooks before and after", "an action"],
  },
  "batch of 1,000 rows": {
    next: () => inserts,
    times: Math.ceil(requests / 500),
    of: ["no hook", "a transaction", "hooks of another collection", "a hook before", "hooks before and after"],
  },
};

/** Writes need a transaction as with hooks, and nothing runs in it: what hooks cannot cost less than. */
const transactions: Capability = {
  name: "transactions",
  open: () => ({ rowHooks: { concerns: () => true, isolationOf: () => undefined, stages: () => [] } }),
};

function capabilitiesOf(name: Name): readonly Capability[] {
  if (name === "no hook") return [batch()];
  if (name === "a transaction") return [batch(), transactions];
  return [batch(), name === "an action" ? actions() : hooks()];
}

async function start(name: Name, storage: Storage) {
  const use = capabilitiesOf(name);
  const resources = [collections[name](), ...(name === "hooks of another collection" ? [others()] : [])];
  const service = createService({ resources, storage, use, logger: false });
  for (let row = 1; row <= 10; row++) {
    const answer = await service.handle(insert);
    if (answer?.status !== 201) throw new Error(`${name}: ${answer?.status}.`);
  }
  return { name, service };
}

for (const [store, open] of Object.entries({ memory: memoryStorage, SQLite: () => sqliteStorage({ path: ":memory:" }) })) {
  for (const [work, { next, times, of }] of Object.entries(works)) {
    if (!`${store}, ${work}`.includes(values.only)) continue;
    const running = await Promise.all(of.filter((name) => name.includes(values.of)).map((name) => start(name, open())));
    const figures = new Map(running.map(({ name }): [Name, number[]] => [name, []]));
    for (let round = -3; round < rounds; round++) {
      for (const { name, service } of running) {
        const before = process.cpuUsage();
        for (let index = 0; index < times; index++) {
          const answer = await service.handle(next(name));
          if (answer === undefined || answer.status >= 300) throw new Error(`${work}, ${name}: ${answer?.status}.`);
        }
        const { user, system } = process.cpuUsage(before);
        if (round >= 0) figures.get(name)?.push((user + system) / times);
      }
    }
    const base = figures.get("no hook") ?? [];
    for (const [name, found] of figures) {
      const ratio = summarize(found.map((figure, round) => figure / (base[round] ?? Number.NaN)));
      const more = summarize(found.map((figure, round) => figure - (base[round] ?? Number.NaN)));
      console.log(
        `${store}, ${work}, ${name}: ${summarize(found).median.toFixed(2)} µs, ${ratio.median.toFixed(2)} times, ${more.median.toFixed(2)} µs more`,
      );
    }
    for (const { service } of running) await service.close();
  }
}
if (seen === 0 && values.of === "") throw new Error("No hook has run.");
