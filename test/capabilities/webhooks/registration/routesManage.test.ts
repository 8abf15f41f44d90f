import type { Principal } from "restwright";
import { describe, expect, test } from "vitest";
import { admin, existing, RoutesStage, url } from "./routesStage.js";

const patch = (id: string, body: unknown, headers = {}) => ({ method: "PATCH", target: `/webhooks/${id}`, body, headers });

describe("GET /webhooks/{id}", () => {
  test("shows all of a webhook but its secret", async () => {
    const stage = new RoutesStage();
    const { id, secret, verificationSecret: _, ...shown } = await stage.register({ secret: "a supplied secret of mine" });
    const { status, headers, json, text } = await stage.send({ target: `/webhooks/${id}` });
    expect([status, headers["content-type"], json]).toEqual([200, "application/json", { id, ...shown }]);
    expect(text).not.toContain(secret);
    expect(json.secretHint).toBe("…mine");
  });

  test("answers 304 until the webhook has changed, if only by a failure", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const target = `/webhooks/${id}`;
    const { headers } = await stage.send({ target });
    const again = { target, headers: { "if-none-match": String(headers["etag"]) } };
    const same = await stage.send(again);
    expect([same.status, same.text, same.headers]).toEqual([304, "", { etag: headers["etag"] }]);
    const [delivery] = await stage.deliver(id, ["pending"]);
    const [claimed] = await stage.deliveries.claim({ leaseMs: 60_000, max: 1, maxPerWebhook: 1 });
    expect(claimed?.lease.id).toBe(delivery);
    await stage.deliveries.record(existing(claimed).lease, { next: { state: "dead" }, failures: "add", pauseMs: 60_000 });
    const changed = await stage.send(again);
    expect([changed.status, changed.json.consecutiveFailures, changed.json.pausedUntil]).toEqual([200, 1, "2026-01-01T00:01:00.000Z"]);
    const { status } = await stage.send(patch(id, { active: false }, { "if-match": String(headers["etag"]) }));
    expect(status).toBe(200);
  });

  test.each([
    ["its owner", { id: "ann", tenant: "t1" }, 200],
    ["an admin of its tenant", { id: "root", tenant: "t1", scopes: ["admin"] }, 200],
    ["somebody else of its tenant", { id: "bob", tenant: "t1" }, 404],
    ["a namesake in another tenant", { id: "ann", tenant: "t2" }, 404],
    ["an admin of another tenant", { id: "root", tenant: "t2", scopes: ["admin"] }, 404],
  ])("answers %s, %j, with %d; so does every route below", async (_who, as: Principal, expected) => {
    const stage = new RoutesStage();
    const { id } = await stage.register({}, { id: "ann", tenant: "t1" });
    const target = `/webhooks/${id}`;
    expect((await stage.send({ target, as })).status).toBe(expected);
    if (expected === 200) return;
    const missing = await stage.send({ target: "/webhooks/none", as });
    const body = { since: "2025-12-31T00:00:00Z" };
    for (const sent of [
      { target },
      { target, method: "PATCH", body: { active: false } },
      { target, method: "DELETE" },
      { target: `${target}/rotate-secret`, method: "POST" },
      { target: `${target}/test`, method: "POST" },
      { target: `${target}/recover`, method: "POST", body },
      { target: `${target}/deliveries` },
      { target: `${target}/deliveries/dlv_1` },
      { target: `${target}/deliveries/dlv_1/replay`, method: "POST" },
    ]) {
      expect((await stage.send({ ...sent, as })).text.replaceAll(id, "none")).toBe(missing.text);
    }
    expect([await stage.stored(id), stage.transport.requests]).toMatchObject([{ active: true, version: expect.any(String) }, []]);
  });

  test.each(["%00", "a%00b", "%F0%9F%98%80", "x".repeat(5_000)])("finds nothing under an id that none has: %s", async (id) => {
    const { status, text } = await new RoutesStage().send({ target: `/webhooks/${id}` });
    expect([status, text.length < 400]).toEqual([404, true]);
  });

  test("knows no parameters but those that are ignored everywhere", async () => {
    const stage = new RoutesStage();
    await stage.register();
    expect((await stage.send({ target: "/webhooks?utm=1" })).status).toBe(200);
    const { status, json } = await stage.send({ target: "/webhooks?fields=id" });
    expect([status, json.code]).toEqual([400, "UNKNOWN_FIELD"]);
  });
});

describe("GET /webhooks", () => {
  test("pages through the principal's own webhooks, the oldest first", async () => {
    const stage = new RoutesStage({ maxPerTenant: 20 });
    const own: string[] = [];
    for (let count = 0; count < 5; count++) {
      own.push((await stage.register()).id);
      await stage.register({}, { id: "bob" });
    }
    const pages: string[][] = [];
    for (let target: string | undefined = "/webhooks?perPage=2"; target !== undefined; ) {
      const { json } = await stage.send({ target });
      pages.push(json.data.map(({ id }: { id: string }) => id));
      expect(json.data.every((each: object) => !("secret" in each))).toBe(true);
      expect(json.meta).toMatchObject({ page: null, perPage: 2, total: null });
      target = json.links.next;
    }
    expect(pages).toEqual([own.slice(0, 2), own.slice(2, 4), own.slice(4)]);
  });

  test("shows an admin all webhooks of the tenant, and none of another", async () => {
    const stage = new RoutesStage();
    await stage.register();
    await stage.register({}, { id: "bob" });
    await stage.register({}, { id: "eve", tenant: "t2" });
    expect((await stage.send({ target: "/webhooks", as: admin })).json.data).toHaveLength(2);
    expect((await stage.send({ target: "/webhooks", as: { id: "nobody" } })).json.data).toEqual([]);
  });

  test("answers 304 to a client that has the list already", async () => {
    const stage = new RoutesStage();
    await stage.register();
    const { headers } = await stage.send({ target: "/webhooks" });
    expect((await stage.send({ target: "/webhooks", headers: { "if-none-match": String(headers["etag"]) } })).status).toBe(304);
  });

  test.each([
    ["perPage=0", "INVALID_VALUE"],
    ["perPage=101", "INVALID_VALUE"],
    ["cursor=", "EMPTY_VALUE"],
    ["cursor=abc", "INVALID_CURSOR"],
    ["cursor=abc.def", "INVALID_CURSOR"],
    ["page=2", "UNKNOWN_FIELD"],
    ["perPage=1&perPage=2", "REPEATED_PARAMETER"],
    ["perPage=%zz", "MALFORMED_QUERY"],
  ])("refuses ?%s with %s", async (query, code) => {
    const { status, json } = await new RoutesStage().send({ target: `/webhooks?${query}` });
    expect([status, json.code]).toEqual([400, code]);
  });
});

describe("PATCH /webhooks/{id}", () => {
  test("changes what it names, and merges the filter", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register({ filter: { currency: "EUR", total: { gte: 5 } } });
    stage.clock.advance(1_000);
    const body = { url: "https://other.example.com", events: ["user.created"], filter: { currency: null, total: { lt: 9 } }, active: false };
    const { status, headers, json } = await stage.send(patch(id, body));
    expect([status, json]).toMatchObject([
      200,
      {
        url: "https://other.example.com/",
        events: ["user.created"],
        filter: { total: { gte: 5, lt: 9 } },
        active: false,
        disabledReason: null,
        disabledAt: "2026-01-01T00:00:01.000Z",
        updatedAt: "2026-01-01T00:00:01.000Z",
      },
    ]);
    expect("secret" in json).toBe(false);
    expect((await stage.send({ target: `/webhooks/${id}` })).headers["etag"]).toBe(headers["etag"]);
    expect((await stage.send(patch(id, { filter: null, active: null }))).json).toMatchObject({ filter: null, active: true });
  });

  test("starts the count anew for one that was disabled", async () => {
    const stage = new RoutesStage({ disableAfter: { consecutive: 1, minDurationMs: 0 } });
    const { id } = await stage.register();
    await stage.deliver(id, ["pending"]);
    const [claimed] = await stage.deliveries.claim({ leaseMs: 60_000, max: 1, maxPerWebhook: 1 });
    const { disableAfter } = stage.settings;
    await stage.deliveries.record(existing(claimed).lease, { next: { state: "dead" }, failures: "add", disableAfter });
    const disabled = await stage.send({ target: `/webhooks/${id}` });
    expect(disabled.json).toMatchObject({ active: false, consecutiveFailures: 1, disabledReason: "consecutive_failures" });
    const { json } = await stage.send(patch(id, { active: true }));
    expect(json).toMatchObject({ active: true, consecutiveFailures: 0, disabledReason: null, disabledAt: null });
  });

  test("takes back what a client got, with its changes, and changes nothing where nothing is named", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const { json, headers } = await stage.send({ target: `/webhooks/${id}` });
    expect((await stage.send(patch(id, { ...json, events: ["order.*"] }))).json.events).toEqual(["order.*"]);
    const { version } = await stage.stored(id);
    expect((await stage.send(patch(id, {}))).status).toBe(200);
    expect((await stage.stored(id)).version).toBe(version);
    expect(headers["etag"]).not.toContain(version);
  });

  test.each([
    [{ url: "http://hooks.example.com" }, "WEBHOOK_URL_NOT_HTTPS", "/url"],
    [{ url: "https://127.0.0.1/" }, "WEBHOOK_URL_NOT_ALLOWED", "/url"],
    [{ url: null }, "VALIDATION_FAILED", "/url"],
    [{ events: null }, "VALIDATION_FAILED", "/events"],
    [{ events: ["nothing.*"] }, "UNKNOWN_EVENT", "/events/0"],
    [{ filter: { total: { over: 1 } } }, "INVALID_FILTER", "/filter/total/over"],
    [{ filter: 7 }, "INVALID_FILTER", "/filter"],
    [{ active: 1 }, "VALIDATION_FAILED", "/active"],
    [{ id: "wh_other" }, "VALIDATION_FAILED", "/id"],
    [{ createdAt: "2020-01-01T00:00:00Z" }, "VALIDATION_FAILED", "/createdAt"],
    [{ toString: 1 }, "VALIDATION_FAILED", "/toString"],
  ])("refuses %j with %s at %s", async (body, code, pointer) => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const { status, json } = await stage.send(patch(id, body));
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, code, pointer]);
    expect((await stage.stored(id)).url).toBe(url);
  });

  test("does not change the secret, and says what does", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const { status, json } = await stage.send(patch(id, { secret: "another secret that is long" }));
    expect([status, json.errors[0].code, json.detail]).toEqual([
      422,
      "READ_ONLY_FIELD",
      `"secret" is changed by POST /webhooks/${id}/rotate-secret, so that deliveries in progress stay valid.`,
    ]);
  });

  test("is refused under an If-Match of another state, even where that state comes while it writes", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const { headers } = await stage.send({ target: `/webhooks/${id}` });
    const { update } = stage.webhooks;
    let isFirst = true;
    stage.webhooks.update = async (...given) => {
      if (isFirst) await update(id, { events: ["user.created"] });
      isFirst = false;
      return update(...given);
    };
    const sent = patch(id, { active: false }, { "if-match": String(headers["etag"]) });
    const raced = stage.send(sent);
    await turn(stage);
    expect([(await raced).status, (await raced).json.code]).toEqual([412, "PRECONDITION_FAILED"]);
    expect((await stage.send(sent)).status).toBe(412);
    expect((await stage.stored(id)).active).toBe(true);
    expect((await stage.send({ ...sent, headers: { "if-match": String((await raced).headers["etag"]) } })).status).toBe(200);
  });

  test("is tried again without one, and gives up in the end", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const { update } = stage.webhooks;
    let rivals = 1;
    stage.webhooks.update = async (...given) => {
      if (rivals-- > 0) await update(id, { url: "https://rival.example.com/" });
      return update(...given);
    };
    const raced = stage.send(patch(id, { active: false }));
    await turn(stage);
    expect((await raced).json).toMatchObject({ url: "https://rival.example.com/", active: false });
    rivals = 100;
    const lost = stage.send(patch(id, { active: true }));
    for (let count = 0; count < 10; count++) await turn(stage);
    expect([(await lost).status, (await lost).json.code]).toEqual([409, "WRITE_CONFLICT"]);
  });

  test("answers 204 where the client wants no body", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const { status, headers, text } = await stage.send(patch(id, { active: false }, { prefer: "return=minimal" }));
    expect([status, text, headers["preference-applied"], headers["content-type"]]).toEqual([204, "", "return=minimal", undefined]);
  });

  test("takes merge patches alone", () => {
    const operation = existing(new RoutesStage().operations.find(({ name }) => name === "webhooks.update"));
    expect(["application/merge-patch+json", "application/json", "application/json-patch+json"].map((type) => operation.body?.accepts(type))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("DELETE /webhooks/{id}", () => {
  test("removes the webhook and cancels what is pending", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const [delivery = ""] = await stage.deliver(id, ["pending"]);
    const target = `/webhooks/${id}`;
    expect(await stage.send({ method: "DELETE", target })).toMatchObject({ status: 204, text: "" });
    expect((await stage.deliveries.get(delivery))?.state).toBe("canceled");
    for (const sent of [{ target }, { target, method: "DELETE" }, { target: `${target}/deliveries` }])
      expect((await stage.send(sent)).status).toBe(404);
  });

  test("does nothing under an If-Match of another state", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const target = `/webhooks/${id}`;
    const { headers } = await stage.send({ target });
    await stage.send(patch(id, { active: false }));
    const sent = { method: "DELETE", target, headers: { "if-match": String(headers["etag"]) } };
    const refused = await stage.send(sent);
    expect([refused.status, refused.json.code]).toEqual([412, "PRECONDITION_FAILED"]);
    expect((await stage.send({ ...sent, headers: { "if-match": String(refused.headers["etag"]) } })).status).toBe(204);
  });
});

/** Lets what waits for promises run, and then what waits for the clock. */
async function turn({ clock }: RoutesStage): Promise<void> {
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1_000);
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve));
}
