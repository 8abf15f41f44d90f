import { describe, expect, test } from "vitest";
import { existing, RoutesStage, url } from "./routesStage.js";

const idsOf = (json: { readonly data: readonly { readonly id: string }[] }) => json.data.map(({ id }) => id);

async function withDeliveries() {
  const stage = new RoutesStage();
  const { id } = await stage.register();
  const made = await stage.deliver(id, ["succeeded", "dead", "canceled", "pending"]);
  const [other = ""] = await stage.deliver(id, ["pending"], "user.created");
  return { stage, id, target: `/webhooks/${id}/deliveries`, all: [...made, other].reverse(), made, other };
}

describe("GET /webhooks/{id}/deliveries", () => {
  test("shows the log, the newest first", async () => {
    const { stage, target, all } = await withDeliveries();
    const { status, json } = await stage.send({ target });
    expect([status, idsOf(json)]).toEqual([200, all]);
    expect(json.data.at(-1)).toEqual({
      id: all.at(-1),
      eventId: existing(all.at(-1)).replace("dlv", "evt"),
      type: "order.created",
      trigger: "auto",
      status: "succeeded",
      url,
      attemptCount: 1,
      lastAttempt: { startedAt: "2026-01-01T00:00:00.000Z", status: 200, errorCode: null },
      nextAttemptAt: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      endedAt: "2026-01-01T00:00:00.000Z",
    });
    expect(json.data[0]).toMatchObject({ status: "pending", attemptCount: 0, lastAttempt: null, nextAttemptAt: "2026-01-01T00:00:00.003Z" });
  });

  test("filters by states, type and time", async () => {
    const { stage, target, made, other } = await withDeliveries();
    const found = async (query: string) => idsOf((await stage.send({ target: `${target}?${query}` })).json);
    expect(await found("status=dead")).toEqual([made[1]]);
    expect(await found("status=canceled,dead")).toEqual([made[2], made[1]]);
    expect(await found("type=user.created")).toEqual([other]);
    expect(await found("since=2026-01-01T00:00:00.002Z")).toEqual([other, made[3], made[2]]);
    expect(await found("status=pending&type=order.created")).toEqual([made[3]]);
    expect(await found("type=order.completed")).toEqual([]);
  });

  test("pages, each list by cursors of its own", async () => {
    const { stage, target, all } = await withDeliveries();
    const pages: string[][] = [];
    let cursor = "";
    for (let next: string | undefined = `${target}?perPage=2&utm=1`; next !== undefined; ) {
      const { json } = await stage.send({ target: next });
      pages.push(idsOf(json));
      cursor = json.meta.nextCursor ?? cursor;
      next = json.links.next;
    }
    expect(pages).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
    const { status, json } = await stage.send({ target: `${target}?status=dead&cursor=${cursor}` });
    expect([status, json.code]).toEqual([400, "INVALID_CURSOR"]);
    expect((await stage.send({ target: `${target}?cursor=${cursor}&perPage=1` })).status).toBe(200);
  });

  test.each([
    ["status=", "EMPTY_VALUE"],
    ["status=lost", "INVALID_VALUE"],
    ["status=dead,", "INVALID_VALUE"],
    ["type=order%20created", "INVALID_VALUE"],
    ["since=yesterday", "INVALID_VALUE"],
    ["since=2026-02-30T00:00:00Z", "INVALID_VALUE"],
    ["state=dead", "UNKNOWN_FIELD"],
  ])("refuses ?%s with %s", async (query, code) => {
    const { stage, target } = await withDeliveries();
    const { status, json } = await stage.send({ target: `${target}?${query}` });
    expect([status, json.code]).toEqual([400, code]);
  });
});

describe("GET /webhooks/{id}/deliveries/{deliveryId}", () => {
  test("shows the attempts and the event", async () => {
    const { stage, target, made } = await withDeliveries();
    const { status, json, headers } = await stage.send({ target: `${target}/${made[1]}` });
    expect([status, json.id, json.status]).toEqual([200, made[1], "dead"]);
    expect(json.attempts).toEqual([
      {
        n: 1,
        trigger: "auto",
        startedAt: "2026-01-01T00:00:00.001Z",
        url,
        latencyMs: 5,
        status: 404,
        errorCode: null,
        body: "seen",
        bodyEncoding: "utf-8",
        interrupted: false,
      },
    ]);
    expect(json.event).toEqual({ id: json.eventId, type: "order.created", data: { orderId: 7 } });
    expect((await stage.send({ target: `${target}/${made[1]}`, headers: { "if-none-match": String(headers["etag"]) } })).status).toBe(304);
  });

  test.each([
    ["text", Buffer.from("grüezi"), "grüezi", "utf-8"],
    ["text that was cut within a character", Buffer.from("grü").subarray(0, 3), "gr", "utf-8"],
    ["bytes", Buffer.from([0xff, 0xfe, 0]), "//4A", "base64"],
    ["nothing", Buffer.alloc(0), "", "utf-8"],
  ])("shows the body of a response that is %s", async (_what, body, text, encoding) => {
    const { stage, id, target } = await withDeliveries();
    const [delivery = ""] = await stage.deliver(id, ["pending"]);
    const claimed = await stage.deliveries.claim({ leaseMs: 60_000, max: 9, maxPerWebhook: 9 });
    const { lease } = existing(claimed.find((each) => each.lease.id === delivery));
    const attempt = { startedAt: new Date(0), latencyMs: 1, errorCode: "TIMEOUT", body };
    await stage.deliveries.record(lease, { attempt, next: { state: "dead" }, failures: "add" });
    const { json } = await stage.send({ target: `${target}/${delivery}` });
    expect(json.attempts).toMatchObject([{ body: text, bodyEncoding: encoding, status: null, errorCode: "TIMEOUT" }]);
  });

  test("shows where attempts were sent, not where the webhook sends by now", async () => {
    const { stage, id, target, made } = await withDeliveries();
    const [ended = ""] = made;
    const [waiting = ""] = await stage.deliver(id, ["pending"]);
    const newUrl = "https://elsewhere.example.com/b";
    expect((await stage.send({ method: "PATCH", target: `/webhooks/${id}`, body: { url: newUrl } })).status).toBe(200);
    const { json } = await stage.send({ target: `${target}/${ended}` });
    expect([json.url, json.attempts[0].url]).toEqual([url, url]);
    const listed: readonly { readonly id: string; readonly url: string }[] = (await stage.send({ target })).json.data;
    expect(listed.find((each) => each.id === ended)?.url).toBe(url);
    expect(listed.find((each) => each.id === waiting)?.url).toBe(newUrl);
    const { deliveryId } = (await stage.send({ method: "POST", target: `/webhooks/${id}/test` })).json;
    expect((await stage.send({ target: `${target}/${deliveryId}` })).json.attempts).toMatchObject([{ url: newUrl }]);
  });

  test("shows an attempt whose process has ended", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const [delivery = ""] = await stage.deliver(id, ["pending"]);
    for (let count = 0; count < 2; count++) {
      await stage.deliveries.claim({ leaseMs: 1_000, max: 1, maxPerWebhook: 1 });
      stage.clock.advance(2_000);
    }
    const { json } = await stage.send({ target: `/webhooks/${id}/deliveries/${delivery}` });
    expect([json.status, json.nextAttemptAt, json.attempts]).toMatchObject(["sending", null, [{ n: 1, interrupted: true, status: null }]]);
  });

  test("finds no delivery of another webhook", async () => {
    const { stage, made } = await withDeliveries();
    const { id } = await stage.register();
    for (const sent of [
      { target: `/webhooks/${id}/deliveries/${made[0]}` },
      { method: "POST", target: `/webhooks/${id}/deliveries/${made[0]}/replay` },
    ]) {
      const { status, json } = await stage.send(sent);
      expect([status, json.detail]).toEqual([404, `There is no "${made[0]}" in "deliveries".`]);
    }
  });
});

describe("POST /webhooks/{id}/deliveries/{deliveryId}/replay", () => {
  test("makes a new delivery of the same event, and wakes the dispatcher", async () => {
    const { stage, target, made } = await withDeliveries();
    const { status, headers, json } = await stage.send({ method: "POST", target: `${target}/${made[0]}/replay`, mount: "/v1" });
    expect([status, headers["location"], stage.woken]).toEqual([202, `/v1${target}/${json.id}`, 1]);
    expect(json).toMatchObject({ eventId: existing(made[0]).replace("dlv", "evt"), trigger: "replay", status: "pending", attemptCount: 0 });
    expect(json.id).not.toBe(made[0]);
    const { json: read } = await stage.send({ target: `${target}/${json.id}` });
    expect(read.event.id).toBe(json.eventId);
  });

  test("is refused while the webhook is not active, even if it became so a moment ago", async () => {
    const { stage, id, target, made } = await withDeliveries();
    const sent = { method: "POST", target: `${target}/${made[0]}/replay` };
    const { replay } = stage.deliveries;
    stage.deliveries.replay = async (given) => {
      await stage.webhooks.update(id, { active: false });
      return replay(given);
    };
    for (let count = 0; count < 2; count++) {
      const { status, json } = await stage.send(sent);
      expect([status, json.code]).toEqual([409, "WEBHOOK_INACTIVE"]);
    }
    expect((await stage.deliveries.list({ webhook: id, limit: 99 })).every(({ trigger }) => trigger === "auto")).toBe(true);
  });

  test("makes one delivery for all tries of one operation", async () => {
    const { stage, id, target, made } = await withDeliveries();
    const sent = { method: "POST", target: `${target}/${made[0]}/replay`, context: { operationId: "01KAJ2Q8", insertsUnderOperationId: true } };
    const [first, second] = [await stage.send(sent), await stage.send(sent)];
    expect([first.status, second.text]).toEqual([202, first.text]);
    expect((await stage.deliveries.list({ webhook: id, limit: 99 })).filter(({ trigger }) => trigger === "replay")).toHaveLength(1);
  });

  test("commits with what joins it, or not at all", async () => {
    const { stage, id, target, made } = await withDeliveries();
    const broken = async () => {
      throw new Error("The record is gone.");
    };
    const sent = { method: "POST", target: `${target}/${made[0]}/replay`, context: { joins: [broken], operationId: "o" } };
    await expect(stage.send(sent)).rejects.toThrow("is gone");
    expect(await stage.deliveries.list({ webhook: id, limit: 99 })).toHaveLength(5);
  });
});
