import { createService, defineResource, type Service } from "restwright";
import { batch } from "restwright/batch";
import { formats } from "restwright/formats";
import { jobs } from "restwright/jobs";
import { transfer } from "restwright/transfer";
import { xml } from "restwright/xml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { endedJob, jobOf } from "../../../capabilities/batch/batchJobStage.js";
import { clientOf, requestOf, type Sent } from "../../../tools/client.js";
import { describeStores, type OpenedStore } from "../../../tools/storage/batchStores.js";

const things = defineResource("things", {
  schema: z.object({
    id: z.int(),
    number: z.number().optional(),
    whole: z.int().optional(),
    big: z.bigint().optional(),
    either: z.union([z.number(), z.boolean()]).optional(),
    textOr: z.union([z.number(), z.string()]).optional(),
    any: z.unknown().optional(),
    json: z.json().optional(),
    loose: z.looseObject({ a: z.int().optional() }).optional(),
    record: z.record(z.string(), z.number()).optional(),
    list: z.array(z.number()).optional(),
  }),
  generated: { id: "increment" },
  accepts: ["json", "form", "xml"],
});

/** Literals whose double is another integer. */
const rounded = [
  "1234567890123456789",
  "-1234567890123456789",
  "9007199254740993",
  "9223372036854775807",
  "18446744073709551615",
  "100000000000000000001",
];

/** Literals that come back as they are, or are no integers. */
const kept = [
  "9007199254740991",
  "9007199254740992",
  "9007199254740994",
  "9223372036854775808",
  "1234567890123456800",
  "-1234567890123456800",
  "100000000000000000000",
  "1e21",
  "1000000000000000000000",
  "100000000000000000000000",
  "0.1234567890123456789",
  "12345678901234567.5",
  "1234567890123456789e0",
  "-0",
  "1.7976931348623157e308",
];

/** Where a number stands in a row, and its pointer. */
const places = [
  ["z.number()", (digits: string) => `{"number":${digits}}`, "/number"],
  ["z.int()", (digits: string) => `{"whole":${digits}}`, "/whole"],
  ["z.bigint()", (digits: string) => `{"big":${digits}}`, "/big"],
  ["a union", (digits: string) => `{"either":${digits}}`, "/either"],
  ["z.unknown()", (digits: string) => `{"any":{"tweet":${digits}}}`, "/any/tweet"],
  ["z.unknown() itself", (digits: string) => `{ "any" : ${digits} }`, "/any"],
  ["z.json()", (digits: string) => `{"json":[1,"1234567890123456789",{"a/b":[${digits}]}]}`, "/json/2/a~1b/0"],
  ["a loose object", (digits: string) => `{"loose":{"a":1,"b":${digits}}}`, "/loose/b"],
  ["a record", (digits: string) => `{"record":{"a":${digits}}}`, "/record/a"],
  ["an array", (digits: string) => `{"list":[0,\n${digits}\n]}`, "/list/1"],
] as const;

const inRow = ([, row]: (typeof places)[number], digits: string) => row(digits);
const eachPlace = places.flatMap((place) => rounded.slice(0, 3).map((digits) => [place[0], digits, inRow(place, digits), place[2]] as const));

describeStores(
  "integers that no double is",
  ({ open }) => {
    let store: OpenedStore;
    let service: Service;
    let send: (sent: Sent) => ReturnType<ReturnType<typeof clientOf>>;

    beforeAll(async () => {
      store = await open();
      const use = [batch(), jobs(), transfer(), formats({ use: [xml()] })];
      service = createService({ resources: [things], storage: store.storage, logger: false, use });
      await service.start();
      send = clientOf(service);
    });
    afterAll(async () => {
      await service.close();
      await store.end();
    });

    const count = async () => (await send({ target: "/things?perPage=1" })).json.meta.total;

    test.each(eachPlace)("%s refuses %s in a body", async (_, __, body, pointer) => {
      const before = await count();
      const refused = await send({ method: "POST", target: "/things", body });
      expect([refused.status, refused.json.code, refused.json.errors]).toMatchObject([400, "INVALID_VALUE", [{ code: "INVALID_VALUE", pointer }]]);
      expect(await count()).toBe(before);
    });

    test.each(rounded)("%s is refused in PUT and both patches", async (digits) => {
      const { headers } = await send({ method: "POST", target: "/things", body: '{"any":{"tweet":1}}' });
      const target = String(headers["location"]);
      const patch = { "content-type": "application/json-patch+json" };
      const answers = [
        await send({ method: "PUT", target, body: `{"any":{"tweet":${digits}}}` }),
        await send({ method: "PATCH", target, body: `{"any":{"tweet":${digits}}}` }),
        await send({ method: "PATCH", target, headers: patch, body: `[{"op":"replace","path":"/any/tweet","value":${digits}}]` }),
        await send({ method: "PATCH", target, headers: patch, body: `[{"op":"test","path":"/any/tweet","value":[${digits}]}]` }),
      ];
      expect(answers.map(({ status, json }) => [status, json.code, json.errors[0].pointer])).toEqual([
        [400, "INVALID_VALUE", "/any/tweet"],
        [400, "INVALID_VALUE", "/any/tweet"],
        [400, "INVALID_VALUE", "/0/value"],
        [400, "INVALID_VALUE", "/0/value/0"],
      ]);
      expect((await send({ target })).json.any).toEqual({ tweet: 1 });
    });

    test.each([
      ["/things", { any: { tweet: 2 ** 60 } }, "/any/tweet"],
      ["/things/batch", { items: [{ any: 1 }, { any: { tweet: 2 ** 60 } }] }, "/items/1/any/tweet"],
    ])("POST of %s is refused if a body parser of the host may have rounded one", async (target, value, pointer) => {
      const before = await count();
      const response = await service.handle({ ...requestOf({ method: "POST", target, body: value }), body: { kind: "parsed", value } });
      const problem = JSON.parse(String(response?.body));
      expect([response?.status, problem.code, problem.errors[0].pointer]).toEqual([400, "INVALID_VALUE", pointer]);
      expect(await count()).toBe(before);
    });

    test.each(kept)("%s is stored, shown as the same number, and taken back", async (digits) => {
      const created = await send({ method: "POST", target: "/things", body: `{"number":${digits},"any":{"a":[${digits}]}}` });
      expect(created.status).toBe(201);
      const number = Number(digits) === 0 ? 0 : Number(digits);
      expect(created.json).toMatchObject({ number: expect.closeTo(number, 0), any: { a: [expect.anything()] } });
      const target = String(created.headers["location"]);
      const shown = await send({ target });
      expect(Number(shown.json.number)).toBe(number);
      const put = await send({ method: "PUT", target, body: shown.text });
      expect([put.status, put.headers["etag"]]).toEqual([200, shown.headers["etag"]]);
    });

    test("fail alone in a batch, by values, ids and changes", async () => {
      const before = await count();
      const created = await send({
        method: "POST",
        target: "/things/batch",
        body: '{"items":[{"any":1},{"any":{"tweet":9007199254740993}},{"any":2}]}',
      });
      expect([created.status, created.json.results.map(({ status }: { status: number }) => status)]).toEqual([207, [201, 400, 201]]);
      expect(created.json.results[1].error).toMatchObject({ code: "INVALID_VALUE", errors: [{ pointer: "/any/tweet" }] });
      const [{ id }] = created.json.results;
      const changes = `{"items":[{"id":${id},"changes":{"any":[9007199254740993]}}]}`;
      const updated = await send({ method: "PATCH", target: "/things/batch", body: changes });
      expect(updated.json.results).toMatchObject([{ status: 400, error: { errors: [{ pointer: "/changes/any/0" }] } }]);
      const removed = await send({ method: "POST", target: "/things/batch-delete", body: `{"ids":[9007199254740993,${id}]}` });
      expect(removed.json.results).toMatchObject([{ status: 400, error: { code: "INVALID_VALUE" } }, { status: 204 }]);
      expect(await count()).toBe(before + 1);
    });

    test("take an atomic batch with them", async () => {
      const before = await count();
      const body = '{"items":[{"any":1},{"number":9007199254740993}]}';
      const refused = await send({ method: "POST", target: "/things/batch", headers: { prefer: "handling=strict" }, body });
      expect([refused.status, refused.json.results.map(({ status }: { status: number }) => status)]).toEqual([422, [424, 400]]);
      expect(await count()).toBe(before);
    });

    test("fail alone in a batch that continues as a job", async () => {
      const body = '{"items":[{"any":1},{"any":{"tweet":9007199254740993}}]}';
      const job = await endedJob(send, jobOf(await send({ method: "POST", target: "/things/batch", headers: { prefer: "respond-async" }, body })));
      expect(job.results).toMatchObject([{ status: 201 }, { status: 400, error: { code: "INVALID_VALUE", errors: [{ pointer: "/any/tweet" }] } }]);
    });

    test("fail their operation of a batch of requests", async () => {
      const operations =
        '[{"method":"POST","url":"/things","body":{"any":{"tweet":9007199254740993}}},{"method":"POST","url":"/things","body":{"any":1}}]';
      const { json } = await send({ method: "POST", target: "/batch", body: `{"operations":${operations}}` });
      expect(json.results).toMatchObject([
        { status: 400, error: { code: "INVALID_VALUE", errors: [{ pointer: "/body/any/tweet" }] } },
        { status: 201 },
      ]);
    });

    test.each(places)("%s fails alone in NDJSON, in a JSON array and in cells", async (_, row, pointer) => {
      const field = pointer.slice(1).replaceAll("/", ".").replaceAll(".a~1b", ".a/b");
      const digits = "1234567890123456789";
      const [name = ""] = field.split(".");
      const cell = row(digits)
        .replace(/^\{\s*"\w+"\s*:\s*(.*)\}$/s, "$1")
        .trim();
      const files: [string, string][] = [
        ["application/x-ndjson", `{"whole":1}\n${row(digits).replaceAll("\n", "")}\n{"whole":2}\n`],
        ["application/json", `[{"whole":1},${row(digits)},{"whole":2}]`],
        ["text/csv", `whole,${name}\n1,\n,"${cell.replaceAll('"', '""')}"\n2,\n`],
      ];
      for (const [type, body] of files) {
        // A bigint is read from its digits there, and a cell of any value that is no JSON stays text.
        if (type === "text/csv" && (name === "big" || name === "whole" || field === "any")) continue;
        const { json } = await send({ method: "POST", target: "/things/import", headers: { "content-type": type }, body });
        expect(json.result, type).toMatchObject({ created: 2, failed: 1 });
        expect(json.errors, type).toMatchObject([{ code: "INVALID_VALUE", errors: [{ code: "INVALID_VALUE", field }] }]);
      }
    });

    test("are refused in number cells, and stay text where a text may stand", async () => {
      const body = "whole,number,textOr,big\n1234567890123456789,,,\n,1234567890123456789,,\n,,1234567890123456789,1234567890123456789\n";
      const { json } = await send({ method: "POST", target: "/things/import", headers: { "content-type": "text/csv" }, body });
      expect(json.errors).toMatchObject([
        { errors: [{ code: "INVALID_VALUE", field: "whole" }] },
        { errors: [{ code: "INVALID_VALUE", field: "number" }] },
      ]);
      const { data } = (await send({ target: "/things?big=1234567890123456789&perPage=1" })).json;
      expect(data).toMatchObject([{ textOr: "1234567890123456789", big: "1234567890123456789" }]);
    });

    test.each([
      ["a form", "application/x-www-form-urlencoded", (digits: string) => `number=${digits}`, "/number"],
      ["a form with members", "application/x-www-form-urlencoded", (digits: string) => `record[a]=${digits}`, "/record/a"],
      ["XML", "application/xml", (digits: string) => `<thing><number>${digits}</number></thing>`, "/number"],
      ["XML with types", "application/xml", (digits: string) => `<thing><any type="number">${digits}</any></thing>`, "/any"],
    ])("%s refuses them", async (_, type, bodyOf, pointer) => {
      const answer = (digits: string) => send({ method: "POST", target: "/things", headers: { "content-type": type }, body: bodyOf(digits) });
      const refused = await answer("1234567890123456789");
      expect([refused.status, refused.json.code, refused.json.errors]).toMatchObject([400, "INVALID_VALUE", [{ pointer }]]);
      expect((await answer("100000000000000000000")).status).toBe(201);
    });
  },
  ({ name }) => ["memory", "SQLite"].includes(name) || name.startsWith("PostgreSQL"),
);
