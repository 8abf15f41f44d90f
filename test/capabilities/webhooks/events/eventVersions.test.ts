import { ConfigurationError } from "restwright";
import { memoryStorage } from "restwright/memory";
import { eventVersions, verifyWebhook, type WebhookOptions } from "restwright/webhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { orders, Receiver, secrets } from "../emissionStage.js";

type Data = Readonly<Record<string, unknown>>;
const [v1, v2, v3] = ["2026-01-01", "2026-06-01", "2026-11-01"] as const;

/** v3 has `amount: { value, currency }`, v2 `amount` and `currency`, v1 the amount as a text. */
const olderVersions = {
  [v1]: { "order.created": (data: Data) => ({ ...data, amount: String(data["amount"]) }) },
  [v2]: { "order.created": ({ amount, ...data }: Data) => ({ ...data, ...flat(amount as { value: number; currency: string }) }) },
};
const flat = ({ value, currency }: { readonly value: number; readonly currency: string }) => ({ amount: value, currency });

const eventOf = (apiVersion: string, data: Data, type = "order.created") => {
  return { type, body: Buffer.from(JSON.stringify({ id: "evt_1", type, createdAt: "2026-12-01T00:00:00.000Z", apiVersion, data })) };
};
const newest = { orderId: 7, amount: { value: 12, currency: "EUR" } };

describe("the body of an event for a webhook", () => {
  const { all, bodyFor } = eventVersions(v3, olderVersions);
  const dataOf = (apiVersion: string, data: Data, version?: string, type?: string) => {
    const sent = JSON.parse(Buffer.from(bodyFor(eventOf(apiVersion, data, type), version)).toString());
    return [sent.apiVersion, sent.data];
  };

  test.each<[string, string, Data, string | undefined, string, Data]>([
    ["the newest", v3, newest, v3, v3, newest],
    ["no version of its own", v3, newest, undefined, v3, newest],
    ["one version back", v3, newest, v2, v2, { orderId: 7, amount: 12, currency: "EUR" }],
    ["two versions back", v3, newest, v1, v1, { orderId: 7, amount: "12", currency: "EUR" }],
    ["an event of an older version", v2, { orderId: 7, amount: 12 }, v1, v1, { orderId: 7, amount: "12" }],
    ["an event older than its webhook", v1, { orderId: 7, amount: "12" }, v2, v1, { orderId: 7, amount: "12" }],
    ["a version that is no longer listed", v3, newest, "2025-01-01", v3, newest],
    ["an event that was cut", v3, { orderId: 7, truncated: true }, v1, v1, { orderId: 7, truncated: true }],
  ])("%s", (_, emitted, data, version, sentVersion, sent) => {
    expect(dataOf(emitted, data, version)).toEqual([sentVersion, sent]);
  });

  test("is the same for types that did not change, but for its version", () => {
    expect(dataOf(v3, { a: 1 }, v1, "order.paid")).toEqual([v1, { a: 1 }]);
  });

  test("is the stored one, byte for byte, if nothing changes", () => {
    const event = eventOf(v3, newest);
    expect(bodyFor(event, v3)).toBe(event.body);
  });

  test("lists the newest version first", () => expect(all).toEqual([v3, v2, v1]));

  test("is an error if a transform returns no object", () => {
    for (const wrong of [null, undefined, "x", 7, [], Promise.resolve({})]) {
      const versions = eventVersions(v3, { [v2]: { "order.created": () => wrong as never } });
      expect(() => versions.bodyFor(eventOf(v3, newest), v2)).toThrow(ConfigurationError);
    }
  });
});

function stage(options: Partial<WebhookOptions>) {
  const transport = new Receiver();
  const errors: string[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (_: object, message: string) => errors.push(message) };
  const service = fullService({ resources: [orders], storage: memoryStorage(), secrets, logger, webhooks: { transport, pollMs: 20, ...options } });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return { transport, errors, service, send: clientOf(service) };
}

describe("a service with older versions", () => {
  const changed = { apiVersion: eventVersions(v2, { [v1]: olderVersions[v1] }) };

  test("sends each webhook the version that it was registered with, signed", async () => {
    const { transport, send } = stage(changed);
    const register = (apiVersion?: string) =>
      send({ method: "POST", target: "/webhooks", body: { url: "https://hooks.example.com/", events: ["order.created"], apiVersion } });
    const [old, current] = [await register(v1), await register()];
    expect([old.status, old.json.apiVersion, current.json.apiVersion]).toEqual([201, v1, v2]);
    await send({ method: "POST", target: "/orders", body: { total: 12 } });
    await expect.poll(() => transport.received).toHaveLength(2);
    const bodies = transport.received.map(({ headers, body }) => {
      const signedBy = [old, current].map(({ json }) => json.secret);
      expect(() => verifyWebhook({ headers, rawBody: body, secrets: signedBy })).not.toThrow();
      return JSON.parse(Buffer.from(body).toString());
    });
    const found = bodies.map(({ apiVersion, data }) => [apiVersion, data.amount]).toSorted();
    expect(found).toEqual([
      [v1, "12"],
      [v2, 12],
    ]);
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
  });

  test("lets a webhook move to another version, and names the versions that there are", async () => {
    const { send } = stage(changed);
    const { json } = await send({ method: "POST", target: "/webhooks", body: { url: "https://hooks.example.com/", events: ["*"], apiVersion: v1 } });
    const patch = (apiVersion: string) => send({ method: "PATCH", target: `/webhooks/${json.id}`, body: { apiVersion } });
    expect((await patch(v2)).json.apiVersion).toBe(v2);
    const refused = await patch("2020-01-01");
    expect([refused.status, refused.json.errors[0]]).toMatchObject([422, { pointer: "/apiVersion", allowed: [v2, v1] }]);
  });

  test("logs a transform that throws, and keeps the delivery", async () => {
    const transform = (): Data => {
      throw new Error("a bug");
    };
    const { transport, errors, send } = stage({ apiVersion: eventVersions(v2, { [v1]: { "order.created": transform } }) });
    const { json } = await send({ method: "POST", target: "/webhooks", body: { url: "https://hooks.example.com/", events: ["*"], apiVersion: v1 } });
    await send({ method: "POST", target: "/orders", body: { total: 12 } });
    await expect.poll(() => errors).toContain("Preparing a delivery failed; it will be tried again.");
    const deliveries = async () => (await send({ target: `/webhooks/${json.id}/deliveries` })).json.data;
    await expect.poll(deliveries).toMatchObject([{ status: "pending" }]);
    expect(transport.received).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    ["a version that is no date", () => eventVersions(v2, { old: {} })],
    ["a version that is not older", () => eventVersions(v2, { [v3]: {} })],
    ["a current version that is no date", () => eventVersions("two", { [v1]: {} })],
    ["a transform that is no function", () => eventVersions(v2, { [v1]: { "order.created": 1 as never } })],
    ["an event that does not exist", () => stage({ apiVersion: eventVersions(v2, { [v1]: { "order.creatd": (data) => data } }) })],
    ["versions that are none", () => stage({ apiVersion: 7 as never })],
  ])("refuses %s when it is made", (_, make) => {
    expect(make).toThrow(ConfigurationError);
  });
});
