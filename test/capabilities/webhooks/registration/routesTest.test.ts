import { describe, expect, test } from "vitest";
import type { AttemptResult } from "../../../../src/capabilities/webhooks/delivery/transport.js";
import { verifyWebhook } from "../../../../src/capabilities/webhooks/signing/verify.js";
import type { Context } from "../../../../src/engine/operation/context.js";
import { ann, existing, RecordingTransport, RoutesStage, url } from "./routesStage.js";

const post = (id: string) => ({ method: "POST", target: `/webhooks/${id}/test` });
const result = (change: Partial<AttemptResult>): AttemptResult => ({ latencyMs: 7, bodyHead: new Uint8Array(0), truncated: false, ...change });

describe("POST /webhooks/{id}/test", () => {
  test("sends a signed sample event once, and answers what came of it", async () => {
    const stage = new RoutesStage();
    const { id, secret } = await stage.register();
    const { status, json } = await stage.send(post(id));
    expect([status, json]).toEqual([
      200,
      {
        deliveryId: expect.stringMatching(/^dlv_[0-9A-Z]{26}$/),
        eventId: expect.stringMatching(/^evt_[0-9A-Z]{26}$/),
        outcome: "success",
        status: 200,
        latencyMs: 12,
        errorCode: null,
      },
    ]);
    const [request, ...others] = stage.transport.requests;
    const { headers, body: rawBody, url: sentTo } = existing(request);
    expect([others, sentTo.href, headers["webhook-event"], headers["webhook-delivery"]]).toEqual([[], url, "webhook.test", json.deliveryId]);
    const event = verifyWebhook({ headers, rawBody, secrets: [secret], now: stage.clock.now() });
    expect(event).toMatchObject({ id: json.eventId, type: "webhook.test", apiVersion: "2026-01-01", data: { webhookId: id } });
  });

  test("stands in the log, where a delivery that failed can be looked at", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    stage.transport.results.push(result({ status: 503, bodyHead: Buffer.from("not now") }));
    const { json } = await stage.send(post(id));
    const { json: logged } = await stage.send({ target: `/webhooks/${id}/deliveries/${json.deliveryId}` });
    expect(logged).toMatchObject({ status: "dead", trigger: "test", type: "webhook.test", eventId: json.eventId, event: { id: json.eventId } });
    expect(logged.attempts).toMatchObject([{ n: 1, trigger: "test", status: 503, body: "not now", bodyEncoding: "utf-8" }]);
  });

  test.each([
    [{ status: 204 }, { outcome: "success", status: 204, errorCode: null }],
    [{ status: 500 }, { outcome: "retryable", status: 500, errorCode: null }],
    [{ status: 404 }, { outcome: "terminal", status: 404, errorCode: null }],
    [{ status: 301 }, { outcome: "terminal", status: 301, errorCode: "REDIRECT_REFUSED" }],
    [{ errorCode: "TIMEOUT" } as const, { outcome: "retryable", status: null, errorCode: "TIMEOUT" }],
    [{ errorCode: "ADDRESS_BLOCKED" } as const, { outcome: "terminal", status: null, errorCode: "ADDRESS_BLOCKED" }],
  ])("says of %j what it would mean for a delivery", async (change, expected) => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    stage.transport.results.push(result(change));
    expect((await stage.send(post(id))).json).toMatchObject(expected);
  });

  test("works while the webhook is not active, and counts for nothing, not even a 410", async () => {
    const stage = new RoutesStage({ disableAfter: { consecutive: 1, minDurationMs: 0 } });
    const { id } = await stage.register({ active: false });
    await stage.send(post(id));
    await stage.send({ method: "PATCH", target: `/webhooks/${id}`, body: { active: true } });
    stage.transport.results.push(result({ status: 410 }), result({ status: 500 }));
    expect((await stage.send(post(id))).json.outcome).toBe("terminal");
    expect((await stage.send(post(id))).json.outcome).toBe("retryable");
    expect(await stage.stored(id)).toMatchObject({ active: true, consecutiveFailures: 0 });
    expect(await stage.deliveries.claim({ leaseMs: 60_000, max: 9, maxPerWebhook: 9 })).toEqual([]);
  });

  test("may be asked for five times a minute, those under way among them", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    for (let count = 0; count < 3; count++) {
      expect((await stage.send(post(id))).status).toBe(200);
      stage.clock.advance(10_000);
    }
    let end: (result: AttemptResult) => void = () => {};
    const held = new Promise<AttemptResult>((resolve) => {
      end = resolve;
    });
    stage.transport.results.push(held, held);
    const underWay = [stage.send(post(id)), stage.send(post(id))];
    const refused = await stage.send(post(id));
    expect([refused.status, refused.json.code, refused.headers["retry-after"]]).toEqual([429, "RATE_LIMITED", "30"]);
    end(result({ status: 200 }));
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await stage.send(post(id))).status).toBe(429);
    expect((await stage.send(post((await stage.register()).id))).status).toBe(200);
    stage.clock.advance(30_001);
    expect((await stage.send(post(id))).status).toBe(200);
    expect(stage.transport.requests).toHaveLength(7);
  });

  test("may be asked for twenty times a minute by a tenant, those under way among them", async () => {
    const stage = new RoutesStage({ maxPerTenant: 9 });
    const webhooks: string[] = [];
    for (let count = 0; count < 5; count++) webhooks.push((await stage.register()).id);
    const [last = "", ...others] = webhooks;
    for (const id of others) for (let count = 0; count < 5; count++) expect((await stage.send(post(id))).status).toBe(200);
    const refused = await stage.send(post(last));
    expect([refused.status, refused.json.code, refused.json.maximum, refused.headers["retry-after"]]).toEqual([429, "RATE_LIMITED", 20, "60"]);
    const theirs = { ...ann, tenant: "another" };
    const { id } = await stage.register({}, theirs);
    expect((await stage.send({ ...post(id), as: theirs })).status).toBe(200);
    stage.clock.advance(60_001);
    expect((await stage.send(post(last))).status).toBe(200);
  });

  test("is not refused for longer than a minute if the clock is set back", async () => {
    const stage = new RoutesStage({ maxPerTenant: 9 });
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) ids.push((await stage.register()).id);
    for (const id of ids) for (let count = 0; count < 5; count++) expect((await stage.send(post(id))).status).toBe(200);
    stage.clock.advance(-3_600_000);
    for (const id of ids) for (let count = 0; count < 5; count++) expect((await stage.send(post(id))).status).toBe(200);
  });

  test("is 503 where the service closes meanwhile", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    stage.transport.results.push(result({ errorCode: "ABORTED" }));
    const { status, json } = await stage.send(post(id));
    expect([status, json.code]).toEqual([503, "SHUTTING_DOWN"]);
  });

  test("answers what came of it although the log cannot be written", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    stage.deliveries.logTest = async () => {
      throw new Error("The log is gone.");
    };
    expect((await stage.send(post(id))).json.outcome).toBe("success");
    expect(stage.warned.map(({ message }) => message)).toEqual(["Recording the test of a webhook failed."]);
  });
});

test.each([
  [32_000, 75_000],
  [120_000, 240_000],
])("the key of a test whose attempt may take %i ms is held for %i", (maxAttemptMs, leaseMs) => {
  const stage = new RoutesStage({ transport: Object.assign(new RecordingTransport(), { maxAttemptMs }) });
  const operation = existing(stage.operations.find(({ name }) => name === "webhooks.test"));
  expect(operation.keyTimes?.({} as Context)).toEqual({ leaseMs });
});
