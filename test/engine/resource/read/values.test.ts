import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";
import { fullService } from "../../../tools/fullService.js";

const numbers = defineResource("numbers", {
  schema: z.object({ id: z.bigint(), b: z.bigint().optional(), j: z.object({ n: z.bigint() }).optional(), rank: z.int().default(7) }),
  readOnly: ["rank"],
});
const spans = defineResource("spans", {
  schema: z
    .object({ id: z.int(), until: z.date(), since: z.coerce.date().optional(), createdAt: z.date() })
    .refine(({ until, createdAt }) => until.getTime() > createdAt.getTime(), { path: ["until"], error: "Must lie ahead." }),
  generated: { id: "increment", createdAt: "createdAt" },
});
const lists = defineResource("lists", {
  schema: z.object({
    id: z.int(),
    items: z.array(z.object({ alpha: z.int(), beta: z.int() })),
    length: z
      .string()
      .transform((text) => text.trim())
      .optional(),
  }),
  generated: { id: "increment" },
});
const resources = [numbers, spans, lists];

describe.each([
  ["memory", memoryStorage],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
])("on %s", (_, open) => {
  const send = clientOf(fullService({ resources, storage: open() }));
  const post = (target: string, body: unknown) => send({ method: "POST", target, body });

  test.each(["9223372036854775808", "-9223372036854775809", "12345678901234567890", "99999999999999999999"])(
    "an integer that 64 bits do not hold, %s, is refused wherever it stands",
    async (digits) => {
      const refused = await post("/numbers", { id: digits });
      expect(refused.status).toBe(422);
      expect(refused.json.errors).toMatchObject([{ detail: "Must be an integer from -2^63 to 2^63 - 1, as text.", pointer: "/id" }]);
      expect((await post("/numbers", { id: "1", b: digits })).status).toBe(422);
      expect((await send({ target: `/numbers/${digits}` })).status).toBe(404);
      expect((await send({ target: `/numbers?b=${digits}` })).status).toBe(400);
    },
  );

  test("the largest and the smallest are kept, and found in JSON too", async () => {
    const [largest, smallest] = ["9223372036854775807", "-9223372036854775808"];
    const created = await post("/numbers", { id: largest, b: smallest, j: { n: "7" } });
    expect(created.json).toEqual({ id: largest, b: smallest, j: { n: "7" }, rank: 7 });
    expect((await send({ target: `/numbers/${largest}` })).json).toEqual(created.json);
    expect((await send({ target: `/numbers?b=${smallest}&j.n=7` })).json.meta.total).toBe(1);
    expect((await send({ target: "/numbers?sort=j.n" })).json.code).toBe("SORT_NOT_ALLOWED");
  });

  test("a rule over the whole object sees what the server fills in", async () => {
    const created = await post("/spans", { until: "2999-01-01T00:00:00Z" });
    expect(created.status).toBe(201);
    const refused = await post("/spans", { until: "2000-01-01T00:00:00Z" });
    expect([refused.status, refused.json.errors]).toMatchObject([422, [{ pointer: "/until", detail: "Must lie ahead." }]]);
    const patch = (body: unknown) => send({ method: "PATCH", target: `/spans/${created.json.id}`, body });
    expect((await patch({ until: "2000-01-01T00:00:00Z" })).status).toBe(422);
    expect((await patch({ until: "2998-01-01T00:00:00Z" })).status).toBe(200);
  });

  test.each(["1", 1, true, null, "2020-02-30", "2020-02-30T00:00:00Z", "2020-01-01T00:00:00", "9999-12-31T23:59:59-23:00"])(
    "%j is no date-time, whatever JavaScript makes of it",
    async (since) => {
      const refused = await post("/spans", { until: "2999-01-01T00:00:00Z", since });
      expect([refused.status, refused.json.errors]).toMatchObject([422, [{ pointer: "/since" }]]);
    },
  );

  test.each([
    ["elements that are no items", `{"items":[${Array.from({ length: 300_000 }, () => "{}").join()}]}`],
    ["unknown members", `{"items":[${Array.from({ length: 60_000 }, () => '{"alphb":0}').join()}]}`],
  ])("hundreds of thousands of %s are refused soon", async (_name, body) => {
    const started = process.cpuUsage();
    const refused = await post("/lists", body);
    expect(refused.status).toBe(400);
    expect(cpuMsSince(started)).toBeLessThan(2_000);
  });
});

test("a client name in a query that is written in another way still makes links that work", async () => {
  const send = clientOf(fullService({ resources, storage: memoryStorage() }));
  for (let index = 0; index < 3; index++) await send({ method: "POST", target: "/spans", body: { until: "2999-01-01T00:00:00Z" } });
  const first = await send({ target: "/spans?p%61ge=1&perPage=1" });
  const next = await send({ target: first.json.links.next });
  expect([next.status, next.json.meta.page]).toEqual([200, 2]);
});

test("nothing in a query can end a target in Link, and a long one leaves the header out", async () => {
  const send = clientOf(
    fullService({ resources: [lists, defineResource("names", { schema: z.object({ id: z.int(), name: z.string() }) })], storage: memoryStorage() }),
  );
  const { headers, json } = await send({ target: '/names?name=a>;rel="next",<http://evil/' });
  expect(String(headers["link"]).match(/<[^>]*>; rel="[a-z]+"/g)).toHaveLength(3);
  expect(headers["link"]).not.toContain("<http:");
  expect(json.links.self).toBe("/names?name=a%3E;rel=%22next%22,%3Chttp://evil/");
  const long = await send({ target: `/names?${Array.from({ length: 5 }, (_, index) => `name=${index}${"x".repeat(400)}`).join("&")}` });
  expect([long.status, long.headers["link"]]).toEqual([200, undefined]);
});
