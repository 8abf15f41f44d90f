import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { endedJob, jobOf } from "../batchJobStage.js";
import { batchKinds, makeRows, usersAfter } from "../batchKinds.js";
import { as, openShop, shopAuth, strict } from "../batchShop.js";

const key = { "idempotency-key": "0123456789abcdef" };
const items = [{ name: "Ada", email: "a@example.org" }, { name: "" }, { name: "Eve", email: "a@example.org" }];

describe.each(storagePlaces)("a batch under an Idempotency-Key on %s", (_, place) => {
  test.each(batchKinds)("$name are replayed byte for byte", async ({ request, needsRows, after }) => {
    const { send, service } = openShop({ storage: (await place()).open() });
    if (needsRows) await makeRows(send);
    const keyed = { ...request, headers: key };
    const first = await send(keyed);
    const again = await send(keyed);
    expect([first.status, first.headers["idempotent-replayed"]]).toEqual([200, undefined]);
    expect([again.status, again.text, again.headers["idempotent-replayed"]]).toEqual([200, first.text, "true"]);
    expect((await usersAfter(send)).users).toEqual(after);
    await service.close();
  });

  test.each([
    ["lenient", 207, 1],
    ["strict", 422, 0],
  ])("that is %s is replayed with its failures: %i", async (mode, status, count) => {
    const { send, service } = openShop({ storage: (await place()).open() });
    const request = { method: "POST", target: "/users/batch", body: { items }, headers: { ...key, prefer: `handling=${mode}` } };
    const first = await send(request);
    const again = await send(request);
    expect([first.status, again.status, again.text]).toEqual([status, status, first.text]);
    expect(again.headers).toMatchObject({ "idempotent-replayed": "true", "preference-applied": `handling=${mode}` });
    expect((await usersAfter(send)).users).toHaveLength(count);
    await service.close();
  });

  test("says at a replay too that its answer depends on Prefer, and so does a dry run", async () => {
    const { send, service } = openShop({ storage: (await place()).open() });
    const request = { method: "POST", target: "/users/batch", body: { items }, headers: { ...key, ...strict } };
    const answers = [await send(request), await send(request)];
    const dry = { method: "POST", target: "/users/bulk-update?name=Ada&dryRun=true", body: { quantity: 1 } };
    answers.push(await send({ ...dry, headers: strict }), await send({ method: "DELETE", target: "/users?name=Ada&dryRun=true" }));
    expect(answers.map(({ status, headers }) => [status, headers["idempotent-replayed"], headers["vary"]])).toEqual([
      [422, undefined, "Prefer"],
      [422, "true", "Prefer"],
      [200, undefined, "Prefer"],
      [200, undefined, "Prefer"],
    ]);
    await service.close();
  });

  test("and respond-async is one job, however often it is asked for", async () => {
    const { send, service } = openShop({ storage: (await place()).open() });
    const request = { method: "POST", target: "/users/batch", body: { items }, headers: { ...key, prefer: "respond-async" } };
    const answers = [await send(request), await send(request)];
    const [first, again] = answers.map(jobOf);
    expect(again).toBe(first);
    await endedJob(send, String(first));
    const third = await send(request);
    expect([jobOf(third), third.text, third.headers["idempotent-replayed"]]).toEqual([first, answers[0]?.text, "true"]);
    expect((await usersAfter(send)).users).toHaveLength(1);
    await service.close();
  });
});

describe("a key", () => {
  const post = { method: "POST", target: "/users/batch", headers: key };

  test("with another body, another mode of path, or another order is 422 IDEMPOTENCY_KEY_REUSED", async () => {
    const { send } = openShop();
    await send({ ...post, body: { items } });
    for (const other of [
      { body: { items: items.toReversed() } },
      { body: { items: items.slice(1) } },
      { target: "/batch", body: { operations: items } },
    ]) {
      const reused = await send({ ...post, ...other });
      expect([reused.status, reused.json.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    }
  });

  test("is each caller's own", async () => {
    const { send } = openShop({ auth: shopAuth });
    for (const name of ["clerk", "admin", "other"]) {
      const answer = await send({ ...post, body: { items: [{ name }] }, headers: { ...key, ...as(name) } });
      expect([answer.status, answer.headers["idempotent-replayed"]]).toEqual([200, undefined]);
    }
  });

  test("is free again after a batch that was refused", async () => {
    const { send } = openShop();
    expect((await send({ ...post, body: { items: [] } })).status).toBe(400);
    expect((await send({ ...post, body: { items: Array.from({ length: 1_001 }, () => ({ name: "n" })) } })).status).toBe(413);
    expect((await send({ ...post, body: { items: [{ name: "Ada" }] } })).status).toBe(200);
  });

  test("does not keep a 5xx: the next try is done", async () => {
    const storage = memoryStorage();
    const transaction: NonNullable<Storage["transaction"]> = (run, options) =>
      storage.transaction === undefined ? Promise.reject(new Error("No transactions.")) : storage.transaction(run, options);
    let isDown = true;
    const flaky: Storage = {
      ...storage,
      transaction: (run, options) => (isDown ? Promise.reject(new Error("down")) : transaction(run, options)),
    };
    const { send } = openShop({ storage: flaky });
    for (const mode of ["strict", "lenient"]) {
      isDown = true;
      const request = {
        ...post,
        body: { items: [{ name: mode }] },
        headers: { "idempotency-key": `0123456789-${mode}`, prefer: `handling=${mode}` },
      };
      expect((await send(request)).status).toBe(500);
      isDown = false;
      const answer = await send(request);
      expect([answer.status, answer.headers["idempotent-replayed"]]).toEqual([200, undefined]);
    }
    expect((await usersAfter(send)).users).toHaveLength(2);
  });

  test("is kept for a week, since any batch may go on as a job", async () => {
    const clock = new FakeClock();
    const { send } = openShop({ storage: memoryStorage({ clock }), clock, timers: clock });
    const now = { ...post, body: { items: [{ name: "now" }] } };
    const later = { ...post, body: { items: [{ name: "later" }] }, headers: { "idempotency-key": "later-0123456789", prefer: "respond-async" } };
    await send(now);
    const target = jobOf(await send(later));
    await endedJob(send, target);
    clock.advance((7 * 24 - 1) * 3_600_000);
    expect((await send(now)).headers["idempotent-replayed"]).toBe("true");
    const again = await send(later);
    expect([jobOf(again), again.headers["idempotent-replayed"]]).toEqual([target, "true"]);
    clock.advance(2 * 3_600_000);
    expect((await send(now)).headers["idempotent-replayed"]).toBe(undefined);
    expect(jobOf(await send(later))).not.toBe(target);
  });

  test("of an atomic batch that the storage cannot do is 501 each time", async () => {
    const { transaction: _, ...storage } = memoryStorage();
    const { send } = openShop({ storage });
    const request = { ...post, body: { items: [{ name: "Ada" }] }, headers: { ...key, ...strict } };
    for (let time = 0; time < 2; time++) {
      const answer = await send(request);
      expect([answer.status, answer.headers["idempotent-replayed"]]).toEqual([501, undefined]);
    }
  });
});
