import { createService, defineResource, extend, type Service } from "restwright";
import { actions, respond } from "restwright/actions";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { transfer } from "restwright/transfer";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Storage } from "../../../src/ground/storage/storage.js";
import { describeInStorages } from "../../tools/storage/describeInStorages.js";

const line = z.object({ sku: z.string(), count: z.int() });
const kept = { legacy: "keep", deep: { old: [1, { x: null }] } };
const base = { id: z.int(), title: z.string() };

/** The release that wrote the rows: its objects have members that the next one does not know. */
const before = defineResource("orders", {
  schema: z.object({
    ...base,
    meta: z.looseObject({ a: z.int() }),
    lines: z.array(z.looseObject({})),
    either: z.looseObject({}),
    byName: z.record(z.string(), z.looseObject({})),
    pair: z.array(z.unknown()),
  }),
  generated: { id: "increment" },
});

const next = extend(
  defineResource("orders", {
    schema: z.object({
      ...base,
      meta: z.object({ a: z.int(), size: z.enum(["s", "m"]).default("s") }),
      lines: z.array(line),
      either: z.union([z.object({ kind: z.literal("x"), n: z.int() }), z.object({ kind: z.literal("y"), at: z.date() })]),
      byName: z.record(z.string(), z.object({ n: z.int() })),
      pair: z.tuple([z.string(), z.object({ n: z.int() })]),
    }),
    generated: { id: "increment" },
  }),
  {
    actions: ({ action }) => ({
      raise: action({ on: "row", run: ({ row }) => ({ meta: { ...row.meta, a: row.meta.a + 1 } }) }),
      show: action({ on: "row", method: "GET", run: ({ row }) => respond({ meta: row.meta, lines: row.lines }) }),
    }),
    hooks: { beforeWrite: ({ next: row, kind }) => (kind === "update" && row?.title === "hook" ? { meta: { ...row.meta, a: 77 } } : undefined) },
  },
);

const row = {
  title: "t",
  meta: { a: 1, ...kept },
  lines: [
    { sku: "a", count: 1, mark: "A" },
    { sku: "b", count: 2, mark: "B" },
  ],
  either: { kind: "y", at: "2026-01-01T00:00:00.000Z", ...kept },
  byName: { k: { n: 1, ...kept } },
  pair: ["p", { n: 1, ...kept }],
};

const shown = {
  id: 1,
  title: "t",
  meta: { a: 1, size: "s" },
  lines: [
    { sku: "a", count: 1 },
    { sku: "b", count: 2 },
  ],
  either: { kind: "y", at: "2026-01-01T00:00:00.000Z" },
  byName: { k: { n: 1 } },
  pair: ["p", { n: 1 }],
};

async function serviceOf(storage: Storage, resource: Parameters<typeof createService>[0]["resources"][number]) {
  const service = createService({ storage, resources: [resource], use: [actions(), batch(), hooks(), transfer()], logger: false });
  await service.start();
  return service;
}

async function send(service: Service, method: string, path: string, body?: unknown, type = "application/json") {
  const init = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body), headers: { "content-type": type } };
  const response = await service.fetch(new Request(`http://host.test${path}`, { method, ...init }));
  const text = await response.text();
  return { status: response.status, etag: response.headers.get("etag"), body: text === "" ? undefined : JSON.parse(text) };
}

describeInStorages("members that a later release does not declare", async (open) => {
  /** A row of the earlier release, as the later one meets it. */
  async function stage() {
    const { storage } = await open();
    const old = await serviceOf(storage, before);
    const made = await send(old, "POST", "/orders", row);
    expect(made.status).toBe(201);
    const { id } = made.body as { id: number };
    const service = await serviceOf(storage, next);
    const path = `/orders/${id}`;
    return { service, id, path, stored: async () => (await send(await serviceOf(storage, before), "GET", path)).body };
  }

  test("are not shown, in any way to read", async () => {
    const { service, id, path } = await stage();
    const expected = { ...shown, id };
    expect((await send(service, "GET", path)).body).toEqual(expected);
    expect((await send(service, "GET", "/orders")).body.data).toEqual([expected]);
    expect((await send(service, "GET", `${path}/show`)).body).toEqual({ meta: expected.meta, lines: expected.lines });
    expect((await send(service, "GET", `${path}?fields=meta.legacy`)).status).toBe(400);
    expect((await send(service, "GET", "/orders?meta.legacy=keep")).status).toBe(400);
    expect((await send(service, "GET", "/orders/export?format=json")).body).toEqual([expected]);
    const inCode = await service.asSystem().of(next).get(id);
    expect(inCode).toEqual({ ...expected, either: { kind: "y", at: new Date("2026-01-01") } });
  });

  const patch = "application/merge-patch+json";
  const jsonPatch = "application/json-patch+json";
  const { meta, lines } = row;
  const [lineA, lineB] = lines;
  const defaulted = { ...meta, size: "s" };

  test.each<[string, (id: number) => { method: string; path?: string; body?: unknown; type?: string; status?: number }, object]>([
    ["a merge patch of a neighbour", () => ({ method: "PATCH", body: { meta: { a: 2 } }, type: patch }), { meta: { ...defaulted, a: 2 } }],
    ["a merge patch of another field", () => ({ method: "PATCH", body: { title: "u" }, type: patch }), { title: "u" }],
    [
      "a JSON Patch",
      () => ({ method: "PATCH", body: [{ op: "replace", path: "/meta/a", value: 3 }], type: jsonPatch }),
      { meta: { ...defaulted, a: 3 } },
    ],
    [
      "a JSON Patch of an element",
      () => ({ method: "PATCH", body: [{ op: "replace", path: "/lines/0/count", value: 9 }], type: jsonPatch }),
      { lines: [{ ...lineA, count: 9 }, lineB] },
    ],
    [
      "a JSON Patch that removes, adds, edits and moves elements",
      () => ({
        method: "PATCH",
        body: [
          { op: "add", path: "/lines/0", value: { sku: "c", count: 3 } },
          { op: "move", from: "/lines/1", path: "/lines/-" },
          { op: "replace", path: "/lines/2/count", value: 5 },
        ],
        type: jsonPatch,
      }),
      { lines: [{ sku: "c", count: 3 }, lineB, { ...lineA, count: 5 }] },
    ],
    ["a PUT of what GET showed", (id) => ({ method: "PUT", body: { ...shown, id } }), { meta: defaulted }],
    [
      "a PUT with lines in another order, one changed",
      (id) => ({ method: "PUT", body: { ...shown, id, lines: [shown.lines[1], { sku: "a", count: 4 }] } }),
      { meta: defaulted, lines: [lineB, { sku: "a", count: 4 }] },
    ],
    [
      "another alternative of a union",
      () => ({ method: "PATCH", body: [{ op: "replace", path: "/either", value: { kind: "x", n: 1 } }], type: jsonPatch }),
      { either: { kind: "x", n: 1 } },
    ],
    [
      "the same alternative of a union",
      () => ({ method: "PATCH", body: { either: { at: "2026-02-02T00:00:00.000Z" } }, type: patch }),
      { either: { ...row.either, at: "2026-02-02T00:00:00.000Z" } },
    ],
    [
      "records and tuples",
      () => ({ method: "PATCH", body: { byName: { k: { n: 2 }, z: { n: 3 } }, pair: ["q", { n: 2 }] }, type: patch }),
      {
        byName: { k: { n: 2, ...kept }, z: { n: 3 } },
        pair: ["q", { n: 2, ...kept }],
      },
    ],
    ["an action", () => ({ method: "POST", path: "/raise" }), { meta: { ...defaulted, a: 2 } }],
    ["a hook", () => ({ method: "PATCH", body: { title: "hook" }, type: patch }), { title: "hook", meta: { ...defaulted, a: 77 } }],
    [
      "a batch",
      (id) => ({ method: "PATCH", path: "../batch", body: { items: [{ id, changes: { meta: { a: 5 } } }] } }),
      { meta: { ...defaulted, a: 5 } },
    ],
    [
      "an import",
      (id) => ({ method: "POST", path: "../import?mode=update&key=id", body: [{ id, meta: { a: 6 } }] }),
      { meta: { ...defaulted, a: 6 } },
    ],
  ])("stay through %s", async (_, request, changes) => {
    const { service, id, path, stored } = await stage();
    const { method, path: below = "", body, type, status = 200 } = request(id);
    const target = below.startsWith("../") ? `/orders/${below.slice(3)}` : `${path}${below}`;
    const answer = await send(service, method, target, body, type);
    expect(answer).toMatchObject({ status });
    expect(await stored()).toEqual({ ...row, id, ...changes });
  });

  test("stay through a change in code", async () => {
    const { service, id, stored } = await stage();
    await service
      .asSystem()
      .of(next)
      .update(id, { meta: { a: 8 }, either: { kind: "y", at: new Date("2026-03-03") } });
    expect(await stored()).toMatchObject({ meta: { ...defaulted, a: 8 }, either: { ...kept, at: "2026-03-03T00:00:00.000Z" } });
  });

  test("are no part of a request", async () => {
    const { service, path } = await stage();
    for (const value of ["x", null]) {
      const answer = await send(service, "PATCH", path, { meta: { legacy: value } }, patch);
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ code: "UNKNOWN_FIELD", pointer: "/meta/legacy" }] } });
    }
    const tested = await send(service, "PATCH", path, [{ op: "test", path: "/meta/legacy", value: "keep" }], jsonPatch);
    expect(tested.status).toBe(409);
  });

  test("that are declared with a default have it before it is stored, and are found by it", async () => {
    const { service } = await stage();
    expect((await send(service, "GET", "/orders?meta.size=s")).body.data).toHaveLength(1);
    expect((await send(service, "GET", "/orders?meta.size=m")).body.data).toHaveLength(0);
  });
});
