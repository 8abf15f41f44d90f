import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { createService, defineResource } from "restwright";
import { actions } from "restwright/actions";
import { docs } from "restwright/docs";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { operationsOf, resolved, stage } from "./stage.js";

describe("the OpenAPI document", () => {
  test.each(["3.1", "3.2"] as const)("of version %s is valid", async (version) => {
    const document = await stage({ openapi: { version } }).document();
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document.openapi).toBe(version === "3.1" ? "3.1.1" : "3.2.0");
  });

  test.each<[of: string, mount: string, options: { baseUrl?: string; servers?: { url: string }[] }, servers: unknown]>([
    ["the path of its mount", "/v1", {}, [{ url: "/v1" }]],
    ["baseUrl", "/v1", { baseUrl: "https://a.example/api/v1/" }, [{ url: "https://a.example/api/v1" }]],
    ["what openapi() is told", "/v1", { baseUrl: "https://a.example", servers: [{ url: "https://b.example" }] }, [{ url: "https://b.example" }]],
    ["nothing at the root of a host, where tools look", "", {}, undefined],
  ])("names as its server %s", async (_, mount, { servers, ...options }, expected) => {
    const notes = defineResource("notes", { schema: z.object({ id: z.int() }) });
    const use = [openapi({ info: { title: "t", version: "1" }, servers }), docs()];
    const service = createService({ resources: [notes], storage: memoryStorage(), logger: false, use, ...options });
    const send = clientOf(service);
    const { json } = await send({ target: "/openapi.json", mount });
    expect((json as { servers?: unknown }).servers).toEqual(expected);
    const other = await send({ target: "/openapi.json", mount: "/v2" });
    expect(other.headers["etag"] === (await send({ target: "/openapi.json", mount })).headers["etag"]).toBe("baseUrl" in options);
    expect((await send({ target: "/docs", mount })).text.includes("<h2>Servers</h2>")).toBe(expected !== undefined);
  });

  test("names the baseUrl of the service also where no request asks", async () => {
    const notes = defineResource("notes", { schema: z.object({ id: z.int() }) });
    const make = (baseUrl?: string) =>
      createService({ resources: [notes], storage: memoryStorage(), logger: false, baseUrl, use: [openapi({ info: { title: "t", version: "1" } })] });
    expect((await make("https://a.example/v1").document())["servers"]).toEqual([{ url: "https://a.example/v1" }]);
    expect(await make().document()).not.toHaveProperty("servers");
  });

  test("takes days and instants in filters of instants, but no days in those of arrays", async () => {
    const visits = defineResource("visits", {
      schema: z.object({ id: z.int(), at: z.date(), days: z.array(z.iso.datetime()) }),
      ranges: { minAt: "at" },
    });
    const service = createService({
      resources: [visits],
      storage: memoryStorage(),
      logger: false,
      use: [openapi({ info: { title: "t", version: "1" } })],
    });
    const document = await service.document();
    const parameters =
      operationsOf(document)
        .get("visits.list")
        ?.parameters?.map((each) => resolved(document, each)) ?? [];
    const schemaOf = (name: string) => resolved(document, parameters.find((each) => each.name === name).schema);
    const instants = [
      { type: "string", format: "date-time" },
      { type: "string", format: "date" },
    ];
    expect(schemaOf("at").anyOf.slice(0, -1)).toEqual(instants);
    expect(schemaOf("at").anyOf.at(-1)).toMatchObject({ properties: { gte: { anyOf: instants }, in: { type: "string" } } });
    expect(schemaOf("minAt")).toEqual({ anyOf: instants });
    expect(schemaOf("days").anyOf[0]).toMatchObject({ format: "date-time" });
    for (const query of ["at=2026-01-31", "at[gte]=2026-01-31", "minAt=2026-01-31T10:00:00Z"]) {
      expect((await clientOf(service)({ target: `/visits?${query}` })).status).toBe(200);
    }
    expect((await clientOf(service)({ target: "/visits?days=2026-01-31" })).status).toBe(400);
  });

  test("has exactly the methods that OPTIONS says", async () => {
    const service = stage();
    const send = clientOf(service);
    const document = await service.document();
    const all = [...operationsOf(document).values()];
    const paths = new Set(all.map(({ path }) => path));
    for (const path of paths) {
      const operations = all.filter((operation) => operation.path === path);
      const { headers } = await send({ method: "OPTIONS", target: path.replace(/\{\w+\}/g, "1") });
      const documented = operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
      expect(String(headers["allow"]).split(", ").sort(), path).toEqual([...documented, "OPTIONS"].sort());
    }
    expect(paths.size).toBeGreaterThan(25);
  });

  test("names each operation once, and refers to what it has", async () => {
    const document = await stage().document();
    const text = JSON.stringify(document);
    const ids = [...text.matchAll(/"operationId":"([^"]+)","tags"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, kind = "", name = ""] of text.matchAll(/#\/components\/([^/"]+)\/([^"]+)/g)) {
      expect(document.components[kind], `${kind}/${name}`).toHaveProperty([name]);
    }
  });

  test("refers to each of its parts", async () => {
    const document = await stage().document();
    const text = JSON.stringify(document);
    for (const kind of ["schemas", "parameters", "headers", "responses", "examples", "requestBodies"]) {
      for (const name of Object.keys(document.components[kind] ?? {})) expect(text).toContain(`"#/components/${kind}/${name}"`);
    }
  });

  test("shows generators which parameters are lists, and names bodies and answers by their schemas", async () => {
    const document = await stage().document();
    const parameters = Object.entries(document.components["parameters"] ?? {}) as [string, { explode?: boolean; schema: { type?: string } }][];
    const lists = parameters.filter(([, { explode }]) => explode === false);
    expect(lists.map(([name]) => name)).toEqual(
      expect.arrayContaining(["Query.sort", "Query.has", "Query.fields", "Query.exclude", "Query.include"]),
    );
    // Behind a reference openapi-ts does not see the list, and repeats the parameter.
    for (const [name, { schema }] of lists) expect([name, schema.type]).toEqual([name, "array"]);
    expect(document.components["requestBodies"]).toHaveProperty("BookPatchBody");
    expect(document.components["responses"]).toHaveProperty("BookList200");
    // What only one operation has stands there.
    const create = operationsOf(document).get("authors.create");
    const example = { name: "text", email: "ada@example.com", password: "texttext" };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/AuthorCreate" }, example } };
    expect(create?.requestBody).toEqual({ required: true, content });
    expect(create?.responses["201"]).toMatchObject({ description: expect.any(String), content: { "application/json": {} } });
  });

  test("is the same in every service of the same definitions", async () => {
    expect(JSON.stringify(await stage().document())).toBe(JSON.stringify(await stage().document()));
  });

  test("has schemas that compile, and examples that they accept", async () => {
    const document = await stage().document();
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema(document as object, "document");
    for (const name of Object.keys(document.components["schemas"] ?? {})) {
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` }), name).not.toThrow();
    }
    const isProblem = ajv.compile({ $ref: "document#/components/schemas/Problem" });
    const examples = Object.entries(document.components["examples"] ?? {}) as [string, { value: unknown }][];
    expect(examples.length).toBeGreaterThan(40);
    for (const [code, { value }] of examples) expect(isProblem(value), code).toBe(true);
  });

  test("says which codes each status has, with those of actions and unique keys", async () => {
    const document = await stage().document();
    const operations = operationsOf(document);
    const codesOf = (name: string, status: string) => {
      const operation = operations.get(name);
      const own = operation?.["x-problem-codes"] ?? [];
      const all: readonly string[] = resolved(document, operation?.responses[status])?.["x-problem-codes"] ?? [];
      return status === "default" ? all : all.filter((code) => own.includes(code));
    };
    expect(codesOf("books.lend", "409")).toContain("BOOK_LENT");
    expect(codesOf("books.update", "409")).not.toContain("BOOK_LENT");
    expect(codesOf("authors.create", "422")).toContain("DUPLICATE_EMAIL");
    expect(codesOf("authors.create", "422")).not.toContain("DUPLICATE_CANARY");
    expect(codesOf("books.list", "400")).toContain("SORT_NOT_ALLOWED");
    expect(codesOf("books.read", "404")).toEqual(["NOT_FOUND"]);
    expect(codesOf("books.read", "default")).toEqual(expect.arrayContaining(["UNAUTHENTICATED", "INTERNAL", "MALFORMED_HEADER"]));
    expect(codesOf("books.read", "default")).not.toContain("SORT_NOT_ALLOWED");
  });

  test("takes the parts of a composite id as a list", async () => {
    const { paths } = await stage().document();
    const [parameter] = (paths["/keys/{id}"]?.["parameters"] ?? []) as readonly object[];
    expect(parameter).toMatchObject({
      style: "simple",
      schema: { prefixItems: [{ type: "integer" }, { type: "string" }], minItems: 2, maxItems: 2 },
    });
  });

  test("calls rows above the one of an operation after their collections", async () => {
    const { paths } = await stage().document();
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(["/authors/{id}", "/authors/{authorId}/books", "/authors/{authorId}/books/{id}", "/books/{id}/lend"]),
    );
  });

  test("makes a sentence of the name of an action", async () => {
    const orders = defineResource("orders", {
      schema: z.object({ id: z.int(), total: z.number() }),
      actions: ({ action }) => ({
        cancel: action({ on: "row", run: () => undefined }),
        markPaid: action({ on: "row", run: () => undefined }),
        close: action({ on: "collection", run: () => undefined }),
        receipt: action({ on: "row", method: "GET", run: () => undefined }),
        statistics: action({ on: "collection", method: "GET", run: () => undefined }),
        bestSellers: action({ on: "collection", method: "GET", run: () => undefined }),
      }),
    });
    const service = createService({
      resources: [orders],
      storage: memoryStorage(),
      logger: false,
      use: [actions(), openapi({ info: { title: "Orders", version: "1" } })],
    });
    const operations = operationsOf(await service.document());
    const summaries = ["cancel", "markPaid", "close", "receipt", "statistics", "bestSellers"].map(
      (name) => operations.get(`orders.${name}`)?.summary,
    );
    expect(summaries).toEqual([
      "Cancel an order",
      'Run "markPaid" for an order',
      "Close orders",
      "Read receipt of an order",
      "Read statistics of orders",
      'Run "bestSellers" for orders',
    ]);
    await service.close();
  });

  test("says in the summary of an operation which row it is below", async () => {
    const operations = operationsOf(await stage().document());
    const summaryOf = (name: string) => operations.get(name)?.summary;
    expect(summaryOf("books.list")).toBe("List books");
    expect(summaryOf("authors.books.list")).toBe("List books of an author");
    expect(summaryOf("books.lend")).toBe("Lend a book");
    expect(summaryOf("authors.books.lend")).toBe("Lend a book of an author");
  });

  test("has QUERY beside the path item in 3.1, and within it in 3.2", async () => {
    const [older, newer] = [await stage().document(), await stage({ openapi: { version: "3.2" } }).document()];
    expect(older.paths["/books"]).toHaveProperty(["x-additionalOperations", "QUERY", "operationId"], "books.query");
    expect(newer.paths["/books"]).toHaveProperty(["query", "operationId"], "books.query");
  });
});
