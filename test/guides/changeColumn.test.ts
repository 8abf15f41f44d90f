import { readFileSync } from "node:fs";
import pg from "pg";
import { createService, type Resource, type Service } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { clientOf } from "../tools/client.js";
import { needs } from "../tools/engines.js";
import { ownSchema } from "../tools/storage/postgresSchema.js";
import { guideBlocks, guideCode } from "./guidePage.js";
import { before, later, now } from "./rules/changeColumn.js";

const page = readFileSync(new URL("../../docs/guides/change-a-column.md", import.meta.url), "utf8");
const [made = "", expand = "", contract = ""] = [...page.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, block]) => block);

test("docs/guides/change-a-column.md shows the code that is run here", () => {
  expect(guideBlocks(page)).toEqual([guideCode("./rules/changeColumn.ts")]);
});

describe("docs/guides/change-a-column.md (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString: string;
  let pool: pg.Pool;
  beforeAll(async () => {
    connectionString = await schema.create();
    pool = new pg.Pool({ connectionString, max: 1 });
  });
  afterAll(async () => {
    await pool.end();
    await schema.drop();
  });

  async function release(resource: Resource): Promise<Service> {
    const service = createService({ resources: [resource], storage: postgresStorage({ connectionString }), logger: false });
    onTestFinished(() => service.close());
    await service.start();
    return service;
  }

  function callsOf(service: Service) {
    const send = clientOf(service);
    const answer = async (method: string, target: string, body?: unknown, tag?: string) => {
      const { status, json, headers } = await send({ method, target, body, headers: tag === undefined ? {} : { "if-match": tag } });
      return { status, json, tag: String(headers["etag"]) };
    };
    return {
      get: (id: number) => answer("GET", `/bookings/${id}`),
      post: (body: object) => answer("POST", "/bookings", body),
      patch: (id: number, body: object, tag?: string) => answer("PATCH", `/bookings/${id}`, body, tag),
    };
  }

  test("two releases serve one table, and then the third alone", async () => {
    await pool.query(made);
    const first = callsOf(await release(before));
    const seen = await first.get(1);
    expect(seen).toMatchObject({ status: 200, json: { id: 1, room: "a", minutes: 60 } });
    await pool.query(expand);
    expect((await first.get(1)).tag).toBe(seen.tag);

    const second = callsOf(await release(now));
    expect(await second.get(1)).toMatchObject({ status: 200, json: { id: 1, room: "a", minutes: 60, seconds: 3600 } });
    const written = await second.patch(1, { seconds: 5400 }, seen.tag);
    expect(written).toMatchObject({ status: 200, json: { id: 1, minutes: 90, seconds: 5400 } });
    expect(await second.patch(1, { seconds: 60 }, seen.tag)).toMatchObject({ status: 412, tag: written.tag });
    expect((await first.get(1)).json).toEqual({ id: 1, room: "a", minutes: 90 });
    expect(await first.patch(1, { minutes: 30 }, written.tag)).toMatchObject({ status: 412 });
    expect(await first.patch(1, { minutes: 30 }, (await first.get(1)).tag)).toMatchObject({ status: 200 });
    expect((await second.get(1)).json).toEqual({ id: 1, room: "a", minutes: 30, seconds: 1800 });
    expect(await first.post({ room: "b", minutes: 2 })).toMatchObject({ status: 201, json: { id: 2, minutes: 2 } });
    expect(await second.post({ room: "c", seconds: 60 })).toMatchObject({ status: 201, json: { id: 3, minutes: 1, seconds: 60 } });
    expect((await second.get(2)).json).toEqual({ id: 2, room: "b", minutes: 2, seconds: 120 });

    const third = callsOf(await release(later));
    const ofSecond = await second.get(3);
    expect(await third.patch(3, { seconds: 61 }, ofSecond.tag)).toMatchObject({ status: 412 });
    expect(await third.post({ room: "d", seconds: 180 })).toMatchObject({ status: 201, json: { id: 4, room: "d", seconds: 180 } });
    const ofThird = await third.get(4);
    await pool.query(contract);
    expect(await third.get(4)).toEqual(ofThird);
    expect(await third.patch(4, { seconds: 240 }, ofThird.tag)).toMatchObject({ status: 200, json: { seconds: 240 } });
    const restarted = callsOf(await release(later));
    expect((await restarted.get(4)).tag).toBe((await third.get(4)).tag);
  });
});
