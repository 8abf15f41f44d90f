// @long

import { setTimeout as sleep } from "node:timers/promises";
import type { Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { type Engine, needs } from "../../tools/engines.js";
import { untilTrue } from "../../tools/eventually.js";
import { fullService } from "../../tools/fullService.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { deliveriesOf, orders, Receiver, register, secrets } from "./emissionStage.js";

/** Ways to open one database several times. */
const databases: readonly { readonly name: string; readonly engines: readonly Engine[]; readonly place: () => Promise<() => Storage> }[] = [
  {
    name: "one SQLite file",
    engines: [],
    async place() {
      const path = `${temporaryFolder()}/shared.db`;
      return () => sqliteStorage({ path });
    },
  },
  {
    name: "one PostgreSQL schema (set POSTGRES_URL to run)",
    engines: ["postgres"],
    async place() {
      const schema = ownSchema();
      const connectionString = await schema.create();
      onTestFinished(() => schema.drop());
      return () => postgresStorage({ connectionString });
    },
  },
];

/** A storage whose leases are over sooner than the service asks. */
function withLease(storage: Storage, leaseMs: number): Storage {
  const deliveries = deliveriesOf(storage);
  return { ...storage, deliveries: { ...deliveries, claim: (request) => deliveries.claim({ ...request, leaseMs }) } };
}

/** The storage of a process that claims something once, and then hangs. */
function claimingOnce(storage: Storage): Storage {
  const deliveries = deliveriesOf(storage);
  let hasClaimed = false;
  const claim: typeof deliveries.claim = async (request) => {
    if (hasClaimed) return [];
    const claimed = await deliveries.claim(request);
    hasClaimed = claimed.length > 0;
    return claimed;
  };
  return { ...storage, deliveries: { ...deliveries, claim } };
}

function serviceOn(storage: Storage) {
  const receiver = new Receiver();
  const webhooks = { transport: receiver, events: ["report.ready"], pollMs: 50, perWebhook: 20 };
  const service = fullService({ resources: [orders], storage, secrets, webhooks, jobs: false });
  onTestFinished(() => service.close({ graceMs: 100 }));
  return { service, receiver, storage, send: clientOf(service) };
}

describe.each(databases)("two services on $name", ({ engines, place }) => {
  test("deliver each of 500 events once", needs(...engines), async () => {
    const open = await place();
    const [one, other] = [serviceOn(open()), serviceOn(open())];
    for (const { receiver } of [one, other]) {
      receiver.answer = async () => {
        await sleep(5);
        return { status: 200 };
      };
    }
    const webhook = await register(one);
    await other.service.start();
    const target = "/orders/batch";
    const items = Array.from({ length: 50 }, (_, total) => ({ total }));
    const sent = Array.from({ length: 10 }, (_, turn) => (turn % 2 === 0 ? one : other).send({ method: "POST", target, body: { items } }));
    for (const answer of await Promise.all(sent)) expect(answer.status, answer.text).toBe(200);
    const succeeded = async () => (await deliveriesOf(one.storage).counts(webhook)).succeeded;
    await untilTrue(async () => (await succeeded()) === 500);
    const ids = [one, other].map(({ receiver }) => receiver.received.map(({ headers }) => headers["webhook-id"]));
    expect(ids.flat()).toHaveLength(500);
    expect(new Set(ids.flat()).size).toBe(500);
  });

  test("one dies while it sends: the other sends again, and the first attempt is logged as interrupted", needs(...engines), async () => {
    const open = await place();
    const dying = serviceOn(claimingOnce(withLease(open(), 400)));
    let answerLate: (status: number) => void = () => {};
    dying.receiver.answer = () =>
      new Promise((resolve) => {
        answerLate = (status) => resolve({ status });
      });
    const webhook = await register(dying);
    await dying.service.emit({ type: "report.ready", data: { number: 1 } });
    await untilTrue(() => dying.receiver.received.length === 1);
    const other = serviceOn(open());
    await other.service.start();
    await untilTrue(() => other.receiver.received.length === 1);
    const [first, second] = [dying.receiver.received[0], other.receiver.received[0]];
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.body).toEqual(first?.body);
    expect([first, second].map((request) => request?.headers["webhook-attempt"])).toEqual(["1", "2"]);

    const list = `/webhooks/${webhook}/deliveries`;
    await untilTrue(async () => (await other.send({ target: list })).json.data[0].status === "succeeded");
    const log = async () => (await other.send({ target: `${list}/${(await other.send({ target: list })).json.data[0].id}` })).json;
    const before = await log();
    expect(before).toMatchObject({
      status: "succeeded",
      attemptCount: 2,
      attempts: [
        { n: 1, interrupted: true, status: null, errorCode: null, latencyMs: 0 },
        { n: 2, interrupted: false, status: 200 },
      ],
    });
    // The first was only slow: what it says now is worth nothing.
    answerLate(500);
    await sleep(200);
    expect(await log()).toEqual(before);
    expect((await other.send({ target: `/webhooks/${webhook}` })).json.consecutiveFailures).toBe(0);
  });

  test("the store is away after the receiver has answered: it is sent again, and then kept", needs(...engines), async () => {
    const open = await place();
    const storage = withLease(open(), 300);
    const deliveries = deliveriesOf(storage);
    let failures = 0;
    const away =
      <Given extends unknown[], Result>(record: (...given: Given) => Promise<Result>) =>
      async (...given: Given) => {
        failures += 1;
        if (failures === 1) throw new Error("The connection was lost.");
        return record(...given);
      };
    const { record, recordMany } = deliveries;
    const one = serviceOn({ ...storage, deliveries: { ...deliveries, record: away(record), ...(recordMany && { recordMany: away(recordMany) }) } });
    const webhook = await register(one);
    await one.service.emit({ type: "report.ready", data: { number: 1 } });
    await untilTrue(async () => (await deliveries.counts(webhook)).succeeded === 1);
    const received = one.receiver.received.map(({ headers }) => [headers["webhook-id"], headers["webhook-attempt"]]);
    expect(received).toEqual([
      [received[0]?.[0], "1"],
      [received[0]?.[0], "2"],
    ]);
  });
});
