import { belongsTo, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { setUp, things } from "../../../engine/service/resources.js";
import { clientOf } from "../../../tools/client.js";
import { skipBecause } from "../../../tools/engines.js";
import { fullService } from "../../../tools/fullService.js";
import { describeStores } from "../../../tools/storage/batchStores.js";
import { fillLines, lines, restOf, rowsOf, streamOf } from "./exportStage.js";

const owners = defineResource("owners", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const pets = defineResource("pets", {
  schema: z.object({
    id: z.int(),
    name: z.string(),
    kind: z.enum(["cat", "dog"]),
    ownerId: z.int().nullable(),
    address: z.object({ city: z.string(), zip: z.string().optional() }).optional(),
    tags: z.array(z.string()).default([]),
    bio: z.string().optional(),
  }),
  generated: { id: "increment" },
  compact: ["id", "name"],
  heavy: ["bio"],
  search: ["name"],
  relations: { owner: belongsTo("owners", "ownerId", { filter: ["name"], enforce: false }) },
});

const rows = Array.from({ length: 23 }, (_, index) => ({
  name: `pet ${String(index).padStart(2, "0")}`,
  kind: index % 3 === 0 ? "cat" : "dog",
  ownerId: index % 2 === 0 ? 1 : 2,
  address: index % 4 === 0 ? undefined : { city: `city ${index % 5}`, zip: "1" },
  tags: index % 5 === 0 ? ["old", "big"] : [],
  bio: "long",
}));

describeStores("an export", ({ open }) => {
  async function setUpPets() {
    const opened = await open();
    const service = fullService({ resources: [owners, pets], storage: opened.storage });
    onTestFinished(async () => {
      await service.close();
      await opened.end();
    });
    const send = clientOf(service);
    for (const name of ["Ada", "Ben"]) await send({ method: "POST", target: "/owners", body: { name } });
    for (const body of rows) await send({ method: "POST", target: "/pets", body });
    return send;
  }

  test("holds what the list holds, in every format, whatever is filtered, sorted and chosen", async () => {
    const send = await setUpPets();
    const same = [
      "fields=*",
      "fields=name,id,address{city}",
      "fields=*,-tags",
      "fields=bio,id",
      "fields=id&sort=-name",
      "fields=id,name&kind=cat",
      "fields=id&kind[ne]=cat&sort=kind,-ownerId",
      "fields=id&address.city=city 1",
      "fields=id&tags=old",
      "fields=id&q=pet 1",
      "fields=id&has=address",
      "fields=id&owner.name=Ada",
      "fields=id,ownerId&name[like]=*7",
      "fields=id&name=nobody",
      "fields[pets]=name",
    ].map((query) => [query, query]);
    for (const [query, listed] of [...same, ["exclude=tags,address.zip", "fields=*,-tags,-address.zip"]]) {
      const list = (await send({ target: `/pets?perPage=100&${listed}` })).json.data;
      const lines = await send({ target: `/pets/export?format=ndjson&${query}` });
      expect([lines.status, rowsOf(lines.text)], query).toEqual([200, list]);
      expect((await send({ target: `/pets/export?format=json&${query}` })).json, query).toEqual(list);
    }
  });

  test("shows all but heavy fields where none are chosen", async () => {
    const send = await setUpPets();
    const [first] = rowsOf((await send({ target: "/pets/export?format=ndjson" })).text);
    expect(first).toEqual((await send({ target: "/pets/1" })).json);
    expect(first).not.toHaveProperty("bio");
  });

  test("is CSV unless said otherwise, with the header that a file has", async () => {
    const send = await setUpPets();
    const { status, headers, text } = await send({ target: "/pets/export?name=pet 01" });
    expect(text).toBe("id,name,kind,ownerId,address.city,address.zip,tags\r\n2,pet 01,dog,2,city 1,1,[]\r\n");
    expect([status, headers]).toMatchObject([
      200,
      {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="pets.csv"',
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        vary: "Accept",
      },
    ]);
    expect(headers).not.toHaveProperty("content-length");
  });

  test("is of one instant, whatever is written while it is read", async (context) => {
    const { storage, end } = await open();
    if (!storage.collection(lines.model).can.snapshot) skipBecause(context, "the store reads page by page");
    const service = fullService({ resources: [lines], storage });
    onTestFinished(async () => {
      await service.close();
      await end();
    });
    const send = clientOf(service);
    await send({ target: "/lines" });
    await fillLines(storage, 3_000);
    const { body } = await streamOf(service, { target: "/lines/export?format=ndjson" });
    const first = await body.next();
    for (const id of [2_000, 2_500]) await send({ method: "PATCH", target: `/lines/${id}`, body: { text: "changed" } });
    await send({ method: "DELETE", target: "/lines/2999" });
    await send({ method: "POST", target: "/lines", body: { text: "new", group: 0 } });
    const found = rowsOf(String(first.value) + (await restOf(body)));
    expect(found.map(({ id, text }) => [id, text])).toEqual(Array.from({ length: 3_000 }, (_, index) => [index + 1, `line ${index}`]));
  });
});

describe("an export", () => {
  test.each([
    [undefined, "text/csv; charset=utf-8", "things.csv"],
    ["text/csv", "text/csv; charset=utf-8", "things.csv"],
    ["*/*", "text/csv; charset=utf-8", "things.csv"],
    ["text/html, application/xhtml+xml, */*;q=0.8", "text/csv; charset=utf-8", "things.csv"],
    ["image/png", "text/csv; charset=utf-8", "things.csv"],
    ["application/x-ndjson", "application/x-ndjson", "things.ndjson"],
    ["application/jsonl", "application/jsonl", "things.ndjson"],
    ["application/ndjson", "application/ndjson", "things.ndjson"],
    ["application/json, text/csv;q=0.5", "application/json", "things.json"],
    ["text/csv, application/json", "text/csv; charset=utf-8", "things.csv"],
  ])("to Accept: %s is %s", async (accept, type, name) => {
    const { send } = setUp();
    const { headers } = await send({ target: "/things/export", headers: accept === undefined ? {} : { accept } });
    expect([headers["content-type"], headers["content-disposition"]]).toEqual([type, `attachment; filename="${name}"`]);
  });

  test("has the format that is named rather than one that is accepted", async () => {
    const { send } = setUp();
    const { headers } = await send({ target: "/things/export?format=json", headers: { accept: "application/jsonl" } });
    expect(headers["content-type"]).toBe("application/json");
  });

  test("of nothing is a file of nothing", async () => {
    const { send } = setUp();
    expect((await send({ target: "/pages/export" })).text).toBe("slug,title,thing\r\n");
    expect((await send({ target: "/pages/export?format=ndjson" })).text).toBe("");
    expect((await send({ target: "/pages/export?format=json" })).json).toEqual([]);
  });

  test("refuses what a list refuses, pages and related rows, all in one answer", async () => {
    const { send } = setUp();
    const { status, json } = await send({ target: "/pages/export?title[gtt]=1&page=2&include=owner&fields=slug,owner.name&sort=nope&bom=2" });
    expect([status, json.errors.map(({ code, parameter }: Record<string, string>) => `${code} ${parameter}`)]).toEqual([
      400,
      [
        "UNKNOWN_FIELD page",
        "UNKNOWN_FIELD include",
        "UNKNOWN_OPERATOR title[gtt]",
        "UNKNOWN_FIELD sort",
        "INVALID_VALUE bom",
        "UNKNOWN_FIELD fields",
      ],
    ]);
  });

  test("filters by a field that is called like a word of its own where an operator stands beside", async () => {
    const books = defineResource("books", { schema: z.object({ id: z.int(), format: z.string() }), generated: { id: "increment" } });
    const send = clientOf(fullService({ resources: [books], storage: memoryStorage() }));
    for (const format of ["pdf", "epub"]) await send({ method: "POST", target: "/books", body: { format } });
    expect((await send({ target: "/books?format=pdf" })).json.data).toHaveLength(1);
    expect((await send({ target: "/books/export?format=json&format[eq]=pdf" })).json).toEqual([{ id: 1, format: "pdf" }]);
  });

  test("is not there where lists are not, or the resource says so: its word is an id then", async () => {
    const schema = z.object({ id: z.string() });
    const resources = [defineResource("readable", { schema, operations: ["read", "create"] }), defineResource("plain", { schema, export: false })];
    const send = clientOf(fullService({ resources, storage: memoryStorage() }));
    for (const { name } of resources) {
      await send({ method: "POST", target: `/${name}`, body: { id: "export" } });
      expect((await send({ target: `/${name}/export` })).json).toEqual({ id: "export" });
    }
  });

  test("cannot be a part of a batch", async () => {
    const { send } = setUp();
    const { json } = await send({ method: "POST", target: "/batch", body: { operations: [{ method: "GET", path: "/things/export" }] } });
    expect(json.results).toMatchObject([{ status: 400, error: { code: "INVALID_BATCH" } }]);
  });

  test("takes no other method", async () => {
    const { send } = setUp();
    const { status, headers } = await send({ method: "POST", target: `/${things.name}/export`, body: {} });
    expect([status, headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});
