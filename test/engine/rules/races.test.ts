// @long

import { defineResource, problem, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Sent } from "../../tools/client.js";
import { roundsOf } from "../../tools/extent.js";
import { fullService } from "../../tools/fullService.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";

const mostRaces = 200;
const races = roundsOf(mostRaces);

const docs = defineResource("docs", {
  schema: z.object({ id: z.string().regex(/-/), text: z.string(), ownerId: z.string() }),
  actions: ({ action }) => ({
    write: action({ on: "row", batch: true, run: () => ({ text: "by ann" }) }),
    cancel: action({
      on: "row",
      run({ row }) {
        if (row.text === "cancelled") throw problem("ALREADY_CANCELLED", 409, "The document is cancelled already.");
        return { text: "cancelled" };
      },
    }),
  }),
  scope: ({ principal }) => principal.id === "root" || { ownerId: principal.id },
});

function racing(storage: Storage) {
  const service = fullService({ resources: [docs], storage, auth: [bearer((token) => ({ id: token }))], logger: false });
  const client = clientOf(service);
  return { service, as: (who: string, sent: Sent) => client({ ...sent, headers: { authorization: `Bearer ${who}`, ...sent.headers } }) };
}

const merge = { "content-type": "application/merge-patch+json" };
const csv = { "content-type": "text/csv" };
const body = { text: "by ann", ownerId: "ann" };

const writes: readonly [string, (id: string) => Sent][] = [
  ["PATCH", (id) => ({ method: "PATCH", target: `/docs/${id}`, body: { text: "by ann" }, headers: merge })],
  ["PUT", (id) => ({ method: "PUT", target: `/docs/${id}`, body })],
  ["an action", (id) => ({ method: "POST", target: `/docs/${id}/write` })],
  ["a batch of actions", (id) => ({ method: "POST", target: "/docs/write", body: { items: [{ id }] } })],
  ["DELETE", (id) => ({ method: "DELETE", target: `/docs/${id}` })],
  ["a batch of updates", (id) => ({ method: "PATCH", target: "/docs/batch", body: { items: [{ id, changes: { text: "by ann" } }] } })],
  ["an update by filter", (id) => ({ method: "POST", target: `/docs/bulk-update?id=${id}`, body: { text: "by ann" } })],
  [
    "an import that upserts",
    (id) => ({ method: "POST", target: "/docs/import?mode=upsert&key=id", body: `id,text,ownerId\n${id},by ann,ann\n`, headers: csv }),
  ],
];

describeStores(
  "a row that leaves the scope meanwhile",
  ({ open }) => {
    let opened: OpenedStore;
    let stage: ReturnType<typeof racing>;
    beforeAll(async () => {
      opened = await open();
      stage = racing(opened.storage);
    });
    afterAll(async () => {
      await stage.service.close();
      await opened.end();
    });

    test("is cancelled by one of two actions at once, and the other one learns it", async () => {
      for (let race = 0; race < roundsOf(100); race++) {
        const id = `cancel-${race}`;
        await stage.as("root", { method: "POST", target: "/docs", body: { id, text: "as made", ownerId: "ann" } });
        const answers = await Promise.all([1, 2].map(() => stage.as("ann", { method: "POST", target: `/docs/${id}/cancel` })));
        expect(answers.map(({ status, json }) => [status, json.code]).sort()).toEqual([
          [200, undefined],
          [409, "ALREADY_CANCELLED"],
        ]);
      }
    }, 60_000);

    test.each(writes)(
      "is not written by %s",
      async (name, request) => {
        const { as } = stage;
        let won = 0;
        for (let race = 0; race < races; race++) {
          const id = `${name.replaceAll(" ", "-")}-${race}`;
          await as("root", { method: "POST", target: "/docs", body: { id, text: "as made", ownerId: "ann" } });
          const give = () => as("root", { method: "PATCH", target: `/docs/${id}`, body: { ownerId: "bob", text: "by root" }, headers: merge });
          const take = async () => {
            // Each race begins a little later in the other write.
            for (let turn = 0; turn < race * (mostRaces / races); turn++) await Promise.resolve();
            return as("ann", request(id));
          };
          const [given, taken] = await Promise.all([give(), take()]);
          expect(taken.status).toBeLessThan(500);
          const row = await as("root", { target: `/docs/${id}` });
          if (given.status === 200) {
            // Whatever ann wrote was written before the row was given away.
            expect(row.json).toMatchObject({ ownerId: "bob", text: "by root" });
            continue;
          }
          won += 1;
          expect(row.status === 404 || row.json.ownerId === "ann").toBe(true);
        }
        expect(won).toBeLessThan(races);
      },
      120_000,
    );
  },
  ({ name }) => name === "memory" || name === "SQLite" || name.startsWith("PostgreSQL"),
);
