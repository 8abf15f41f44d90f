import { createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { type OpenApiOptions, openapi } from "restwright/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { operationsOf, resolved, stage } from "./stage.js";

const visits = defineResource("visits", {
  schema: z.object({
    id: z.int(),
    name: z.string(),
    at: z.date(),
    tags: z.array(z.string()),
    place: z.object({ city: z.string() }),
    paid: z.boolean(),
  }),
  generated: { id: "increment" },
});

function serviceOf(options: Partial<OpenApiOptions>) {
  return createService({
    resources: [visits],
    storage: memoryStorage(),
    logger: false,
    use: [openapi({ info: { title: "t", version: "1" }, ...options })],
  });
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly style?: string;
  readonly schema: unknown;
}

async function filtersOf(service: ReturnType<typeof serviceOf>): Promise<readonly Parameter[]> {
  const document = await service.document();
  const parameters = (operationsOf(document).get("visits.list")?.parameters ?? []).map((each) => resolved(document, each) as Parameter);
  const others = ["has", "sort", "page", "perPage", "cursor", "count", "fields", "exclude"];
  return parameters.filter((parameter) => parameter.in === "query" && !others.includes(parameter.name));
}

describe('filters: "flat"', () => {
  test("declares the usual operators by names that every generator can write", async () => {
    const filters = await filtersOf(serviceOf({ filters: "flat" }));
    expect(filters.map(({ name }) => name)).toEqual([
      ...["id", "id__gte", "id__lte", "id__in", "name", "name__gte", "name__lte", "name__in", "name__like"],
      ...[
        "at",
        "at__gte",
        "at__lte",
        "at__in",
        "tags",
        "tags__in",
        "place.city",
        "place.city__gte",
        "place.city__lte",
        "place.city__in",
        "place.city__like",
        "paid",
        "paid__in",
      ],
    ]);
    expect(filters.filter(({ style }) => style === "deepObject")).toEqual([]);
    expect(filters.find(({ name }) => name === "id__in")).toMatchObject({
      style: "form",
      explode: false,
      schema: { type: "array", items: { type: "integer" } },
    });
    expect(filters.find(({ name }) => name === "at__gte")?.schema).toEqual({
      anyOf: [
        { type: "string", format: "date-time" },
        { type: "string", format: "date" },
      ],
    });
  });

  test("declares what the service takes", async () => {
    const service = serviceOf({ filters: "flat" });
    const send = clientOf(service);
    const values: Readonly<Record<string, string>> = { id: "1", name: "ab", at: "2026-01-31", tags: "a", "place.city": "Rome", paid: "true" };
    const filters = await filtersOf(service);
    expect(filters.length).toBeGreaterThan(15);
    for (const { name } of filters) {
      const { status, text } = await send({ target: `/visits?${name}=${values[name.split("__")[0] ?? ""]}` });
      expect([name, status], text).toEqual([name, 200]);
    }
  });

  test("is not the default", async () => {
    const filters = await filtersOf(serviceOf({}));
    expect(filters.map(({ name, style }) => [name, style])).toContainEqual(["id", "deepObject"]);
    expect(filters.some(({ name }) => name.includes("__"))).toBe(false);
  });
});

describe("only", () => {
  test("describes the operations of the groups, and nothing that only others have", async () => {
    const part = await stage({ openapi: { only: { tags: ["keys", "jobs"] } } }).document();
    const names = [...operationsOf(part).keys()];
    expect(names).toContain("keys.create");
    expect(names).toContain("jobs.import");
    expect(names.filter((name) => !/^(?:keys|jobs)\./.test(name))).toEqual([]);
    expect(part["tags"]).toEqual([{ name: "keys" }, { name: "jobs" }]);
    expect(JSON.stringify(part)).not.toMatch(/Author|Book\b/);
    expect(Object.keys(part.components["x-restwright-collections"] ?? {})).toEqual(["keys"]);
    const whole = operationsOf(await stage().document());
    expect(names).toEqual([...whole.keys()].filter((name) => /^(?:keys|jobs)\./.test(name)));
  });

  test("is asked for one document, beside the whole one", async () => {
    const service = stage();
    const part = await service.document({ only: { tags: ["books"] } });
    expect([...operationsOf(part).keys()]).toContain("authors.books.list");
    expect(operationsOf(part).has("authors.list")).toBe(false);
    expect(operationsOf(await service.document()).has("authors.list")).toBe(true);
  });

  test("refuses a group that does not exist, at the start", async () => {
    const message = 'openapi: "only" names the group "boks", which has no operations; there are: ';
    expect(() => stage({ openapi: { only: { tags: ["books", "boks"] } } })).toThrow(message);
    await expect(stage().document({ only: { tags: ["boks"] } })).rejects.toThrow(message.replace("openapi", "document"));
    expect(() => openapi({ info: { title: "t", version: "1" }, only: { tags: [] } })).toThrow("an array of names of groups");
  });
});

test("an upload may begin without a body", async () => {
  const create = operationsOf(await stage().document()).get("uploads.create");
  expect(create?.requestBody).toMatchObject({ required: false });
});

test("generators see that a field is only written, also where its type has a name", async () => {
  const secret = z.object({ code: z.string() }).meta({ id: "Secret" });
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), secret, other: secret.optional() }),
    generated: { id: "increment" },
    access: { secret: { read: false } },
  });
  const service = createService({
    resources: [notes],
    storage: memoryStorage(),
    logger: false,
    use: [openapi({ info: { title: "t", version: "1" } })],
  });
  const { components } = await service.document();
  expect(components["schemas"]?.["NoteCreate"]).toMatchObject({
    properties: {
      secret: { allOf: [{ $ref: "#/components/schemas/SecretInput" }], writeOnly: true },
      other: { $ref: "#/components/schemas/SecretInput" },
    },
  });
});
