// @slow

import type { Service, Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { type FaultyStorage, faultyStorage } from "../../../../src/testing/faultyStorage.js";
import { clientOf, type Sent } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { accounts } from "../batchAccounts.js";

const stores: readonly (readonly [string, () => Storage])[] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

const requests: readonly (readonly [string, Sent])[] = [
  ["a create", { method: "POST", target: "/accounts/batch", body: { items: [{ name: "d" }, { name: "" }, { name: "e" }] } }],
  ["an update", { method: "PATCH", target: "/accounts/batch", body: { items: [1, 9, 2].map((id) => ({ id, changes: { balance: 9 } })) } }],
  ["a taken key", { method: "PATCH", target: "/accounts/batch", body: { items: [1, 2].map((id) => ({ id, changes: { email: "c@example.com" } })) } }],
  ["a deletion", { method: "POST", target: "/accounts/batch-delete", body: { ids: [1, 9, 2] } }],
  ["an update by filter", { method: "POST", target: "/accounts/bulk-update?balance=0", body: { balance: 9 } }],
  ["a deletion by filter", { method: "DELETE", target: "/accounts?balance=0&confirm=3" }],
];

const modes = ["lenient", "strict"] as const;
const cases = stores.flatMap(([store, open]) => requests.flatMap(([name, sent]) => modes.map((mode) => [store, name, mode, open, sent] as const)));

function serviceOver(storage: Storage): { readonly service: Service; readonly send: ReturnType<typeof clientOf> } {
  const service = fullService({ resources: [accounts], storage, jobs: false });
  return { service, send: clientOf(service) };
}

/** Three rows, and what a request comes to when the store dies at one of its calls. */
async function withDeath(open: () => Storage, sent: Sent, dieAfter: number | undefined) {
  const inner = open();
  const seeding = serviceOver(inner);
  const names = ["a", "b", "c"];
  await seeding.send({ method: "POST", target: "/accounts/batch", body: { items: names.map((name) => ({ name, email: `${name}@example.com` })) } });
  const rows = () => inner.collection(accounts.model).find({ sort: [{ path: ["id"], dir: "asc" }], limit: 100 }, {});
  const before = await rows();
  const { send, storage } = await started(inner, dieAfter);
  const answer = await send(sent);
  const after = await rows();
  await inner.close?.();
  return { answer, before, after, died: storage.dead, calls: storage.calls };
}

async function started(inner: Storage, dieAfter: number | undefined): Promise<{ send: ReturnType<typeof clientOf>; storage: FaultyStorage }> {
  const storage = faultyStorage(inner, dieAfter === undefined ? {} : { dieAfter });
  return { storage, send: serviceOver(storage).send };
}

type Rows = readonly Readonly<Record<string, unknown>>[];

/** How many rows are new, gone or written. */
function differences(before: Rows, after: Rows): number {
  const versions = (rows: Rows) => new Map(rows.map((row) => [row["id"], row["_version"]]));
  const [old, now] = [versions(before), versions(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((id) => old.get(id) !== now.get(id)).length;
}

describe("a batch whose store dies on the way", () => {
  test.each(cases)("on %s: %s with handling=%s is an error only where nothing was written", async (_, __, mode, open, request) => {
    const sent = { ...request, headers: { prefer: `handling=${mode}` } };
    const { calls, answer: usual } = await withDeath(open, sent, undefined);
    expect([200, 207, 422]).toContain(usual.status);
    let deaths = 0;
    for (let dieAfter = 1; dieAfter <= calls; dieAfter++) {
      const { answer, before, after, died } = await withDeath(open, sent, dieAfter);
      if (died) deaths += 1;
      if (answer.status >= 400) expect(after, `died at call ${dieAfter} of ${calls}: ${answer.text}`).toEqual(before);
      else {
        const { results, summary } = answer.json;
        expect([200, 207]).toContain(answer.status);
        expect(summary.succeeded + summary.failed).toBe(results.length);
        expect(differences(before, after), `died at call ${dieAfter} of ${calls}: ${answer.text}`).toBe(summary.succeeded);
      }
    }
    expect(deaths).toBeGreaterThan(0);
  });
});
