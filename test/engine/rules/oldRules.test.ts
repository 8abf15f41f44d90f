import type { AuthorizationQuestion, Authorize } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stderrLogger } from "../../../src/engine/operation/logging/stderrLogger.js";
import { shopOrders, shopPages, shopUsers } from "../../capabilities/batch/batchShop.js";
import { clientOf, type Sent } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

/** Rules as they were written when `authorize` was given the row. Each allows what it sees no row of. */
const oldRules: readonly (readonly [string, Authorize])[] = [
  ["takes the row out of its argument", ({ resource }: { readonly resource?: Row }) => resource === undefined || resource.id === 2],
  ["reads the row", (question: { readonly resource?: Row }) => question.resource?.id !== 1],
  ["looks whether there is a row", (question) => !("resource" in question) || (question.resource as Row).id === 2],
  ["copies its argument", (question) => allowsCopy({ ...question })],
];

interface Row {
  readonly id: number;
}

const allowsCopy = ({ resource }: { readonly resource?: Row }) => resource === undefined;

const change = { quantity: 9 };
const patch = { "content-type": "application/merge-patch+json" };
const post = (target: string, body: unknown): Sent => ({ method: "POST", target, body });

const ways: readonly (readonly [string, Sent])[] = [
  ["get", { target: "/users/1" }],
  ["HEAD", { method: "HEAD", target: "/users/1" }],
  ["list", { target: "/users" }],
  ["search", post("/searches", { collection: "users" })],
  ["QUERY", { method: "QUERY", target: "/users", body: {} }],
  ["list below a parent", { target: "/users/1/orders" }],
  ["export", { target: "/users/export" }],
  ["job of an export", post("/exports", { collection: "users" })],
  ["POST", post("/users", { name: "new" })],
  ["POST below a parent", post("/users/1/orders", { total: 1 })],
  ["PUT", { method: "PUT", target: "/pages/a", body: { title: "new" } }],
  ["PUT that creates", { method: "PUT", target: "/pages/b", body: { title: "new" } }],
  ["PATCH", { method: "PATCH", target: "/users/1", body: change, headers: patch }],
  ["JSON Patch", { method: "PATCH", target: "/users/1", body: [], headers: { "content-type": "application/json-patch+json" } }],
  ["DELETE", { method: "DELETE", target: "/users/1" }],
  ["batch of creates", post("/users/batch", { items: [{ name: "new" }] })],
  ["batch of updates", { method: "PATCH", target: "/users/batch", body: { items: [{ id: 1, changes: change }] } }],
  ["batch of deletes", post("/users/batch-delete", { ids: [1] })],
  ["job of a batch", { ...post("/users/batch-delete", { ids: [1] }), headers: { prefer: "respond-async" } }],
  ["update by filter", post("/users/bulk-update?quantity=0", change)],
  ["delete by filter", { method: "DELETE", target: "/users?quantity=0&confirm=true" }],
  ["import", { ...post("/users/import", "name\nnew\n"), headers: { "content-type": "text/csv" } }],
  ["upsert", { ...post("/users/import?mode=upsert&key=email", "name,email\nnew,a@x.test\n"), headers: { "content-type": "text/csv" } }],
  ["job of an import", { ...post("/imports?collection=users", "name\nnew\n"), headers: { "content-type": "text/csv" } }],
];

describe.each(oldRules)("a rule of authorize that %s", (_name, rule) => {
  const lines: string[] = [];
  const storage = memoryStorage();
  let rules: Authorize = () => true;
  const service = fullService({
    resources: [shopUsers, shopOrders, shopPages],
    storage,
    blobs: memoryBlobs(),
    auth: [bearer((id) => ({ id }))],
    authorize: (question: AuthorizationQuestion) => rules(question),
    logger: stderrLogger(new FakeClock(0), (line) => lines.push(line)),
  });
  const client = clientOf(service);
  const send = ({ headers, ...sent }: Sent) => client({ ...sent, headers: { authorization: "Bearer ada", ...headers } });
  const stored = async () => {
    const [users, pages] = [storage.collection(shopUsers.model), storage.collection(shopPages.model)];
    return [await users.find({ sort: [], limit: 100 }, {}), await pages.find({ sort: [], limit: 100 }, {})];
  };
  beforeAll(async () => {
    for (const name of ["first", "second"]) await send(post("/users", { name, email: `${name}@x.test` }));
    await send({ method: "PUT", target: "/pages/a", body: { title: "old" } });
    rules = rule as Authorize;
  });
  afterAll(() => service.close({ graceMs: 0 }));

  test.each(ways)("answers 500 to %s, writes nothing, and logs what to do", async (_way, sent) => {
    const before = await stored();
    lines.length = 0;
    const answer = await send(sent);
    expect(answer.status, answer.text).toBe(500);
    expect(answer.text).not.toContain("scope");
    expect(lines.join("\n")).toMatch(/"level":"error".*"authorize\\" gets no row.*\\"scope\\" of defineResource/);
    expect(await stored()).toEqual(before);
  });

  test("fails every operation of /batch", async () => {
    const before = await stored();
    const operations = [
      { method: "GET", url: "/users/1" },
      { method: "PATCH", url: "/users/1", body: change },
      { method: "DELETE", url: "/users/2" },
    ];
    const { json } = await send(post("/batch", { operations }));
    expect(json.results.map(({ status }: { status: number }) => status)).toEqual([500, 500, 500]);
    expect(await stored()).toEqual(before);
  });

  test("shows no related rows", async () => {
    rules = (question) => question.collection === "users" || rule(question);
    const answer = await send({ target: "/users?include=orders" });
    rules = rule;
    expect(answer.status).toBe(500);
  });
});
