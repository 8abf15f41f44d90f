import { createService, defineResource, type Resource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { type OpenApiDocument, openapi } from "restwright/openapi";
import { versions } from "restwright/versions";
import { webhooks } from "restwright/webhooks";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { RecordingTransport } from "../webhooks/registration/routesStage.js";
import { types } from "./agreement/types.js";
import { type DocumentedOperation, operationsOf, resolved, stage } from "./stage.js";

const bytes = ["*/*", "application/offset+octet-stream", "multipart/form-data"];
const headers = { "content-type": "application/json", authorization: "Bearer birds" };

/** The media types of the body of an operation, each with its example. */
function examplesOf(document: OpenApiDocument, { requestBody }: DocumentedOperation): readonly (readonly [type: string, example: unknown])[] {
  const content = resolved(document, requestBody).content as Readonly<Record<string, { readonly example?: unknown }>>;
  return Object.entries(content).map(([type, { example }]) => [type, example]);
}

/** Rows that an operation needs, by the examples that create them. */
function neededBy(name: string): readonly string[] {
  const [collection = "", kind = ""] = name.replace("authors.books", "books").split(".");
  const parents = collection === "books" ? ["authors"] : [];
  return ["create", "batchCreate", "import"].includes(kind) ? parents : [...parents, collection];
}

/** What the body alone does not say. */
const queries: Readonly<Record<string, string>> = {
  "imports.create": "?collection=authors",
  "jobs.import": "?collection=authors",
  "authors.bulkUpdate": "?id[gte]=1",
  "books.bulkUpdate": "?id[gte]=1",
  "keys.bulkUpdate": "?order[gte]=1",
};

function webhookStage() {
  return stage({ use: [webhooks({ transport: new RecordingTransport() })] });
}

function serviceOf(resource: Resource) {
  return createService({ resources: [resource], storage: memoryStorage(), logger: false, use: [openapi({ info: { title: "t", version: "1" } })] });
}

const document = await webhookStage().document();
const operations = operationsOf(document);
const withBody = [...operations.values()].filter(({ requestBody }) => requestBody !== undefined);

describe("the example of a request body", () => {
  test("stands with each operation that takes JSON", () => {
    const without = withBody.filter((operation) => {
      const examples = examplesOf(document, operation);
      return !examples.some(([, example]) => example !== undefined) && !examples.every(([type]) => bytes.includes(type));
    });
    // Its `since` must lie within the last days, and a document does not change by itself.
    expect(without.map(({ operationId }) => operationId)).toEqual(["webhooks.recover"]);
    expect(withBody.length).toBeGreaterThan(45);
  });

  const examples = withBody.flatMap((operation) =>
    examplesOf(document, operation).flatMap(([type, example]) => (example === undefined ? [] : [[operation.operationId, type, example] as const])),
  );
  test.each(examples)("of %s as %s is accepted", async (name, type, example) => {
    const send = clientOf(webhookStage());
    let id = name.startsWith("keys") ? "1,text" : "1";
    for (const collection of neededBy(name)) {
      const create = operations.get(`${collection}.create`);
      const [[, body] = []] = create === undefined ? [] : examplesOf(document, create);
      if (body === undefined) continue;
      const made = await send({ method: "POST", target: `/${collection}`, headers, body });
      expect(made.status, made.text).toBe(201);
      if (collection === "webhooks") id = (made.json as { id: string }).id;
    }
    const { path = "", method = "" } = operations.get(name) ?? {};
    const target = path.replaceAll("{id}", id).replaceAll(/\{\w+\}/g, "1") + (queries[name] ?? "");
    const { status, text } = await send({ method, target, headers: { ...headers, "content-type": type }, body: example });
    // An upload in parts needs a store that signs addresses.
    if (name === "uploads.signParts") expect([status, text]).toEqual([404, expect.stringContaining("There is no upload")]);
    else expect([200, 201, 202, 204], text).toContain(status);
  });

  test("is accepted in each media type of JSON that the document has for the body", async () => {
    const more = [
      webhooks({ transport: new RecordingTransport() }),
      versions({ vendor: "lib", default: "v1", schema: "v1", supported: { v1: {}, v2: {} } }),
    ];
    const service = stage({ use: more });
    const own = await service.document();
    const send = clientOf(service);
    const tried = new Set<string>();
    for (const { path, method, ...operation } of operationsOf(own).values()) {
      if (operation.requestBody === undefined) continue;
      for (const [type] of examplesOf(own, operation).filter(([each]) => /[/+]json$/.test(each))) {
        const target = path.replaceAll(/\{\w+\}/g, "1");
        const { status, text } = await send({ method, target, headers: { ...headers, "content-type": type }, body: {} });
        expect([operation.operationId, type, status], text).not.toEqual([operation.operationId, type, 415]);
        tried.add(type);
      }
    }
    expect([...tried].sort()).toEqual([
      "application/json",
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/vnd.lib.v1+json",
    ]);
  });

  test("is found for nearly each type, and accepted", async () => {
    const without: string[] = [];
    for (const [name, type] of Object.entries(types)) {
      const notes = defineResource("notes", { schema: z.object({ id: z.int(), field: type }), generated: { id: "increment" } });
      const service = serviceOf(notes);
      const own = await service.document();
      const [[, example] = []] = examplesOf(own, operationsOf(own).get("notes.create") as DocumentedOperation);
      if (example === undefined) {
        without.push(name);
        continue;
      }
      const { status, text } = await clientOf(service)({ method: "POST", target: "/notes", headers, body: example });
      expect([name, status], `${JSON.stringify(example)}: ${text}`).toEqual([name, 201]);
    }
    // No usual text has both ends, and JSON Schema does not say which integers written as texts are multiples.
    expect(without).toEqual(['z.string().startsWith("ab").endsWith("bc")', "z.bigint().multipleOf(5n)"]);
  });

  test.each<[string, z.ZodObject, unknown]>([
    [
      "is that of the type",
      z.object({
        id: z.int(),
        code: z
          .string()
          .regex(/^q{7}$/)
          .meta({ examples: ["qqqqqqq"] }),
      }),
      { code: "qqqqqqq" },
    ],
    [
      "has what a refinement wants of the fields that are optional",
      z.object({ id: z.int(), note: z.string(), total: z.number().optional() }).refine(({ total }) => total !== undefined),
      { note: "text", total: 1 },
    ],
    ["is left out if a refinement refuses it", z.object({ id: z.int(), code: z.string() }).refine(({ code }) => code === "secret"), undefined],
    ["is left out if a refinement takes time", z.object({ id: z.int(), code: z.string().refine(async () => true) }), undefined],
    ["is left out if a refinement fails", z.object({ id: z.int(), code: z.string().refine(() => JSON.parse("{")) }), undefined],
  ])("%s", async (_, schema, expected) => {
    const notes = defineResource("notes", { schema: schema as z.ZodObject<{ id: z.ZodInt }>, generated: { id: "increment" } });
    const own = await serviceOf(notes).document();
    const [[, example] = []] = examplesOf(own, operationsOf(own).get("notes.create") as DocumentedOperation);
    expect(example).toEqual(expected);
  });
});
