import { describe, expect, test } from "vitest";
import { isSafe } from "../../../../src/engine/operation/operation.js";
import { ann, existing, RoutesStage, url } from "./routesStage.js";

const post = (body: unknown) => ({ method: "POST", target: "/webhooks", body });

describe("POST /webhooks", () => {
  test("answers 201 with the webhook, its address and, this once, its secret", async () => {
    const stage = new RoutesStage();
    const { status, headers, json } = await stage.send({ ...post({ url, events: ["order.*"], filter: { currency: "EUR" } }), mount: "/v1" });
    expect([status, headers["location"], headers["cache-control"]]).toEqual([201, `/v1/webhooks/${json.id}`, "no-store"]);
    expect(headers["etag"]).toMatch(/^"[^."]+\.[0-9a-f]{8}"$/);
    const { id, secret, ...shown } = json;
    expect(id).toMatch(/^wh_[0-9A-Z]{26}$/);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      url,
      events: ["order.*"],
      active: true,
      filter: { currency: "EUR" },
      apiVersion: "2026-01-01",
      secretHint: `…${secret.slice(-5, -1)}`,
      verificationSecret: secret,
      previousSecretUntil: null,
      previousSecrets: [],
      consecutiveFailures: 0,
      pausedUntil: null,
      disabledReason: null,
      disabledAt: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    });
  });

  test("keeps the secret sealed for this webhook alone", async () => {
    const stage = new RoutesStage();
    const { id, secret } = await stage.register();
    const stored = await stage.stored(id);
    expect(stored.secret).not.toContain(secret);
    expect(await stage.settings.box.open(stored.secret, id)).toBe(secret);
    expect(() => stage.settings.box.open(stored.secret, "wh_other")).toThrow();
    expect([stored.owner, stored.tenant]).toEqual(["ann", undefined]);
  });

  test("takes a secret of the client's, and warns the developer of a short one", async () => {
    const stage = new RoutesStage();
    const long = await stage.register({ secret: "a supplied secret of 32 letters.", active: false });
    expect([long.secret, long["active"], stage.warned]).toEqual(["a supplied secret of 32 letters.", false, []]);
    const { id, verificationSecret } = await stage.register({ secret: "shortish" });
    expect(verificationSecret).toBe(`whsec_${Buffer.from("shortish").toString("base64")}`);
    expect(stage.warned).toEqual([{ facts: { webhook: id }, message: "The secret of a webhook has fewer than 24 characters." }]);
  });

  test("stores the URL as it will be used, each pattern once, and null as nothing", async () => {
    const stage = new RoutesStage();
    const body = { url: "HTTPS://Hooks.EXAMPLE.com.:443/a b", events: ["*", "*"], filter: null, active: null, secret: null, apiVersion: null };
    expect(await stage.register(body)).toMatchObject({ url: "https://hooks.example.com/a%20b", events: ["*"], filter: null, active: true });
  });

  test.each([
    [{ url: "http://hooks.example.com" }, "WEBHOOK_URL_NOT_HTTPS", "/url"],
    [{ url: "https://localhost/x" }, "WEBHOOK_URL_NOT_ALLOWED", "/url"],
    [{ url: "https://169.254.169.254/latest" }, "WEBHOOK_URL_NOT_ALLOWED", "/url"],
    [{ url: 7 }, "VALIDATION_FAILED", "/url"],
    [{ url: undefined }, "VALIDATION_FAILED", "/url"],
    [{ events: undefined }, "VALIDATION_FAILED", "/events"],
    [{ events: [] }, "VALIDATION_FAILED", "/events"],
    [{ events: "order.created" }, "VALIDATION_FAILED", "/events"],
    [{ events: ["order created"] }, "VALIDATION_FAILED", "/events/0"],
    [{ events: ["*", "order.gone"] }, "UNKNOWN_EVENT", "/events/1"],
    [{ events: ["invoice.*"] }, "UNKNOWN_EVENT", "/events/0"],
    [{ filter: { total: { above: 3 } } }, "INVALID_FILTER", "/filter/total/above"],
    [{ filter: [] }, "INVALID_FILTER", "/filter"],
    [{ secret: "short" }, "WEAK_SECRET", "/secret"],
    [{ secret: 12_345_678 }, "WEAK_SECRET", "/secret"],
    [{ active: "yes" }, "VALIDATION_FAILED", "/active"],
    [{ apiVersion: "2019-01-01" }, "VALIDATION_FAILED", "/apiVersion"],
    [{ id: "wh_1" }, "VALIDATION_FAILED", "/id"],
    [{ evnets: [] }, "VALIDATION_FAILED", "/evnets"],
    [{ constructor: 1 }, "VALIDATION_FAILED", "/constructor"],
  ])("refuses %j with %s at %s", async (change, code, pointer) => {
    const stage = new RoutesStage();
    const { status, json } = await stage.send(post({ url, events: ["*"], ...change }));
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, code, pointer]);
    expect(await stage.webhooks.count(undefined)).toBe(0);
  });

  test("says everything that is wrong at once, and what is known instead", async () => {
    const { status, json } = await new RoutesStage().send(
      post({ url: "http://x.example", events: ["nothing"], filter: { a: { eq: {} } }, secret: "x", colour: 1 }),
    );
    expect([status, json.code, json.detail]).toEqual([422, "VALIDATION_FAILED", "5 members are not valid."]);
    expect(json.errors.map(({ code }: { code: string }) => code)).toEqual([
      "UNKNOWN_FIELD",
      "WEBHOOK_URL_NOT_HTTPS",
      "UNKNOWN_EVENT",
      "INVALID_FILTER",
      "WEAK_SECRET",
    ]);
    expect(json.errors[2].allowed).toEqual(["order.created", "order.item.added", "user.created", "webhook.disabled"]);
    expect(JSON.stringify(json)).not.toContain('"x"');
  });

  test.each([[[]], [null], ["text"], [7]])("refuses a body that is %j", async (body) => {
    const { status, json } = await new RoutesStage().send(post(body));
    expect([status, json.code]).toEqual([422, "VALIDATION_FAILED"]);
  });

  test("lets a tenant have so many and no more", async () => {
    const stage = new RoutesStage({ maxPerTenant: 2 });
    await stage.register();
    await stage.register({ active: false });
    const { status, json } = await stage.send(post({ url, events: ["*"] }));
    expect([status, json.code, json.maximum]).toEqual([422, "TOO_MANY_WEBHOOKS", 2]);
    await stage.register({}, { id: "ann", tenant: "t2" });
  });

  test("has an absolute address where the service knows its own", async () => {
    const stage = new RoutesStage();
    const environment = { ...stage.environment, baseUrl: "https://api.example.com/v1" };
    const { headers, json } = await stage.send({ ...post({ url, events: ["*"] }), context: { environment } });
    expect(headers["location"]).toBe(`https://api.example.com/v1/webhooks/${json.id}`);
  });
});

describe("a registration under an Idempotency-Key", () => {
  test("commits with the record of its answer, or not at all", async () => {
    const stage = new RoutesStage();
    const broken = async () => {
      throw new Error("The record is gone.");
    };
    await expect(stage.send({ ...post({ url, events: ["*"] }), context: { joins: [broken], operationId: "o" } })).rejects.toThrow("is gone");
    expect(await stage.webhooks.count(undefined)).toBe(0);
    const kept: string[] = [];
    const join = async (_tx: unknown, { body }: { body: unknown }) => void kept.push(String(body));
    const { text } = await stage.send({ ...post({ url, events: ["*"] }), context: { joins: [join], operationId: "o" } });
    expect(kept).toEqual([text]);
    expect(await stage.webhooks.count(undefined)).toBe(1);
  });

  test("finds what an earlier try created, with the secret of then, where the record stands elsewhere", async () => {
    const stage = new RoutesStage({ maxPerTenant: 1 });
    const context = { operationId: "01KAJ2Q8", insertsUnderOperationId: true };
    const first = await stage.send({ ...post({ url, events: ["*"] }), context });
    const second = await stage.send({ ...post({ url, events: ["*"] }), context });
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(await stage.webhooks.count(undefined)).toBe(1);
  });

  test("is marked, as is a rotation, as one whose answer shows a secret", () => {
    const { operations } = new RoutesStage();
    const marked = operations.filter(({ sealAnswers }) => sealAnswers !== undefined);
    expect(marked.map(({ name }) => name)).toEqual(["webhooks.create", "webhooks.rotateSecret"]);
    expect(operations.every((operation) => operation.standsAlone === true || isSafe(operation))).toBe(true);
  });
});

test("the owner of a webhook is the principal who registered it", async () => {
  const stage = new RoutesStage();
  const { id } = await stage.register({}, { id: "bob", tenant: "t1" });
  const { owner, tenant } = existing(await stage.webhooks.get(id));
  expect([owner, tenant, ann.id]).toEqual(["bob", "t1", "ann"]);
});
