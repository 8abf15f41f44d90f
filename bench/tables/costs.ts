import { parseArgs } from "node:util";
import { createService, type HttpRequest, type HttpResponse, type Storage } from "restwright";
import { type EngineTime, openEngineTime } from "../tools/engineTime.js";
import { openStorage } from "../tools/openStorage.js";
import { makePlace, type Place } from "../tools/places.js";
import { oneOf } from "../tools/serverOptions.js";
import { summarize } from "../tools/statistics.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import { type Kind, kinds, type SqlStore, tableStatements, usersOf } from "./collections.js";

/**
 * What a table of the developer costs beside one that the library has made: a GET, lists of 20 and 100 rows, and a PATCH with If-Match. All of them are measured in
 * turn, round by round, in CPU time of this process and of the server processes of PostgreSQL.
 */
const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    rounds: { type: "string", default: "11" },
    requests: { type: "string", default: "2000" },
    rows: { type: "string", default: "5000" },
    only: { type: "string", default: "" },
  },
});
const store: SqlStore = oneOf("store", values.store, ["sqlite", "postgres"] as const);
const rounds = wholeNumber("rounds", values.rounds);
const requests = wholeNumber("requests", values.requests);
const rows = wholeNumber("rows", values.rows);

/** The most that a mapped table may cost in terms of the own one. */
const bars: Readonly<Record<string, number>> = { "PATCH, mapped, hash": 1.3 };
const usualBar = 1.15;

interface Running {
  readonly kind: Kind;
  readonly place: Place;
  readonly service: Awaited<ReturnType<typeof serve>>;
  /** PostgreSQL on another machine is left out. */
  readonly engine: EngineTime | undefined;
}

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const signal = new AbortController().signal;

function requestOf(method: string, target: string, headers: readonly string[] = [], body?: Uint8Array): HttpRequest {
  const [path = "", query = ""] = target.split("?", 2);
  return {
    ...{ method, path, query, mount: "", native: undefined, signal },
    headers: ["host", "api.example", ...headers],
    body: body === undefined ? { kind: "none" } : { kind: "bytes", bytes: body },
  };
}

/** Ids in an order that is not that of the rows. */
const idAt = (index: number) => ((index * 7919) % rows) + 1;

type Send = (request: HttpRequest) => Promise<HttpResponse>;

const works: Readonly<Record<string, { readonly times: number; run(send: Send, index: number): Promise<void> }>> = {
  GET: {
    times: requests,
    async run(send, index) {
      await send(requestOf("GET", `/users/${idAt(index)}`));
    },
  },
  "list of 20": {
    times: Math.ceil(requests / 5),
    async run(send, index) {
      await send(requestOf("GET", `/users?status=active&country=c${index % 10}&sort=-createdAt&perPage=20&fields=id,name,email,country,createdAt`));
    },
  },
  "list of 100": {
    times: Math.ceil(requests / 10),
    async run(send, index) {
      await send(requestOf("GET", `/users?status=active&sort=createdAt&perPage=100&page=${(index % 5) + 1}&count=none`));
    },
  },
  PATCH: {
    times: Math.ceil(requests / 2),
    async run(send, index) {
      const { headers } = await send(requestOf("GET", `/users/${idAt(index)}`));
      const etag = String(headers["etag"]);
      const patch = ["content-type", "application/merge-patch+json", "if-match", etag];
      await send(requestOf("PATCH", `/users/${idAt(index)}`, patch, bytesOf({ score: (index * 31) % 1_000_003 })));
    },
  },
};

async function serve(kind: Kind, storage: Storage) {
  const service = createService({ resources: [usersOf(kind, store)], storage, logger: false });
  await service.start();
  const { users } = service.asSystem();
  for (let index = 0; index < rows; index++) await users.create(userAt(index));
  return service;
}

function userAt(index: number) {
  return {
    ...{ email: `user${index}@example.com`, name: `User ${index}`, country: `c${index % 10}`, score: index % 100, balance: index / 4 },
    status: (["active", "invited", "blocked"] as const)[index % 3] ?? "active",
    newsletter: index % 2 === 0,
    note: index % 4 === 0 ? null : `A note of user ${index}`,
  };
}

async function start(kind: Kind): Promise<Running> {
  const place = await makePlace(store, kind.replaceAll(/\W+/g, "_"));
  const storage = await openStorage({ store, location: place.location });
  if (kind !== "own table") for (const text of tableStatements[store]) await storage.transaction?.(async (tx) => tx.sql?.(text, []));
  const service = await serve(kind, storage);
  await place.analyze();
  return { kind, place, service, engine: store === "postgres" ? await openEngineTime(place.location) : undefined };
}

function sender({ kind, service }: Running): Send {
  return async (request) => {
    const answer = await service.handle(request);
    if (answer === undefined || answer.status >= 300)
      throw new Error(`${kind}: ${request.method} ${request.path} was answered with ${answer?.status}.`);
    return answer;
  };
}

/** CPU time of each kind, in µs a request: a value each round. */
async function measure(running: readonly Running[], { times, run }: NonNullable<(typeof works)[string]>): Promise<ReadonlyMap<Kind, number[]>> {
  const figures = new Map(running.map(({ kind }): [Kind, number[]] => [kind, []]));
  for (let round = -2; round < rounds; round++) {
    for (const one of running) {
      const send = sender(one);
      let own = 0;
      const work = async () => {
        const before = process.cpuUsage();
        for (let index = 0; index < times; index++) await run(send, index + round * times + 1_000_000);
        const { user, system } = process.cpuUsage(before);
        own = user + system;
      };
      const engine = one.engine === undefined ? await work().then(() => 0) : await one.engine.spentBy(work);
      if (round >= 0) figures.get(one.kind)?.push((own + engine) / times);
    }
  }
  return figures;
}

const running: Running[] = [];
try {
  for (const kind of kinds) if (store === "postgres" || kind !== "mapped, xmin") running.push(await start(kind));
  for (const [title, work] of Object.entries(works)) {
    if (!title.includes(values.only)) continue;
    const figures = await measure(running, work);
    const own = figures.get("own table") ?? [];
    for (const [kind, found] of figures) {
      const ratio = summarize(found.map((figure, round) => figure / (own[round] ?? Number.NaN)));
      const bar = bars[`${title}, ${kind}`] ?? usualBar;
      const verdict =
        kind === "own table"
          ? ""
          : `  ${ratio.median.toFixed(2)} × [${ratio.minimum.toFixed(2)}, ${ratio.maximum.toFixed(2)}] (bar ${bar.toFixed(2)}) ${ratio.median <= bar ? "ok" : "MISSED"}`;
      console.log(`${store}  ${title.padEnd(12)}  ${kind.padEnd(16)}  ${summarize(found).median.toFixed(1).padStart(7)} µs${verdict}`);
    }
  }
} finally {
  for (const { service, place, engine } of running) {
    await service.close();
    await engine?.close();
    await place.remove();
  }
}
