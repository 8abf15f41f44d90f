// @long

import { ProblemError, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../tools/eventually.js";
import { auditedRows } from "./rules/auditLog.js";
import { FakeIndex, FakeMailer, FakeProvider } from "./rules/fakes.js";
import { hashAPassword } from "./rules/hashAPassword.js";
import { mailAfterCommit } from "./rules/mailAfterCommit.js";
import { orderTotal } from "./rules/orderTotal.js";
import { payment } from "./rules/payment.js";
import { searchIndex } from "./rules/searchIndex.js";
import { stateMachine } from "./rules/stateMachine.js";
import { stores } from "./testGuide.js";

const auth = [bearer((token) => ({ id: token }))];
const ann = { id: "ann" };

interface Opened {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** Sends requests of ann. The log of a failure that a test causes is not shown. */
function asAnn<S extends Opened>(service: S) {
  onTestFinished(() => service.close());
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => log.mockRestore());
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type = { "content-type": headers["content-type"] ?? "application/json" };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const request = new Request(`http://guide.test${path}`, {
      method,
      headers: { authorization: "Bearer ann", ...(body !== undefined && type), ...headers },
      ...(body !== undefined && { body: text }),
    });
    const answer = await service.fetch(request);
    return { status: answer.status, text: await answer.text() };
  };
}

describe.each(stores)("the guides on %s", (_, open: () => Storage) => {
  test("a password is hashed on every way, once, and is never shown", async () => {
    const { service, hasPassword } = hashAPassword(open(), auth);
    const send = asAnn(service);
    const email = "ann@example.org";
    const stored = async () => (await service.asSystem().users.get(1)).password;
    const statuses: number[] = [];
    const sends = async (...[method, path, body, type]: [string, string, unknown, string?]) =>
      statuses.push((await send(method, path, body, type === undefined ? {} : { "content-type": type })).status);

    await sends("POST", "/users", { email, password: "password 1" });
    const first = await stored();
    await sends("PATCH", "/users/1", { email: "eve@example.org" });
    await sends("PUT", "/users/1", { email });
    await sends("PATCH", "/users/batch", { items: [{ id: 1, changes: { email: "eve@example.org" } }] });
    await sends("POST", "/users/import?mode=upsert&key=id", { id: 1, email }, "application/x-ndjson");
    expect(await stored()).toBe(first);
    expect(await hasPassword(email, "password 1")).toBe(true);

    const ways: (() => Promise<unknown>)[] = [
      () => sends("PUT", "/users/1", { email, password: "password 2" }),
      () => sends("PATCH", "/users/1", { password: "password 3" }),
      () => sends("PATCH", "/users/1", [{ op: "add", path: "/password", value: "password 4" }], "application/json-patch+json"),
      () => sends("PATCH", "/users/batch", { items: [{ id: 1, changes: { password: "password 5" } }] }),
      () => sends("POST", "/users/import?mode=update&key=email", `email,password\n${email},password 6\n`, "text/csv"),
      () => service.asSystem().users.update(1, { password: "password 7" }),
    ];
    for (const [index, way] of ways.entries()) {
      await way();
      expect([index, await hasPassword(email, `password ${index + 2}`)]).toEqual([index, true]);
    }
    expect(await hasPassword(email, "password 6")).toBe(false);
    expect(await hasPassword("nobody@example.org", "password 6")).toBe(false);

    await sends("POST", "/users/batch", { items: [{ email: "bob@example.org", password: "password of bob" }] });
    await sends("POST", "/users/import", "email,password\ncem@example.org,password of cem\n", "text/csv");
    expect([await hasPassword("bob@example.org", "password of bob"), await hasPassword("cem@example.org", "password of cem")]).toEqual([true, true]);
    expect(statuses).toEqual([201, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200]);
    for (const path of ["/users", "/users/1", "/users/export"]) expect((await send("GET", path)).text).not.toContain("assword");
  });

  test("a total holds for calls from code and for each change of the lines", async () => {
    const service = orderTotal(open(), auth);
    const send = asAnn(service);
    const system = service.asSystem();
    const { id, totalCents } = await system.orders.create({ lines: [{ sku: "tea", quantity: 2, cents: 450 }] });
    expect(totalCents).toBe(900);
    await expect(system.orders.update(id, { totalCents: 1 })).rejects.toMatchObject({ code: "TOTAL_MISMATCH", status: 422 });
    const patch = [{ op: "replace", path: "/lines/0/quantity", value: 4 }];
    expect((await send("PATCH", `/orders/${id}`, patch, { "content-type": "application/json-patch+json" })).text).toContain(`"totalCents":1800`);
    const most = { sku: "tea", quantity: 10_000, cents: 100_000_000 };
    expect((await send("POST", "/orders", { lines: Array.from({ length: 1_000 }, () => most) })).text).toContain(`"totalCents":1000000000000000`);
  });

  test("of two that cancel at once one succeeds", async () => {
    const service = stateMachine(open(), auth);
    const send = asAnn(service);
    for (let id = 1; id <= 20; id += 1) {
      await service.as(ann).orders.create({ item: "tea" });
      const answers = await Promise.all([1, 2].map(() => send("POST", `/orders/${id}/cancel`, { reason: "Too late" })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
    const { id } = await service.as(ann).orders.create({ item: "tea" });
    await expect(service.asSystem().orders.update(id, { status: "shipped" })).rejects.toBeInstanceOf(ProblemError);
    expect(await service.as(ann).orders.ship(id)).toMatchObject({ status: "shipped" });
    await expect(service.as(ann).orders.cancel(id, { reason: "Too late" })).rejects.toMatchObject({ code: "WRONG_STATUS" });
  });

  test("a mail that fails is sent again, and an order that is rolled back has none", async () => {
    const mailer = new FakeMailer(true);
    const service = await mailAfterCommit(open(), auth, mailer);
    const send = asAnn(service);
    const lost = service.asSystem().transaction(async (tx) => {
      await tx.orders.create({ email: "lost@example.org", total: 1 });
      throw new Error("Rolled back.");
    });
    await expect(lost).rejects.toThrow("Rolled back.");
    await send("POST", "/orders", { email: "ann@example.org", total: 12 });
    await eventually(() => expect(mailer.sent).toHaveLength(1));
    expect(mailer.sent).toMatchObject([{ to: "ann@example.org", subject: expect.stringMatching(/^Your order \d+$/) }]);
    expect(new Set(mailer.tried)).toHaveLength(1);
    expect(mailer.tried).toHaveLength(2);
  });

  test("a payment whose first answer is lost is charged once", async () => {
    const provider = new FakeProvider();
    const send = asAnn(payment(open(), auth, provider));
    const pay = async () => (await send("POST", "/payments", { cents: 500, card: "tok_1" }, { "idempotency-key": "order-4711-payment" })).status;
    expect([await pay(), await pay(), await pay()]).toEqual([503, 201, 201]);
    expect([...provider.charges.values()]).toEqual([500]);
    expect([provider.keys.length, new Set(provider.keys).size]).toEqual([2, 1]);
    const order = async (card: string) => (await send("POST", "/payments", { cents: 700, card }, { "idempotency-key": "order-4712-payment" })).status;
    expect([await order("tok_declined"), await order("tok_2")]).toEqual([402, 201]);
    expect(new Set(provider.keys)).toHaveLength(3);
  });

  test("entries of the audit log are rolled back with their writes", async () => {
    const { service } = auditedRows(open(), auth);
    asAnn(service);
    const system = service.asSystem();
    const lost = service.transaction(ann, async (tx) => {
      await tx.users.create({ email: "ann@example.org" });
      await tx.orders.create({ total: 5 });
      expect(await tx.asSystem().auditLog.count()).toBe(2);
      throw new Error("Rolled back.");
    });
    await expect(lost).rejects.toThrow("Rolled back.");
    expect(await system.auditLog.count()).toBe(0);
    await system.orders.create({ total: 5 });
    expect((await system.auditLog.list()).data).toMatchObject([{ who: "system", kind: "create", collection: "orders" }]);
  });

  test("an index that lost its data gets it again, and doubles change nothing", async () => {
    const index = new FakeIndex();
    const service = await searchIndex(open(), auth, index);
    asAnn(service);
    const { articles } = service.asSystem();
    const tea = await articles.create({ title: "Tea", text: "Green" });
    await articles.update(tea.id, { text: "Black" });
    await articles.remove((await articles.create({ title: "Coffee", text: "Strong" })).id);
    const found = [{ title: "Tea", text: "Black" }];
    await eventually(() => expect(index.calls).toBe(4));
    expect(index.found).toEqual(found);
    await eventually(async () => expect(await service.subscribers.counts("search-index")).toMatchObject({ succeeded: 4 }));

    await service.subscribers.replay({ name: "search-index", states: ["succeeded"] });
    await eventually(() => expect(index.calls).toBe(8));
    expect(index.found).toEqual(found);
    await eventually(async () => expect(await service.subscribers.counts("search-index")).toMatchObject({ succeeded: 4 }));

    index.entries.clear();
    await service.subscribers.replay({ name: "search-index", states: ["dead", "succeeded"] });
    await eventually(() => expect(index.calls).toBe(12));
    expect(index.found).toEqual(found);
  });
});

test("events that the index missed are dead after five attempts, and are handled when they are replayed", async () => {
  const [clock, index] = [new FakeClock(), new FakeIndex()];
  const service = await searchIndex(memoryStorage({ clock }), auth, index);
  asAnn(service);
  const { articles } = service.asSystem();
  index.isDown = true;
  const { id } = await articles.create({ title: "Tea", text: "Green" });
  // The store says when an attempt is due, and a commit lets the service look.
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await eventually(async () => expect((await service.subscribers.list({ states: ["pending", "dead"] })).at(-1)?.attempts).toBe(attempt));
    clock.advance(86_400_000);
    await articles.update(id, { text: `Attempt ${attempt}` });
  }
  await eventually(async () => expect((await service.subscribers.counts("search-index")).dead).toBeGreaterThan(0));
  index.isDown = false;
  await service.subscribers.replay({ name: "search-index" });
  await articles.update(id, { text: "White" });
  await eventually(() => expect(index.found).toEqual([{ title: "Tea", text: "White" }]));
});
