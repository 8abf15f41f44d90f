import { defineResource, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { type Engine, needs } from "../../../tools/engines.js";
import { fullService } from "../../../tools/fullService.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const counters = defineResource("counters", { schema: z.object({ id: z.int(), n: z.int().default(0) }), generated: { id: "increment" } });
const schema = ownSchema();

interface Place {
  readonly name: string;
  readonly engines?: readonly Engine[];
  /** Makes what the storage needs, once. */
  prepare?(): Promise<() => Storage>;
  open(): Storage;
  end?(): Promise<void>;
}

const places: readonly Place[] = [
  { name: "memory", open: () => memoryStorage() },
  { name: "SQLite", open: () => sqliteStorage({ path: ":memory:" }) },
  {
    name: "PostgreSQL (set POSTGRES_URL to run)",
    engines: ["postgres"],
    async prepare() {
      const connectionString = await schema.create();
      return () => postgresStorage({ connectionString });
    },
    open: () => memoryStorage(),
    end: () => schema.drop(),
  },
];

const jsonPatch = { "content-type": "application/json-patch+json" };

for (const place of places) {
  describe(`races on ${place.name}`, needs(...(place.engines ?? [])), () => {
    let open = place.open;
    const closing: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      if (place.prepare !== undefined) open = await place.prepare();
    });
    // Each has a pool of ten connections, of the hundred that all tests share.
    afterEach(async () => {
      for (const close of closing.splice(0)) await close();
    });
    afterAll(() => place.end?.());

    async function withCounter() {
      const service = fullService({ resources: [counters], storage: open() });
      closing.push(() => service.close());
      const send = clientOf(service);
      const created = await send({ method: "POST", target: "/counters", body: {} });
      const target = created.headers["location"] as string;
      const read = async () => {
        const { json, headers } = await send({ target });
        return { n: json.n as number, tag: headers["etag"] as string };
      };
      const patch = async (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
        (await send({ method: "PATCH", target, headers, body })).status;
      return { read, patch, send, target };
    }

    /** Every client reads and writes several times; each write is answered by a status. */
    async function clients(write: () => Promise<number>): Promise<readonly number[]> {
      const client = async () => {
        const statuses: number[] = [];
        for (let turn = 0; turn < 5; turn++) statuses.push(await write());
        return statuses;
      };
      return (await Promise.all(Array.from({ length: 10 }, client))).flat();
    }

    const times = (statuses: readonly number[], status: number) => statuses.filter((each) => each === status).length;

    test("50 PATCHes with one If-Match: one 200, 49 times 412, and the value is of the one", async () => {
      const { read, patch } = await withCounter();
      const { tag } = await read();
      const statuses = await Promise.all(Array.from({ length: 50 }, (_, n) => patch({ n: n + 1 }, { "if-match": tag })));
      expect([times(statuses, 200), times(statuses, 412)]).toEqual([1, 49]);
      expect((await read()).n).toBe(statuses.indexOf(200) + 1);
    });

    test("50 PUTs and DELETEs with one If-Match: one gets through", async () => {
      const { read, send, target } = await withCounter();
      const headers = { "if-match": (await read()).tag };
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          send(n % 2 === 0 ? { method: "PUT", target, headers, body: { n: n + 1 } } : { method: "DELETE", target, headers }),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(times(statuses, 200) + times(statuses, 204)).toBe(1);
      expect(statuses.filter((status) => ![200, 204, 404, 412].includes(status))).toEqual([]);
    });

    test("JSON Patches that test what they replace lose nothing, without If-Match", async () => {
      const { read, patch } = await withCounter();
      const statuses = await clients(async () => {
        const { n } = await read();
        const operations = [
          { op: "test", path: "/n", value: n },
          { op: "replace", path: "/n", value: n + 1 },
        ];
        return patch(operations, jsonPatch);
      });
      expect(times(statuses, 200) + times(statuses, 409)).toBe(50);
      expect(times(statuses, 200)).toBeGreaterThan(0);
      expect((await read()).n).toBe(times(statuses, 200));
    });

    test("merge patches of what was read lose nothing with If-Match", async () => {
      const { read, patch } = await withCounter();
      const statuses = await clients(async () => {
        const { n, tag } = await read();
        return patch({ n: n + 1 }, { "if-match": tag });
      });
      expect(times(statuses, 200) + times(statuses, 412)).toBe(50);
      expect(times(statuses, 200)).toBeGreaterThan(0);
      expect((await read()).n).toBe(times(statuses, 200));
    });

    test("merge patches of what was read overwrite one another without it: the service cannot know what a client has read", async () => {
      const { read, patch } = await withCounter();
      const seen = await Promise.all(Array.from({ length: 3 }, read));
      for (const { n } of seen) expect(await patch({ n: n + 1 })).toBe(200);
      expect((await read()).n).toBe(1);
    });
  });
}
