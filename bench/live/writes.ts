import { parseArgs } from "node:util";
import { createService, defineResource, type HttpRequest, type Storage } from "restwright";
import { live } from "restwright/live";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { summarize } from "../tools/statistics.js";

/**
 * What it costs that the changes of a collection are kept: a POST and a PATCH of a collection with `live: true`, of one without it in a service with `live()`, and of one in a service without
 * it, in turn, round by round. In memory and on SQLite in CPU time; on PostgreSQL (`POSTGRES_URL`) in time, 16 at once, as the server works too. Run with `npx tsx bench/live/writes.ts`.
 */
const { values } = parseArgs({ options: { rounds: { type: "string", default: "15" }, requests: { type: "string", default: "3000" } } });
const rounds = Number(values.rounds);
const requests = Number(values.requests);

const schema = z.object({ id: z.int(), email: z.email(), name: z.string(), role: z.enum(["admin", "member"]).default("member"), age: z.int() });
const users = (isLive: boolean) =>
  defineResource("users", { schema, generated: { id: "increment" }, unique: ["email"], index: ["age"], live: isLive });

const signal = new AbortController().signal;
let emails = 0;

function requestOf(method: string, path: string, type: string, body: object): HttpRequest {
  const headers = ["host", "api.example", "content-type", type];
  return {
    method,
    path,
    query: "",
    mount: "",
    native: undefined,
    signal,
    headers,
    body: { kind: "bytes", bytes: Buffer.from(JSON.stringify(body)) },
  };
}

const works = {
  POST: () => {
    emails += 1;
    return requestOf("POST", "/users", "application/json", { email: `user-${emails}-${process.pid}@example.com`, name: "A user", age: emails % 90 });
  },
  PATCH: (turn: number) => requestOf("PATCH", `/users/${1 + (turn % 500)}`, "application/merge-patch+json", { age: turn % 90 }),
};

const ways = { without: { isLive: false, use: [] }, beside: { isLive: false, use: [live()] }, live: { isLive: true, use: [live()] } };

async function start(storage: Storage, { isLive, use }: (typeof ways)[keyof typeof ways]) {
  const service = createService({ resources: [users(isLive)], storage, use, logger: false });
  for (let row = 0; row < 500; row++) await service.handle(works.POST());
  return service;
}

async function measure(service: Awaited<ReturnType<typeof start>>, work: (turn: number) => HttpRequest, atOnce: number): Promise<number> {
  const before = process.cpuUsage();
  const began = performance.now();
  for (let turn = 0; turn < requests; turn += atOnce) {
    const answers = await Promise.all(Array.from({ length: atOnce }, (_, index) => service.handle(work(turn + index))));
    for (const answer of answers) if (answer === undefined || answer.status >= 300) throw new Error(`Answered ${answer?.status}.`);
  }
  const { user, system } = process.cpuUsage(before);
  return atOnce === 1 ? (user + system) / requests : ((performance.now() - began) * 1_000) / requests;
}

async function compare(store: string, open: () => Storage, atOnce: number): Promise<void> {
  const running = [];
  for (const [name, way] of Object.entries(ways)) running.push({ name, service: await start(open(), way) });
  for (const [work, request] of Object.entries(works)) {
    const figures = new Map(running.map(({ name }): [string, number[]] => [name, []]));
    for (let round = -3; round < rounds; round++) {
      for (const { name, service } of running) {
        const figure = await measure(service, request, atOnce);
        if (round >= 0) figures.get(name)?.push(figure);
      }
    }
    const base = figures.get("without") ?? [];
    for (const [name, found] of figures) {
      const ratio = summarize(found.map((figure, round) => figure / (base[round] ?? Number.NaN)));
      console.log(`${store}, ${work}, ${name}: ${summarize(found).median.toFixed(1)} µs, ${ratio.median.toFixed(3)} times`);
    }
  }
  for (const { service } of running) await service.close();
}

await compare("memory", memoryStorage, 1);
await compare("SQLite", () => sqliteStorage({ path: ":memory:" }), 1);
const server = process.env["POSTGRES_URL"];
let schemas = 0;
if (server !== undefined) {
  await compare(
    "PostgreSQL",
    () => {
      schemas += 1;
      return postgresStorage({ connectionString: server, schema: `bench_live_${process.pid}_${schemas}` });
    },
    16,
  );
}
