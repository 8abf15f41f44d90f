import { randomBytes } from "node:crypto";
import { defineResource } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Sent } from "../../../tools/client.js";
import { needs } from "../../../tools/engines.js";
import { fullService } from "../../../tools/fullService.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const wideNames = Array.from({ length: 500 }, (_, index) => `m${index}`);

const pages = defineResource("pages", { schema: z.object({ slug: z.string(), title: z.string().optional() }), id: "slug", unique: ["title"] });
const wides = defineResource("wides", {
  schema: z.object({ id: z.int(), ...Object.fromEntries(wideNames.map((name) => [name, z.string().optional()])) }),
  generated: { id: "increment" },
});

/** PostgreSQL compresses before it measures. */
const long = randomBytes(4_000).toString("hex");

describe("a row that PostgreSQL cannot keep for its size (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let send: ReturnType<typeof clientOf>;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const service = fullService({ resources: [pages, wides], storage: postgresStorage({ connectionString: await schema.create() }) });
    send = clientOf(service);
    close = () => service.close();
    expect((await send({ method: "PUT", target: "/pages/home", body: { title: "Home" } })).status).toBe(201);
  });
  afterAll(async () => {
    await close();
    await schema.drop();
  });

  test.each<readonly [string, Sent]>([
    ["POST", { method: "POST", target: "/pages", body: { slug: "a", title: long } }],
    ["POST with a long id", { method: "POST", target: "/pages", body: { slug: long } }],
    ["POST of many members", { method: "POST", target: "/wides", body: Object.fromEntries(wideNames.map((name) => [name, "0123456789abcdef"])) }],
    ["PUT that creates", { method: "PUT", target: "/pages/b", body: { title: long } }],
    ["PUT that replaces", { method: "PUT", target: "/pages/home", body: { title: long } }],
    ["PATCH", { method: "PATCH", target: "/pages/home", headers: { "content-type": "application/merge-patch+json" }, body: { title: long } }],
    [
      "a batch of all or none",
      {
        method: "POST",
        target: "/pages/batch",
        headers: { prefer: "handling=strict" },
        body: { items: [{ slug: "c" }, { slug: "d", title: long }] },
      },
    ],
  ])("is 422 by %s, and nothing is written", async (_way, sent) => {
    const { status, json } = await send(sent);
    // A batch says which item it is.
    const { code } = json.results?.[1].error ?? json;
    expect([status, code]).toEqual([422, "ROW_TOO_LARGE"]);
    expect(await slugs()).toEqual(["home"]);
  });

  test("is one item of a batch, and one row of an import", async () => {
    const items = [{ slug: "c" }, { slug: "d", title: long }, { slug: "e" }];
    const batch = await send({ method: "POST", target: "/pages/batch", body: { items } });
    expect(batch.json.results.map(({ status }: { status: number }) => status)).toEqual([201, 422, 201]);
    expect(batch.json.results[1].error.code).toBe("ROW_TOO_LARGE");
    const body = [{ slug: "f" }, { slug: "g", title: long }, { slug: "h" }].map((row) => JSON.stringify(row)).join("\n");
    const imported = await send({ method: "POST", target: "/pages/import", headers: { "content-type": "application/x-ndjson" }, body });
    expect(imported.json).toMatchObject({ result: { created: 2, failed: 1 }, errors: [{ row: 2, code: "ROW_TOO_LARGE" }] });
    expect(await slugs()).toEqual(["c", "e", "f", "h", "home"]);
  });

  test("ends an import that would change a row to it, and nothing of its chunk is written", async () => {
    const before = await slugs();
    const body = [{ slug: "z" }, { slug: "home", title: long }].map((row) => JSON.stringify(row)).join("\n");
    const headers = { "content-type": "application/x-ndjson" };
    const { status, json } = await send({ method: "POST", target: "/pages/import?mode=upsert&key=slug", headers, body });
    expect([status, json.code]).toEqual([422, "ROW_TOO_LARGE"]);
    expect(await slugs()).toEqual(before);
  });

  async function slugs() {
    const { json } = await send({ target: "/pages?sort=slug" });
    return json.data.map(({ slug }: { slug: string }) => slug);
  }
});
