// @long

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findSecrets } from "../../../examples/shop/secrets.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { needs } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { failToStartShop, type Host, hosts, startShop } from "../shop/shopProcess.js";
import { type Client, clientOf, untilAnswer } from "./webhookShopClient.js";
import { isSignedBy, loopback, type ShopReceiver, startReceiver } from "./webhookShopReceiver.js";

const customer = { name: "Grace", email: "grace@example.com" };
const order = { customerId: 1, total: 12.5, currency: "EUR" };

async function setUp(host: Host, environment: Readonly<Record<string, string>>) {
  const receiver = await startReceiver();
  const shop = await startShop(host, { ...loopback, ...environment });
  onTestFinished(async () => void (await shop.stop("SIGKILL")));
  return { receiver, shop, send: clientOf(shop.origin) };
}

/** Registered → told of orders, filtered, silenced, and told again. */
async function registerAndFilter(send: Client, receiver: ShopReceiver) {
  const created = await send("POST", "/webhooks", { url: receiver.url("/all"), events: ["order.*"] });
  expect([created.status, created.headers.get("location")]).toEqual([201, `/webhooks/${created.body.id}`]);
  expect(created.body).toMatchObject({ active: true, filter: null, consecutiveFailures: 0, disabledReason: null });
  expect(created.body.secret).toMatch(/^whsec_/);
  const id = created.body.id;
  const { secret, verificationSecret, ...shown } = created.body;
  expect((await send("GET", `/webhooks/${id}`)).body).toEqual(shown);
  const supplied = { url: receiver.url("/euro"), events: ["order.created"], filter: { currency: "EUR" }, secret: "supplied by the client" };
  const filtered = await send("POST", "/webhooks", supplied);
  expect(filtered.body.secret).toBe(supplied.secret);
  expect((await send("GET", "/webhooks")).body.data.map((one) => one.id)).toEqual([id, filtered.body.id]);

  expect((await send("POST", "/orders", order)).status).toBe(201);
  expect((await send("POST", "/orders", { ...order, currency: "CHF", status: "paid" })).status).toBe(201);
  expect((await send("PATCH", "/orders/1", { status: "paid" })).status).toBe(200);
  expect((await send("PATCH", "/orders/1", { note: "still paid" })).status).toBe(200);
  const all = await receiver.until("/all", 4);
  expect(all.map(({ event }) => `${event.type} ${String(event.data["orderId"])}`).sort()).toEqual([
    "order.completed 1",
    "order.completed 2",
    "order.created 1",
    "order.created 2",
  ]);
  expect(all.every((one) => isSignedBy(one, secret) && isSignedBy(one, verificationSecret))).toBe(true);
  const [euro] = await receiver.until("/euro", 1);
  expect(euro?.event).toMatchObject({ type: "order.created", data: { orderId: 1, amount: 12.5, currency: "EUR" } });
  expect(euro && isSignedBy(euro, supplied.secret)).toBe(true);
  expect(euro?.headers).toMatchObject({ "content-type": "application/json", "webhook-attempt": "1", "webhook-event": "order.created" });
  expect(euro?.headers["user-agent"]).toMatch(/^restwright-webhooks\//);

  expect((await send("PATCH", `/webhooks/${filtered.body.id}`, { active: false })).body.active).toBe(false);
  const before = receiver.at("/all").length;
  await send("POST", "/orders", order);
  await receiver.until("/all", before + 1);
  expect(receiver.at("/euro")).toHaveLength(1);
  expect((await send("DELETE", `/webhooks/${filtered.body.id}`)).status).toBe(204);
  expect((await send("GET", `/webhooks/${filtered.body.id}`)).status).toBe(404);
  return { id, secret };
}

/** Tried out, looked at in the log, sent again. */
async function testAndReplay(send: Client, receiver: ShopReceiver, id: string) {
  const before = receiver.at("/all").length;
  const tried = await send("POST", `/webhooks/${id}/test`);
  expect(tried.body).toMatchObject({ outcome: "success", status: 200, errorCode: null });
  expect(receiver.at("/all").at(-1)?.event.id).toBe(tried.body.eventId);

  const log = await untilAnswer(
    () => send("GET", `/webhooks/${id}/deliveries?type=order.created`),
    ({ data }) => data.every(({ status }) => status === "succeeded"),
  );
  expect(log.data).toHaveLength(3);
  const [newest] = log.data;
  const delivery = await send("GET", `/webhooks/${id}/deliveries/${newest?.id}`);
  expect(delivery.body).toMatchObject({ status: "succeeded", attempts: [{ n: 1, status: 200, body: "heard" }] });
  const replayed = await send("POST", `/webhooks/${id}/deliveries/${newest?.id}/replay`);
  expect(replayed.status).toBe(202);
  const again = (await receiver.until("/all", before + 2)).at(-1);
  expect(again?.event.id).toBe(newest?.eventId);
  expect(again?.headers["webhook-delivery"]).not.toBe(newest?.id);
}

/** Given another secret, failed until given up, and recovered. */
async function rotateAndRecover(send: Client, receiver: ShopReceiver, { id, secret }: { readonly id: string; readonly secret: string }) {
  const rotated = await send("POST", `/webhooks/${id}/rotate-secret`, { overlapSeconds: 3_600 });
  expect(rotated.status).toBe(200);
  expect(rotated.body.secret).not.toBe(secret);
  expect(rotated.body.previousSecretUntil).not.toBeNull();

  const since = new Date(Date.now() - 1_000).toISOString();
  const before = receiver.at("/all").length;
  receiver.answer("/all", 503);
  await send("POST", "/orders", order);
  const failed = (await receiver.until("/all", before + 3)).slice(before);
  expect(new Set(failed.map(({ event }) => event.id)).size).toBe(1);
  expect(failed.map(({ headers }) => headers["webhook-attempt"])).toEqual(["1", "2", "3"]);
  expect(failed.every((one) => isSignedBy(one, secret) && isSignedBy(one, rotated.body.secret))).toBe(true);
  await untilAnswer(
    () => send("GET", `/webhooks/${id}/deliveries?status=dead`),
    ({ data }) => data.length === 1,
  );

  receiver.answer("/all", 200);
  const recovery = await send("POST", `/webhooks/${id}/recover`, { since });
  expect(recovery.status).toBe(202);
  const job = recovery.headers.get("location") ?? "";
  expect(job).toMatch(/^\/jobs\//);
  expect(
    await untilAnswer(
      () => send("GET", job),
      ({ status }) => status === "completed",
    ),
  ).toMatchObject({ result: { replayed: 1 } });
  const recovered = (await receiver.until("/all", before + 4)).at(-1);
  expect(recovered?.event.id).toBe(failed[0]?.event.id);
}

async function lifeOfWebhooks(send: Client, receiver: ShopReceiver): Promise<void> {
  expect((await send("POST", "/users", { name: "Ada", email: "ada@example.com", region: "north" })).status).toBe(201);
  const webhook = await registerAndFilter(send, receiver);
  await testAndReplay(send, receiver, webhook.id);
  await rotateAndRecover(send, receiver, webhook);
  expect((await send("DELETE", `/webhooks/${webhook.id}`)).status).toBe(204);
  expect((await send("GET", "/webhooks")).body.data).toEqual([]);
}

const faults: readonly [object, string, string][] = [
  [{ url: "http://hooks.example.com/", events: ["*"] }, "WEBHOOK_URL_NOT_HTTPS", "/url"],
  [{ url: "https://10.0.0.1/", events: ["*"] }, "WEBHOOK_URL_NOT_ALLOWED", "/url"],
  [{ url: "https://127.0.0.1:8443/", events: ["*"] }, "WEBHOOK_URL_NOT_ALLOWED", "/url"],
  [{ url: "https://hooks.example.com/", events: ["order.lost"] }, "UNKNOWN_EVENT", "/events/0"],
  [{ url: "https://hooks.example.com/", events: ["*"], filter: { amount: { above: 5 } } }, "INVALID_FILTER", "/filter/amount/above"],
  [{ url: "https://hooks.example.com/", events: ["*"], secret: "short" }, "WEAK_SECRET", "/secret"],
];

async function refuseFaults(send: Client): Promise<void> {
  for (const [body, code, pointer] of faults) {
    const refused = await send("POST", "/webhooks", body);
    expect([refused.status, refused.body.code]).toEqual([422, code]);
    expect(refused.body.errors[0]).toMatchObject({ code, pointer });
  }
}

/** Alice is the admin and Carol a clerk of one tenant, Bob the admin of another. */
async function partOwners(origin: string, receiver: ShopReceiver): Promise<void> {
  const [alice, carol, bob] = [clientOf(origin, "alice"), clientOf(origin, "carol"), clientOf(origin, "bob")];
  expect((await clientOf(origin)("GET", "/webhooks")).status).toBe(401);
  const register = async (send: Client, path: string) => (await send("POST", "/webhooks", { url: receiver.url(path), events: ["*"] })).body.id;
  const [ofCarol, ofBob, ofAlice] = [await register(carol, "/carol"), await register(bob, "/bob"), await register(alice, "/alice")];
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/test"],
    ["POST", "/rotate-secret"],
    ["GET", "/deliveries"],
  ] as const) {
    expect((await bob(method, `/webhooks/${ofCarol}${path}`)).status).toBe(404);
    expect((await carol(method, `/webhooks/${ofAlice}${path}`)).status).toBe(404);
  }
  const idsOf = async (send: Client) => (await send("GET", "/webhooks")).body.data.map(({ id }) => id);
  expect(await Promise.all([alice, carol, bob].map(idsOf))).toEqual([[ofCarol, ofAlice], [ofCarol], [ofBob]]);

  expect((await carol("POST", "/orders", order)).status).toBe(201);
  await Promise.all([receiver.until("/carol", 1), receiver.until("/alice", 1)]);
  expect((await bob("GET", `/webhooks/${ofBob}/deliveries`)).body.data).toEqual([]);
  expect(receiver.at("/bob")).toEqual([]);
}

describe.each(hosts)("webhooks of the shop on %s", (host) => {
  test("in memory, with SHOP_AUTH=on: live, refuse what cannot be registered, and belong to their owner, the admins and the tenant", async () => {
    const { receiver, shop } = await setUp(host, { DATA_DIR: ":memory:", SHOP_AUTH: "on" });
    const alice = clientOf(shop.origin, "alice");
    await lifeOfWebhooks(alice, receiver);
    await refuseFaults(alice);
    await partOwners(shop.origin, receiver);
    expect(await shop.stop("SIGTERM")).toBe(0);
  });

  test("in SQLite: are registered, told, tried, replayed, rotated, recovered and deleted", async () => {
    const { receiver, shop, send } = await setUp(host, { DATA_DIR: temporaryFolder() });
    await lifeOfWebhooks(send, receiver);
    expect(await shop.stop("SIGTERM")).toBe(0);
  });

  test("in PostgreSQL (set POSTGRES_URL to run): are registered, told, tried, replayed, rotated, …", needs("postgres"), async () => {
    const schema = ownSchema();
    const DATABASE_URL = await schema.create();
    onTestFinished(() => schema.drop());
    const { receiver, shop, send } = await setUp(host, { DATABASE_URL, DATA_DIR: temporaryFolder() });
    await lifeOfWebhooks(send, receiver);
    expect(await shop.stop("SIGTERM")).toBe(0);
  });
});

/** A shop that dies while a delivery waits, and another one that finds it. */
async function outliveTheProcess(environment: Readonly<Record<string, string>>): Promise<void> {
  const { receiver, shop, send } = await setUp("fastify", environment);
  await send("POST", "/users", customer);
  const { id, secret } = (await send("POST", "/webhooks", { url: receiver.url("/all"), events: ["order.created"] })).body;
  receiver.answer("/all", 500);
  await send("POST", "/orders", order);
  // Before that is written down, nobody but the holder of the lease may send it, for 75 seconds.
  await untilAnswer(
    () => send("GET", `/webhooks/${id}/deliveries?status=pending`),
    ({ data }) => data[0]?.attemptCount === 1,
  );
  receiver.answer("/all", 200);
  await shop.stop("SIGKILL");
  const next = await startShop("fastify", { ...loopback, ...environment });
  onTestFinished(async () => void (await next.stop("SIGKILL")));
  const [first, second] = await receiver.until("/all", 2);
  expect(second?.event).toEqual(first?.event);
  expect(second && isSignedBy(second, secret)).toBe(true);
}

test("what waits in PostgreSQL (set POSTGRES_URL to run) outlives a SIGKILL, by the secret in DATA_DIR", needs("postgres"), async () => {
  const schema = ownSchema();
  const DATABASE_URL = await schema.create();
  onTestFinished(() => schema.drop());
  await outliveTheProcess({ DATABASE_URL, DATA_DIR: temporaryFolder(), WEBHOOK_SCHEDULE_SECONDS: "0,1,1" });
});

test("without SECRETS, SQLite keeps a secret, and DATA_DIR one for PostgreSQL, where that can be written", () => {
  const DATABASE_URL = "postgres://localhost/shop";
  const find = (environment: Readonly<Record<string, string>>) => findSecrets(readSettings(environment));
  expect(find({ DATABASE_URL, SECRETS: "the newest of them, the one before it " })).toEqual(["the newest of them", "the one before it"]);
  expect(find({ DATA_DIR: temporaryFolder() })).toBeUndefined();
  const kept = { DATABASE_URL, DATA_DIR: join(temporaryFolder(), "not", "there") };
  const [secret = ""] = find(kept) ?? [];
  expect(secret).toHaveLength(43);
  expect([find(kept), readdirSync(kept.DATA_DIR)]).toEqual([[secret], ["secret"]]);
  for (const DATA_DIR of [":memory:", "/dev/null"]) expect(find({ DATABASE_URL, DATA_DIR })).not.toEqual(find({ DATABASE_URL, DATA_DIR }));
});

test("settings of webhooks that cannot work stop the start with one clear line", async () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ WEBHOOK_SCHEDULE_SECONDS: "0,soon" }, /WEBHOOK_SCHEDULE_SECONDS must be a list of seconds/],
    [{ WEBHOOK_ALLOW_HOSTS: "https://localhost" }, /"https:\/\/localhost" is not a host name/],
    [{ SECRETS: "short" }, /16 bytes/],
  ];
  const check = async ([environment, message]: (typeof cases)[number]) => {
    const { code, stderr } = await failToStartShop({ DATA_DIR: ":memory:", ...environment });
    expect([code, stderr.trim().split("\n").length]).toEqual([1, 1]);
    expect(stderr).toMatch(message);
  };
  await Promise.all(cases.map(check));
});
