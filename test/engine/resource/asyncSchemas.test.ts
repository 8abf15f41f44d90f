import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { importRows } from "restwright/transfer";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileValidate } from "../../../src/engine/resource/define/validate.js";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

/** How often the transform of a name ran that a request sends; the examples of the OpenAPI document run it too. */
let runs = 0;

const schema = z.object({
  id: z.int(),
  // Not declared `async`: only calling it tells.
  name: z.string().transform((name) => {
    if (name.startsWith(" ")) runs += 1;
    return Promise.resolve(name.trim());
  }),
  age: z
    .number()
    .optional()
    .refine(async (age) => age !== 13, "Not thirteen."),
});

const users = defineResource("users", { schema, generated: { id: "increment" } });

/** The same rule over the whole row. */
const pairs = defineResource("pairs", {
  schema: z.object({ id: z.int(), name: z.string(), age: z.number().optional() }).refine(async ({ age }) => age !== 13, "Not thirteen."),
  generated: { id: "increment" },
});

const json = { "content-type": "application/json" };
const csv = { "content-type": "text/csv" };

/** Every way to write a row: its request, and where the statuses stand that tell how it went. */
const ways: readonly [string, string, string, (age: number, path: string) => { target: string; body: unknown; headers?: Record<string, string> }][] =
  [
    ["POST", "POST", "201", (age, path) => ({ target: path, body: { name: " Ada ", age } })],
    ["PUT", "PUT", "200", (age, path) => ({ target: `${path}/1`, body: { name: " Ada ", age } })],
    ["PATCH", "PATCH", "200", (age, path) => ({ target: `${path}/1`, body: { name: " Ada ", age } })],
    [
      "JSON Patch",
      "PATCH",
      "200",
      (age, path) => ({
        target: `${path}/1`,
        body: [
          { op: "add", path: "/name", value: " Ada " },
          { op: "add", path: "/age", value: age },
        ],
        headers: { "content-type": "application/json-patch+json" },
      }),
    ],
    ["a batch", "POST", "201", (age, path) => ({ target: `${path}/batch`, body: { items: [{ name: " Ada ", age }] } })],
    [
      "a batch of changes",
      "PATCH",
      "200",
      (age, path) => ({ target: `${path}/batch`, body: { items: [{ id: 1, changes: { name: " Ada ", age } }] } }),
    ],
    [
      "a strict batch",
      "POST",
      "201",
      (age, path) => ({ target: `${path}/batch`, body: { items: [{ name: " Ada ", age }] }, headers: { ...json, prefer: "handling=strict" } }),
    ],
    ["a batch by filter", "POST", "200", (age, path) => ({ target: `${path}/bulk-update?id=1`, body: { name: " Ada ", age } })],
    [
      "/batch",
      "POST",
      "201",
      (age, path) => ({ target: "/batch", body: { operations: [{ method: "POST", url: path, body: { name: " Ada ", age } }] } }),
    ],
    ["an import", "POST", '"created":1', (age, path) => ({ target: `${path}/import`, body: `name,age\n Ada ,${age}\n`, headers: csv })],
    [
      "an import of changes",
      "POST",
      '"updated":1',
      (age, path) => ({ target: `${path}/import?mode=update&key=id`, body: `id,name,age\n1, Ada ,${age}\n`, headers: csv }),
    ],
  ];

async function service() {
  const send = clientOf(fullService({ resources: [users, pairs], storage: memoryStorage(), logger: false }));
  for (const path of ["/users", "/pairs"]) expect((await send({ method: "POST", target: path, body: { name: "Bo" } })).status).toBe(201);
  runs = 0;
  return send;
}

describe.each(ways)("asynchronous transforms and refinements in %s", (way, method, success, requestOf) => {
  test("run once and are waited for", async () => {
    const send = await service();
    const taken = await send({ method, ...requestOf(40, "/users") });
    expect(`${taken.status} ${JSON.stringify(taken.json)}`).toContain(success);
    // A patch for many rows is first judged as such, whether rows match or not.
    expect(runs).toBe(way === "a batch by filter" ? 2 : 1);
    expect((await send({ target: "/users?sort=-id&perPage=1&fields=name,age" })).json.data).toEqual([{ name: "Ada", age: 40 }]);
  });

  test.each(["/users", "/pairs"])("refuse as synchronous ones do: %s", async (path) => {
    const send = await service();
    const refused = await send({ method, ...requestOf(13, path) });
    expect(refused.status).not.toBe(500);
    expect(JSON.stringify(refused.json)).toContain("Not thirteen.");
    expect((await send({ target: `${path}?age=13` })).json.data).toEqual([]);
  });
});

test("importRows waits for them, once a row", async () => {
  runs = 0;
  const written: unknown[] = [];
  async function* file() {
    yield Buffer.from("id,name,age\n1, Ada ,40\n2, Bo ,13\n");
  }
  const summary = await importRows(file(), { schema, sink: { write: async (rows) => void written.push(...rows.map(({ value }) => value)) } });
  expect(written).toEqual([{ id: 1, name: "Ada", age: 40 }]);
  expect([summary.imported, summary.failed, runs]).toEqual([1, 1, 2]);
});

describe("a validation", () => {
  test.each<[string, z.ZodType, boolean]>([
    ["of plain types is synchronous", z.object({ a: z.string().trim().min(1), b: z.array(z.date()).default(() => []) }), false],
    ["with a function that answers at once is as well", z.object({ a: z.string().refine((text) => text !== "") }), false],
    ["with a promise is not", z.object({ a: z.string().superRefine(async () => {}) }), true],
    ["with a promise in a lazy type is not", z.lazy(() => z.object({ a: z.string().transform(async (text) => text) })), true],
    [
      "with a promise in a codec is not",
      z.object({ a: z.codec(z.string(), z.string(), { decode: async (text) => text, encode: (text) => text }) }),
      true,
    ],
  ])("%s", async (_, type, isAsync) => {
    const result = compileValidate(type)({ a: "x" });
    expect(result instanceof Promise).toBe(isAsync);
    expect((await result).ok).toBe(true);
  });

  test("that rejects is a fault, and leaves no promise behind", async () => {
    const failing = compileValidate(z.object({ a: z.string().transform(() => Promise.reject(new Error("The directory is down."))) }));
    await expect(failing({ a: "x" })).rejects.toThrow("The directory is down.");
  });

  test("that never ends is given up after 30 seconds", async () => {
    let fire = () => {};
    let waited = 0;
    const timers = {
      setTimeout(run: () => void, ms: number) {
        [fire, waited] = [run, ms];
        return { cancel() {} };
      },
    };
    const result = compileValidate(
      z.string().refine(() => new Promise<boolean>(() => {})),
      timers,
    )("x");
    fire();
    await expect(result).rejects.toThrow("did not finish validating within 30000 ms");
    expect(waited).toBe(30_000);
  });
});
