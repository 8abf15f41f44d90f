import { defineResource, type Principal } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf, type Sent } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";

const readsSalary = (principal: Principal) => principal.claims?.["role"] === "payroll";

const users = defineResource("users", {
  schema: z.object({ id: z.string(), name: z.string().min(1), salary: z.number().default(1_000) }),
  access: { salary: { read: readsSalary, write: true } },
});
const teams = defineResource("teams", {
  schema: z.object({ id: z.string(), budget: z.number().default(5) }),
  access: { budget: { read: readsSalary } },
});

const key = "0123456789abcdef";

/** A service whose principal has what `claims` says at the time. */
function setUp(options: Partial<FullServiceOptions> = {}) {
  const now: { role: string; scopes: readonly string[] } = { role: "payroll", scopes: ["write"] };
  const service = fullService({
    resources: [users, teams],
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    auth: [bearer((id) => ({ id, scopes: now.scopes, claims: { role: now.role } }))],
    ...options,
  });
  onTestFinished(() => service.close());
  const client = clientOf(service);
  const send = (sent: Sent) => client({ ...sent, headers: { authorization: "Bearer ada", "idempotency-key": key, ...sent.headers } });
  return { now, send };
}

const shown: readonly [string, Sent][] = [
  ["POST", { method: "POST", target: "/users", body: { id: "a", name: "Ada" } }],
  ["PUT", { method: "PUT", target: "/users/a", body: { name: "Ada" } }],
  ["a batch", { method: "POST", target: "/users/batch", body: { items: [{ id: "a", name: "Ada" }] } }],
  ["/batch", { method: "POST", target: "/batch", body: { operations: [{ method: "POST", url: "/users", body: { id: "a", name: "Ada" } }] } }],
  ["an import", { method: "POST", target: "/users/import", body: "id,name\na,Ada\n", headers: { "content-type": "text/csv" } }],
];

describe("a replay to a principal whose claims allow it less", () => {
  test.each(shown)("of %s is 403, and names no field", async (_, sent) => {
    const { now, send } = setUp();
    const first = await send(sent);
    expect([first.status < 300, (await send(sent)).text]).toEqual([true, first.text]);
    now.role = "nobody";
    const refused = await send(sent);
    expect([refused.status, refused.json.code, refused.text.includes("salary")]).toEqual([403, "FORBIDDEN", false]);
    now.role = "payroll";
    expect((await send(sent)).text).toBe(first.text);
  });

  test("of what shows nothing is as ever", async () => {
    const { now, send } = setUp();
    const later: Sent = { ...(shown[2]?.[1] ?? expect.fail()), headers: { prefer: "respond-async", "idempotency-key": `job-${key}` } };
    const removed: Sent = { method: "DELETE", target: "/users/b", headers: { "idempotency-key": `del-${key}` } };
    await send({ method: "POST", target: "/users", body: { id: "b", name: "Bob" } });
    const first = [await send(later), await send(removed)].map(({ status }) => status);
    now.role = "nobody";
    expect([first, [await send(later), await send(removed)].map(({ status }) => status)]).toEqual([
      [202, 204],
      [202, 204],
    ]);
  });

  test("of another collection is as ever", async () => {
    const { now, send } = setUp({ resources: [users, defineResource("notes", { schema: z.object({ id: z.string() }) })] });
    const sent: Sent = { method: "POST", target: "/notes", body: { id: "n" } };
    await send(sent);
    now.role = "nobody";
    expect((await send(sent)).headers["idempotent-replayed"]).toBe("true");
  });
});

test("more rights than the first request had take no replay away", async () => {
  const { now, send } = setUp();
  now.role = "nobody";
  const sent = shown[0]?.[1] ?? expect.fail();
  const first = await send(sent);
  now.role = "payroll";
  expect([first.json.salary, (await send(sent)).text]).toEqual([undefined, first.text]);
});

test("fields that authorize no longer gives are judged as well, also of the collections of a batch", async () => {
  let fields: readonly string[] = ["id", "name", "salary"];
  const { send } = setUp({ authorize: ({ collection }) => (collection === "users" ? { fields } : true) });
  const [post, batch] = [shown[0]?.[1] ?? expect.fail(), { ...(shown[3]?.[1] ?? expect.fail()), headers: { "idempotency-key": `batch-${key}` } }];
  expect([(await send(post)).status, (await send(batch)).status]).toEqual([201, 207]);
  expect([(await send(post)).status, (await send(batch)).status]).toEqual([201, 207]);
  fields = ["id", "name"];
  expect([(await send(post)).status, (await send(batch)).status]).toEqual([403, 403]);
});
