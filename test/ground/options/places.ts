import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Capability, createService, defineResource, type Resource } from "restwright";
import { typeCheck } from "restwright/checks";
import { memoryBlobs, memoryIdempotency, memoryStorage } from "restwright/memory";
import type { OpenApiCalls } from "restwright/openapi";
import { sqlStorage } from "restwright/sql";
import { z } from "zod";
import type { CallerCollections, CollectionCalls } from "../../../src/engine/calls/index.js";

/** A function of a public entry, called as a program in JavaScript may. */
export type Exported = (...values: unknown[]) => unknown;

/** Where options are given: what is called with them, and what of them is needed so that only the one under test is wrong. */
export interface Place {
  /** Entry and name of the function, with the path of the options in its own. */
  readonly of: string;
  readonly needed?: Readonly<Record<string, unknown>>;
  readonly call: (exported: Exported, options: unknown) => unknown;
}

const schema = z.object({ id: z.int(), name: z.string() });
const blobs = memoryBlobs();
const form = { headers: { "content-type": "multipart/form-data; boundary=x" }, body: null };
const handle = async () => undefined;
const transport = { send: handle, close: handle, maxAttemptMs: 1, network: { exceptions: [] } };
const policy = { name: "minute", limit: 1, windowMs: 1_000 };
const options = (made: Exported, given: unknown) => made(given);
const second = (first: unknown) => (made: Exported, given: unknown) => made(first, given);

const ofService = (path: string, nest: (given: unknown) => object): Place => ({
  of: `. createService ${path}`,
  call: (made, given) => made({ resources: [], storage: memoryStorage(), ...nest(given) }),
});
const rows = defineResource("rows", { schema });
/** A call of the developer's own code. */
const ofCall = (name: string, call: (calls: CollectionCalls, given: never) => unknown): Place => ({
  of: `. createService as ${name}`,
  call: (made, given) => {
    const { as } = made({ resources: [rows], storage: memoryStorage() }) as { as(principal: object): CallerCollections };
    return call(as({ id: "ada" }).of(rows) as CollectionCalls, given as never);
  },
});
/** A call of an action. */
const ofAction = (on: "row" | "collection", call: (calls: Readonly<Record<string, Exported>>, given: unknown) => unknown): Place => ({
  of: `./actions actions as ${on}`,
  call(made, given) {
    const resource = defineResource("rows", {
      schema,
      actions: ({ action }: { action: Exported }) => ({ cancel: action({ on, run: handle }) }),
    } as never);
    const service = createService({ resources: [resource], storage: memoryStorage(), use: [made() as Capability] });
    return call((service as unknown as { as(principal: object): { rows: Readonly<Record<string, Exported>> } }).as({ id: "ada" }).rows, given);
  },
});
/** What a service with subscribers has, called as by JavaScript. */
interface Subscribing {
  readonly on: Exported;
  readonly subscribers: Readonly<Record<"list" | "replay", Exported>>;
}

/** A method of a service with subscribers. */
const ofSubscribers = (name: string, call: (service: Subscribing, given: unknown) => unknown): Place => ({
  of: `./subscribers subscribers ${name}`,
  call: (made, given) =>
    call(createService({ resources: [rows], storage: memoryStorage(), use: [made() as Capability], logger: false }) as unknown as Subscribing, given),
});
const ofResource = (path: string, nest: (given: unknown) => object): Place => ({
  of: `. defineResource ${path}`,
  call: (made, given) => made("users", { schema, ...nest(given) }),
});

/** Every place of the public interface that takes options. */
export const places: readonly Place[] = [
  { of: ". createService", needed: { resources: [], storage: memoryStorage() }, call: options },
  ...["limits", "probes", "lists", "idempotency"].map((name) => ofService(name, (given) => ({ [name]: given }))),
  { ...ofService("principals", (principals) => ({ principals })), needed: { reload: false } },
  {
    of: ". createService asSystem",
    call: (made, given) => (made({ resources: [], storage: memoryStorage() }) as { asSystem: Exported }).asSystem(given),
  },
  ofCall("list", (calls, given) => calls.list(given)),
  ofCall("walk", (calls, given) => calls.walk(given)),
  ofCall("count", (calls, given) => calls.count(given)),
  ofCall("get", (calls, given) => calls.get(1, given)),
  ofCall("create", (calls, given) => calls.create({ id: 1, name: "a" }, given)),
  ofCall("update", (calls, given) => calls.update(1, {}, given)),
  ofCall("replace", (calls, given) => calls.replace(1, {}, given)),
  ofCall("remove", (calls, given) => calls.remove(1, given)),
  {
    of: "./actions actions action",
    needed: { on: "row", run: handle },
    call: (made, given) =>
      createService({
        resources: [defineResource("rows", { schema, actions: ({ action }: { action: Exported }) => ({ cancel: action(given) }) } as never)],
        storage: memoryStorage(),
        use: [made() as Capability],
      }),
  },
  ofAction("row", (calls, given) => calls["cancel"]?.(1, undefined, given)),
  ofAction("collection", (calls, given) => calls["cancel"]?.(undefined, given)),
  { of: "./actions respond", call: (made, given) => made({}, given) },
  { of: "./jobs jobs", call: options },
  {
    of: "./jobs jobs schedules",
    needed: { name: "nightly", cron: "0 2 * * *", job: "mail" },
    call: (made, given) => made({ handlers: { mail: { run: handle } }, schedules: [given] }),
  },
  { of: "./jobs job", needed: { run: handle }, call: options },
  {
    of: "./jobs jobs enqueue",
    call: (made, given) => {
      const use = [made({ handlers: { mail: { run: handle } } }) as Capability];
      const { jobs } = createService({ resources: [rows], storage: memoryStorage(), use, logger: false }) as unknown as {
        jobs: { enqueue: Exported };
      };
      return jobs.enqueue("mail", undefined, given);
    },
  },
  { of: "./openapi openapi", needed: { info: { title: "a", version: "1" } }, call: options },
  { of: "./openapi openapi info", needed: { title: "a", version: "1" }, call: (made, given) => made({ info: given }) },
  {
    of: "./openapi openapi document",
    call: (made, given) => {
      const use = [made({ info: { title: "a", version: "1" } }) as Capability<OpenApiCalls>] as const;
      return createService({ resources: [], storage: memoryStorage(), use }).document(given as never);
    },
  },
  { of: "./docs docs", call: options },
  { of: "./live live", call: options },
  { of: "./cors cors", needed: { origins: "*" }, call: options },
  { of: "./languages languages de", needed: { titles: {} }, call: (made, given) => made({ de: given }) },
  { of: "./cache cacheControl", call: options },
  { of: "./compression compression", call: options },
  {
    of: "./compression decodeBody",
    needed: { limitBytes: 1 },
    call: (made, given) => made(new Uint8Array(0), "gzip", given),
  },
  { of: "./compression compression levels", call: (made, levels) => made({ levels }) },
  { of: "./opentelemetry openTelemetry", call: options },
  { of: "./rate-limit rateLimit", needed: { policies: [policy] }, call: options },
  { of: "./rate-limit rateLimit policies", needed: policy, call: (made, given) => made({ policies: [given] }) },
  { of: "./rate-limit memoryRateLimits", call: options },
  { of: "./versions versions", needed: { vendor: "acme", schema: "v1", default: "v1", supported: { v1: {} } }, call: options },
  {
    of: "./versions versions supported",
    call: (made, given) => made({ vendor: "acme", schema: "v1", default: "v1", supported: { v1: given } }),
  },
  { of: "./versions change", needed: { replaces: schema, by: schema, read: handle, write: handle }, call: options },
  { of: "./versions rename", needed: { from: "a", to: "b", type: schema }, call: options },
  { of: "./formats formats", call: options },
  { of: "./formats csv", call: options },
  { of: "./xml xml", call: options },
  { of: "./batch batch", call: options },
  { of: "./transfer transfer", call: options },
  { of: "./uploads uploads", needed: { blobs, types: "any" }, call: options },
  { of: "./uploads uploads forms", needed: { types: "any" }, call: (made, given) => made({ blobs, types: "any", forms: { avatars: given } }) },
  {
    of: "./uploads uploads forms.limits",
    call: (made, limits) => made({ blobs, types: "any", forms: { avatars: { types: "any", limits } } }),
  },
  { of: "./subscribers subscribers", call: options },
  { ...ofSubscribers("on", (service, given) => service.on("row.created", given, handle)), needed: { name: "mail" } },
  ofSubscribers("list", ({ subscribers }, given) => subscribers.list(given)),
  { ...ofSubscribers("replay", ({ subscribers }, given) => subscribers.replay(given)), needed: { name: "mail" } },
  { of: "./webhooks webhooks", needed: { transport }, call: options },
  { of: "./webhooks webhooks disableAfter", call: (made, disableAfter) => made({ transport, disableAfter }) },
  { of: ". defineResource", needed: { schema }, call: second("users") },
  {
    of: ". defineResource table",
    needed: { name: "rows", managed: false, tenant: "shared" },
    call: (made, table) =>
      createService({ resources: [made("rows", { schema, table }) as Resource], storage: sqlStorage({ dialect: "sqlite" } as never), logger: false }),
  },
  ...["batch", "import", "hooks"].map((name) => ofResource(name, (given) => ({ [name]: given }))),
  ofResource("access", (given) => ({ access: { name: given } })),
  { ...ofResource("stamp", (given) => ({ stamp: { name: given } })), needed: { on: "write", set: handle } },
  { ...ofResource("events", (given) => ({ events: { "user.created": given } })), needed: { on: "create" } },
  {
    ...ofResource("relations", (given) => ({ relations: { boss: given } })),
    needed: { kind: "belongsTo", collection: "users", foreignKey: "id" },
  },
  { of: ". belongsTo", call: (made, given) => made("users", "ownerId", given) },
  ...["apiKey", "basic", "bearer"].map((name): Place => ({ of: `./auth ${name}`, call: second(() => null) })),
  { of: "./auth digest", needed: { ha1: () => null }, call: options },
  { of: "./jwt bearerJwt", needed: { key: "a secret of at least 32 characters", issuer: false, audience: false }, call: options },
  { of: "./jwt bearerJwt refresh", call: (made, refresh) => made({ jwks: "https://id.example.com/", issuer: "a", audience: "b", refresh }) },
  { of: "./auth sigv4", needed: { secret: () => null, service: "shop", region: "local" }, call: options },
  { of: "./query defineQuery", call: second(schema) },
  { of: "./query matches", call: (made, given) => made({ op: "and", args: [] }, {}, given) },
  { of: "./query defineQuery limits", call: (made, limits) => made(schema, { limits }) },
  { of: "./values decimal", needed: { precision: 10, scale: 2 }, call: options },
  { of: "./values bytes", call: options },
  { of: "./fields defineFields", call: second(schema) },
  { of: "./fields defineFields limits", call: (made, limits) => made(schema, { limits }) },
  { of: "./fields selectFields", call: (made, given) => made(schema, "id", given) },
  { of: "./patch parseJsonPatch", call: second([]) },
  { of: "./patch applyJsonPatch", call: (made, given) => made({}, [], given) },
  { of: "./patch jsonPatch", call: (made, given) => made({}, [], given) },
  { of: "./idempotency createGuard", needed: { store: memoryIdempotency() }, call: options },
  { of: "./batch executeBatch", needed: { mode: "best-effort", run: handle }, call: second([1]) },
  {
    of: "./batch parseMultipartBatch",
    needed: { maxOperations: 1, partHeaderBytes: 1, jsonDepth: 1, jsonMembers: 1, jsonValues: 1 },
    call: (made, given) => made(new Uint8Array(), "multipart/mixed; boundary=x", given),
  },
  { of: "./transfer importRows", needed: { schema, sink: { write: handle } }, call: second([]) },
  { of: "./transfer importRows limits", call: (made, limits) => made([], { schema, sink: { write: handle }, limits }) },
  { of: "./transfer csvEncoder", needed: { columns: [] }, call: options },
  ...["macroCheck", "metadataCheck", "pdfCheck", "pixelCheck", "svgCheck", "zipCheck"].map(
    (name): Place => ({ of: `./checks ${name}`, call: options }),
  ),
  { of: "./checks typeCheck", needed: { types: "any" }, call: options },
  { of: "./checks detectType", call: second(new Uint8Array()) },
  { of: "./uploads parseMultipart", call: second(form) },
  { of: "./uploads receiveForm", needed: { blobs: memoryBlobs(), types: "any" }, call: second(form) },
  { of: "./uploads receiveForm limits", call: (made, limits) => made(form, { blobs: memoryBlobs(), types: "any", limits }) },
  { of: "./checks checkFile", call: (made, given) => made(new Uint8Array(), [], given) },
  { of: "./checks runChecks", call: (made, given) => made([typeCheck({ types: "any" })], {}, given) },
  { of: "./uploads presigner", needed: { secrets: ["0123456789abcdef"] }, call: options },
  ...["express", "fastify", "hono", "koa"].map(
    (host): Place => ({ of: `./${host} idempotent`, needed: { store: memoryIdempotency(), principal: () => null }, call: options }),
  ),
  { of: "./hono honoHandler", call: second({ handle }) },
  { of: "./node nodeHandler", call: second({ handle }) },
  { of: "./fetch fetchHandler", call: second({ handle }) },
  ...["memoryBlobs", "memoryIdempotency", "memoryStorage"].map((name): Place => ({ of: `./memory ${name}`, call: options })),
  { of: "./sql sqlStorage", call: second({ dialect: "postgres" }) },
  { of: "./sqlite sqliteStorage", needed: { path: ":memory:" }, call: options },
  { of: "./postgres postgresStorage", needed: { connectionString: "postgres://localhost/none" }, call: options },
  { of: "./postgres postgresWakeups", needed: { pool: { connect: handle, query: handle } }, call: options },
  {
    of: "./redis redisWakeups",
    needed: { publisher: { publish: handle }, subscriber: { subscribe: handle, unsubscribe: handle, on: handle, off: handle } },
    call: options,
  },
  ...["redisIdempotency", "redisRateLimits", "redisUploads"].map(
    (name): Place => ({ of: `./redis ${name}`, call: second({ evalsha: handle, eval: handle }) }),
  ),
  { of: "./disk diskBlobs", needed: { path: "data" }, call: options },
  {
    of: "./s3 s3Blobs",
    needed: { endpoint: "http://127.0.0.1:9000", bucket: "shop", accessKeyId: "a", secretAccessKey: "b" },
    call: options,
  },
  { of: "./clamd clamdCheck", needed: { port: 3310 }, call: options },
  { of: "./undici undiciTransport", call: options },
  { of: "./undici undiciTransport network", call: (made, network) => made({ network }) },
  { of: "./testing testService", needed: { resources: [] }, call: options },
  {
    of: "./testing testService fetch",
    call: (made, given) => (made({ resources: [] }) as { fetch: Exported }).fetch("/rows", given),
  },
  { of: "./testing explore", call: (made, given) => made(given, handle) },
  { of: "./testing faultyStorage", call: second(memoryStorage()) },
  ...["blob", "idempotency", "job", "rateLimit", "storage", "upload", "webhook", "subscriber", "wakeup"].map(
    (name): Place => ({ of: `./testing ${name}Contract`, needed: { open: handle }, call: options }),
  ),
  { of: "./testing collectionContract", needed: { open: handle, model: {}, row: handle, reset: handle }, call: options },
];

/** The functions of all public entries, by entry and name: `./jobs jobs`. */
export async function publicFunctions(): Promise<ReadonlyMap<string, Exported>> {
  const functions = new Map<string, Exported>();
  const root = new URL("../../../", import.meta.url);
  const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  for (const [entry, { import: target }] of Object.entries<{ import?: { types: string } }>(exports)) {
    const source = target?.types.replace("./dist/types/", "").replace(".d.ts", ".ts");
    if (source === undefined) continue;
    const members = await import(fileURLToPath(new URL(source, root)));
    for (const [name, value] of Object.entries<unknown>(members)) {
      if (typeof value === "function" && /^[a-z]/.test(name)) functions.set(`${entry} ${name}`, value as Exported);
    }
  }
  return functions;
}

/** Entry and name of the function of a place. */
export const functionOf = ({ of }: Place): string => of.split(" ", 2).join(" ");

/** The error that refuses the options, if any; generators and promises are begun. */
export async function fault(exported: Exported | undefined, { of, call, needed = {} }: Place, more: object): Promise<unknown> {
  if (exported === undefined) throw new Error(`There is no function "${of}".`);
  try {
    const made = call(exported, { ...needed, ...more });
    if (typeof made === "object" && made !== null && "next" in made && typeof made.next === "function") await made.next();
    else await made;
  } catch (error) {
    return error;
  }
  return undefined;
}

/** The names of all options of a place, as the error about an unknown one lists them. */
export async function optionNames(exported: Exported | undefined, place: Place): Promise<string[]> {
  const unknown = String(await fault(exported, place, { qqqqqqqqqqqq: 1 }));
  const [, list = ""] = /has no option "qqqqqqqqqqqq"; there (?:is|are): (.+)\.$/.exec(unknown) ?? [];
  return list === "" ? [] : list.split(", ");
}
