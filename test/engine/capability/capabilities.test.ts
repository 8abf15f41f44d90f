import { type Capability, ConfigurationError, createService, defineResource, type Operation, type Resource, type RowEvents } from "restwright";
import { batch } from "restwright/batch";
import { jobs, jobsOf } from "restwright/jobs";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { searches } from "restwright/searches";
import { transfer } from "restwright/transfer";
import { uploads } from "restwright/uploads";
import { webhooks } from "restwright/webhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Receiver } from "../../capabilities/webhooks/emissionStage.js";
import { clientOf } from "../../tools/client.js";

const schema = z.object({ id: z.int(), text: z.string() });
const notes = defineResource("notes", { schema, generated: { id: "increment" } });
const nothing = (name: string, more: Partial<Capability> = {}): Capability => ({ name, open: () => ({}), ...more });

function serviceOf<const Use extends readonly Capability[]>(use: Use, resources: readonly Resource[] = [notes]) {
  const service = createService({ resources, storage: memoryStorage(), use, logger: false });
  onTestFinished(() => service.close());
  return service;
}

function operation(name: string, method: "GET" | "POST" = "GET"): Operation {
  return { name, method, run: async () => ({ status: 200, headers: {}, body: name }) };
}

describe("what cannot work is refused at start-up", () => {
  const named = (name: string) => defineResource(name, { schema, generated: { id: "increment" } });
  test.each<[string, () => unknown]>([
    ['"use" names the capability "a" twice.', () => serviceOf([nothing("a"), nothing("a")])],
    ['The capability "a" needs "b", which "use" does not name.', () => serviceOf([nothing("a", { requires: ["b"] })])],
    [
      "Capabilities come after each other in a circle: a, b, a.",
      () => serviceOf([nothing("a", { after: ["b"] }), nothing("b", { requires: ["a"] })]),
    ],
    ['No resource can be called "notes": clocks are there.', () => serviceOf([nothing("a", { paths: { notes: "clocks are there" } })])],
    ['The capability "a" wants the path "/batch"', () => serviceOf([batch(), nothing("a", { paths: { batch: "mine" } })])],
    ['The capability "a" wants the path "/searches"', () => serviceOf([searches(), nothing("a", { paths: { searches: "mine" } })])],
    [
      'The capability "a" wants to add "handle", which the service has already.',
      () => serviceOf([nothing("a", { open: () => ({ api: { handle: () => {} } }) })]),
    ],
    [
      'Both "notes.list" and "mine" want GET /notes.',
      () => serviceOf([nothing("a", { open: () => ({ routes: [{ segments: ["notes"], operations: [operation("mine")] }] }) })]),
    ],
    ['transfer({ blobs }) needs jobs: add jobs() of "restwright/jobs"', () => serviceOf([transfer({ blobs: memoryBlobs() })])],
    ...["batch", "batches"].map((name): [string, () => unknown] => [
      `No resource can be called "${name}"`,
      () => serviceOf([batch()], [named(name)]),
    ]),
    ...["exports", "imports"].map((name): [string, () => unknown] => [
      `No resource can be called "${name}"`,
      () => serviceOf([transfer()], [named(name)]),
    ]),
  ])("%s", (message, create) => {
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
  });

  test("a storage without jobs cannot have jobs()", () => {
    const storage = { ...memoryStorage(), name: "mine", jobs: undefined };
    expect(() => createService({ resources: [], storage, use: [jobs()] })).toThrow('jobs(): the storage "mine" keeps no jobs.');
  });
});

describe("an option of a resource for a capability that the service does not use", () => {
  test.each<[string, () => Resource, string]>([
    ["batch", () => defineResource("notes", { schema, batch: { mode: "atomic" } }), 'batch() of "restwright/batch"'],
    [
      "import",
      () => defineResource("notes", { schema, generated: { id: "increment" }, import: { generated: ["id"] } }),
      'transfer() of "restwright/transfer"',
    ],
    [
      "events",
      () => defineResource("notes", { schema, events: { "note.created": { on: "create" } } }),
      'webhooks({ transport }) of "restwright/webhooks" or subscribers() of "restwright/subscribers"',
    ],
  ])("%s is refused with the line to add", (option, define, line) => {
    const create = () => serviceOf([], [define()]);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(`notes: "${option}" has no effect, as nothing in "use" takes care of it: add ${line} to "use" of createService.`);
    expect(() => serviceOf([nothing("mine", { resourceOptions: [option] })], [define()])).not.toThrow();
  });

  test("may be false, as it is then", () => {
    expect(() => serviceOf([], [defineResource("notes", { schema, batch: false, import: false, export: false })])).not.toThrow();
  });
});

test("a service without capabilities has the collections and nothing else", async () => {
  const send = clientOf(serviceOf([]));
  expect((await send({ method: "POST", target: "/notes", body: { text: "one" } })).status).toBe(201);
  expect((await send({ target: "/notes" })).json.data).toHaveLength(1);
  expect((await send({ method: "OPTIONS", target: "/notes" })).headers["allow"]).toBe("GET, HEAD, POST, OPTIONS");
  expect((await send({ method: "QUERY", target: "/notes", body: {} })).status).toBe(405);
  for (const target of ["/searches", "/batch", "/uploads", "/webhooks", "/imports", "/exports", "/jobs/1", "/batches/1"]) {
    expect(await serviceOf([]).handle(requestTo(target)), target).toBeUndefined();
  }
});

test("operations of a capability join those of a collection's own path", async () => {
  const send = clientOf(serviceOf([batch(), searches()]));
  expect((await send({ method: "OPTIONS", target: "/notes" })).headers["allow"]).toBe("GET, HEAD, POST, DELETE, QUERY, OPTIONS");
});

test("capabilities are opened after those that they come after, whatever the order of use", () => {
  const opened: string[] = [];
  const seen = (name: string, more: Partial<Capability> = {}) =>
    nothing(name, {
      ...more,
      open({ environment }) {
        opened.push(`${name} ${environment.offers.get({ name: "c" }) ?? "-"}`);
        return { offers: `from ${name}` };
      },
    });
  serviceOf([seen("a", { after: ["b", "absent"] }), seen("b", { requires: ["c"] }), seen("c")]);
  expect(opened).toEqual(["c -", "b from c", "a from c"]);
});

test("each is started before the first request that needs the storage, and closed once", async () => {
  const heard: string[] = [];
  const observed = nothing("observed", {
    open: () => ({
      start: () => void heard.push("start"),
      async close(graceMs) {
        heard.push(`close ${graceMs}`);
      },
      closes: [{ close: async () => void heard.push("closed") }],
    }),
  });
  const service = serviceOf([observed]);
  await clientOf(service)({ target: "/notes" });
  await Promise.all([service.close({ graceMs: 5 }), service.close()]);
  expect(heard).toEqual(["start", "close 5", "closed"]);
});

test("a blob store that two capabilities share is asked for and closed once", async () => {
  let closed = 0;
  const blobs = Object.assign(memoryBlobs(), {
    close: async () => {
      closed += 1;
    },
    ping: async () => {
      throw new Error("down");
    },
  });
  const service = createService({
    resources: [notes],
    storage: memoryStorage(),
    use: [jobs({ work: false }), transfer({ blobs }), uploads({ blobs, types: ["image/png"] })],
    probes: { ready: "/ready" },
    logger: false,
  });
  expect(await service.ready()).toMatchObject({ ready: false, storage: { ok: true }, blobs: { ok: false } });
  expect((await clientOf(service)({ target: "/ready" })).json.detail).toBe("The service is not ready: the blob store does not answer.");
  await service.close();
  expect(closed).toBe(1);
});

test("all that hear of rows hear of each, in the transaction of the write, and of its commit", async () => {
  const heard: string[] = [];
  const listening = (name: string): RowEvents => ({
    concerns: () => true,
    join: async (_tx, collection, writes) => void heard.push(...writes.map(({ kind }) => `${name}: ${kind} in ${collection}`)),
    observeCommit: () => () => void heard.push(`${name}: committed`),
  });
  const use = ["a", "b"].map((name) => nothing(name, { open: () => ({ rowEvents: listening(name) }) }));
  await clientOf(serviceOf(use))({ method: "POST", target: "/notes", body: { text: "one" } });
  expect(heard).toEqual(["a: create in notes", "b: create in notes", "a: committed", "b: committed"]);
});

test("a job of a capability of one's own is done", async () => {
  let done: unknown;
  const own = nothing("own", {
    requires: ["jobs"],
    open({ environment }) {
      jobsOf(environment)?.handle({
        type: "own",
        async run(job) {
          done = job.input;
          return { status: "completed" };
        },
      });
      return {};
    },
  });
  const storage = memoryStorage();
  const service = createService({ resources: [], storage, use: [jobs({ pollMs: 10 }), own] });
  onTestFinished(() => service.close());
  await service.start();
  await storage.jobs?.create({ id: "j1", type: "own", tenant: undefined, owner: "ada", input: { n: 1 } });
  await expect.poll(() => done).toEqual({ n: 1 });
});

test("emit is there with webhooks, and only with them", () => {
  const service = createService({
    resources: [],
    storage: memoryStorage(),
    use: [webhooks({ transport: new Receiver(), events: ["report.ready"], work: false })],
  });
  onTestFinished(() => service.close());
  expect(service.emit).toBeTypeOf("function");
  expect("emit" in serviceOf([])).toBe(false);
});

function requestTo(path: string) {
  const none = { kind: "none" } as const;
  return { method: "GET", path, query: "", mount: "", headers: [], body: none, signal: new AbortController().signal, native: undefined };
}
