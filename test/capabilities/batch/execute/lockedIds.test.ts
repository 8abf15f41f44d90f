import { defineResource } from "restwright";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { testService } from "restwright/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Query } from "../../../../src/ground/storage/query.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";

/** The storage, and the ids of the rows that its reads lock. */
function watched(base: Storage): { readonly storage: Storage; readonly locked: unknown[][] } {
  const locked: unknown[][] = [];
  const over = (storage: Storage): Storage =>
    Object.create(storage, {
      collection: {
        value: (...args: Parameters<Storage["collection"]>) => {
          const rows = storage.collection(...args);
          const find = async (query: Query, ...rest: unknown[]) => {
            const found = await (rows.find as (...all: unknown[]) => ReturnType<typeof rows.find>).call(rows, query, ...rest);
            if (query.lock === "update") locked.push(found.map((row) => row[args[0].id]));
            return found;
          };
          return new Proxy(rows, { get: (target, name) => (name === "find" ? find : bound(target, name)) });
        },
      },
      transaction: { value: (run: (tx: Storage) => Promise<unknown>, ...rest: []) => storage.transaction?.((tx) => run(over(tx)), ...rest) },
    });
  return { storage: over(base), locked };
}

function bound(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === "function" ? member.bind(target) : member;
}

const first = "a0000000-0000-4000-8000-00000000000a";
const second = "b0000000-0000-4000-8000-00000000000b";

const rows = defineResource("rows", { schema: z.object({ id: z.uuid(), name: z.string() }) });
const lines = defineResource("lines", { schema: z.object({ owner: z.uuid(), line: z.string(), name: z.string() }), id: ["owner", "line"] });
const counted = defineResource("counted", { schema: z.object({ id: z.int(), name: z.string() }) });

test.each([
  ["/rows", [{ id: first }, { id: second }], [second.toUpperCase(), first.toUpperCase()], [first, second]],
  ["/rows", [{ id: first }, { id: second }], [second, first.replace("a", "%41")], [first, second]],
  [
    "/lines",
    [
      { owner: first, line: "a,b" },
      { owner: second, line: "B" },
    ],
    [`${second.toUpperCase()},B`, `${first.toUpperCase()},a%2Cb`],
    [`${first},a%2Cb`, `${second},B`],
  ],
  ["/counted", [{ id: 1 }, { id: 2 }], ["2", "1"], [1, 2]],
])("a batch of %s locks the rows that its paths name before it writes the first", async (path, made, segments, expected) => {
  const { storage, locked } = watched(memoryStorage());
  const { fetch } = testService({ storage, resources: [rows, lines, counted], use: [batch({ mode: "atomic" })] });
  const send = (method: string, target: string, json: unknown) => fetch(target, { method, as: { id: "ann" }, json });
  for (const row of made) expect((await send("POST", path, { ...row, name: "old" })).status).toBe(201);
  locked.length = 0;
  const operations = segments.map((segment) => ({ method: "PATCH", url: `${path}/${segment}`, body: { name: "new" } }));
  const answer = await send("POST", "/batch", { operations });
  expect(answer.status, await answer.clone().text()).toBe(200);
  expect(locked[0]).toEqual(expected);
});
