import { Ajv2020 } from "ajv/dist/2020.js";
import { createService, defineResource, type Service } from "restwright";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { type OpenApiCalls, openapi } from "restwright/openapi";
import { bytes } from "restwright/values";
import { expect, test } from "vitest";
import { z } from "zod";

const tree: z.ZodType = z.object({
  label: z.string(),
  get children() {
    return z.array(tree).optional();
  },
});
const payment = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("card"), last4: z.string() }),
  z.object({ kind: z.literal("iban"), iban: z.string() }),
]);

/** A service with one field, its requests, and what the document says of them. */
async function stage(field: z.ZodType) {
  const things = defineResource("things", { schema: z.object({ id: z.int(), field }), generated: { id: "increment" } });
  const use = [openapi({ info: { title: "Writes", version: "1" } })];
  const service = createService({ resources: [things], storage: memoryStorage(), logger: false, use }) as unknown as Service & OpenApiCalls;
  const document = await service.document();
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: "document", ...document });
  return {
    document,
    isValid: (schema: string, body: unknown) => ajv.compile({ $ref: `document#/components/schemas/${schema}` })(body),
    async send(method: string, path: string, body: unknown) {
      const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
      const response = await service.fetch(new Request(`http://host.test${path}`, { method, headers, body: JSON.stringify(body) }));
      return { status: response.status, body: (await response.json()) as object };
    },
  };
}

test.each<[string, z.ZodType, unknown, unknown]>([
  ["a member of a record is removed", z.record(z.string(), z.int()), { a: 1, b: 2 }, { a: null }],
  ["a member of a record is set", z.record(z.enum(["a", "b"]), z.int()), { a: 1, b: 2 }, { a: 3 }],
  ["a further member is removed", z.object({ a: z.int() }).catchall(z.string()), { a: 1, c: "x" }, { c: null }],
  ["a member of a union is changed", payment, { kind: "card", last4: "1234" }, { last4: "5678" }],
  ["a member of an intersection is changed", z.intersection(z.object({ a: z.int() }), z.object({ b: z.int() })), { a: 1, b: 2 }, { a: 3 }],
  ["a member of a tree is changed", tree, { label: "a", children: [{ label: "b" }] }, { label: "c" }],
])("A merge patch that the service takes is one by the document: %s", async (_, field, value, patch) => {
  const { send, isValid } = await stage(field);
  expect((await send("POST", "/things", { field: value })).status).toBe(201);
  expect((await send("PATCH", "/things/1", { field: patch })).status).toBe(200);
  expect(isValid("ThingPatch", { field: patch })).toBe(true);
  expect(isValid("ThingPatch", { field: 5 })).toBe(false);
});

test("A field that code cannot change is one that clients set", async () => {
  const { document } = await stage(z.string().readonly());
  for (const schema of ["ThingCreate", "ThingReplace", "Thing"]) {
    expect(document.components["schemas"]?.[schema]).toMatchObject({ properties: { field: { type: "string" } } });
    expect(JSON.stringify(document.components["schemas"]?.[schema])).not.toContain('"field":{"readOnly"');
  }
});

test("What GET shows is a body of PUT by the document, without the fields that are shown only on request", async () => {
  const { send, isValid } = await stage(bytes({ maxBytes: 10 }));
  const { body } = await send("POST", "/things", { field: "aGk=" });
  expect(body).toEqual({ id: 1 });
  expect((await send("PUT", "/things/1", body)).status).toBe(200);
  expect(isValid("ThingReplace", body)).toBe(true);
});

test("z.json() is a schema without a reference to itself, which generators of types refuse", async () => {
  const { document } = await stage(z.json());
  expect(document.components["schemas"]?.["Thing"]).toMatchObject({ properties: { field: {} } });
  const { document: inside } = await stage(z.object({ data: z.json().nullable() }));
  expect(JSON.stringify(inside.components["schemas"])).not.toMatch(/"ThingField(Input)?":\{"anyOf"/);
});

test("The words that no id can be are none by the document", async () => {
  const things = defineResource("things", { schema: z.object({ id: z.string() }) });
  const use = [jobs(), batch(), openapi({ info: { title: "Words", version: "1" } })];
  const service = createService({ resources: [things], storage: memoryStorage(), logger: false, use }) as unknown as Service & OpenApiCalls;
  const document = await service.document();
  const isValid = new Ajv2020({ strict: false, validateFormats: false })
    .addSchema({ $id: "document", ...document })
    .compile({ $ref: "document#/components/schemas/ThingCreate" });
  for (const [id, status] of [
    ["batch", 422],
    ["batch-delete", 422],
    ["tea", 201],
  ] as const) {
    const headers = { "content-type": "application/json" };
    const response = await service.fetch(new Request("http://host.test/things", { method: "POST", headers, body: JSON.stringify({ id }) }));
    expect(response.status).toBe(status);
    expect(isValid({ id })).toBe(status === 201);
  }
});
