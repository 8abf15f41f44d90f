import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { createSecretBox } from "../../../../src/ground/secrets/secretBox.js";
import { Ladder, second } from "../delivery/ladder/ladderStage.js";
import { hookUrl, secrets, stageOn } from "../emissionStage.js";
import { post } from "../emissionWrites.js";
import { RoutesStage } from "./routesStage.js";

/** A webhook that was registered under a key that the service does not have any more. */
async function locked() {
  const stage = new RoutesStage();
  const { id } = await stage.register();
  const [dead = ""] = await stage.deliver(id, ["dead"]);
  const box = createSecretBox(["a secret that is gone by now"]);
  await stage.webhooks.update(id, { secret: box.seal("what nobody can read", id) });
  return { stage, id, dead };
}

describe("a webhook whose secret cannot be opened", () => {
  test.each([
    ["test", () => "test", {}],
    ["replay", (dead: string) => `deliveries/${dead}/replay`, {}],
    ["recover", () => "recover", { since: "2026-01-01T00:00:00Z" }],
  ])("is 409 SECRET_UNREADABLE on %s, sends nothing and makes nothing", async (_name, path, body) => {
    const { stage, id, dead } = await locked();
    const { status, json } = await stage.send({ method: "POST", target: `/webhooks/${id}/${path(dead)}`, body });
    expect([status, json.code, json.detail]).toEqual([409, "SECRET_UNREADABLE", expect.stringContaining("rotate-secret")]);
    expect(stage.transport.requests).toEqual([]);
    expect(await stage.deliveries.counts(id)).toMatchObject({ pending: 0, dead: 1 });
    expect(stage.warned).toHaveLength(1);
  });

  test("is shown, listed, changed and removed, and has a log", async () => {
    const { stage, id, dead } = await locked();
    const target = `/webhooks/${id}`;
    for (const path of ["", "/deliveries", `/deliveries/${dead}`]) expect((await stage.send({ target: target + path })).status).toBe(200);
    expect((await stage.send({ target: "/webhooks" })).status).toBe(200);
    expect((await stage.send({ method: "PATCH", target, body: { events: ["order.*"] } })).status).toBe(200);
    expect((await stage.send({ method: "DELETE", target })).status).toBe(204);
  });

  test("is mended by a rotation, which keeps no older secret that cannot be opened", async () => {
    const { stage, id } = await locked();
    const rotated = await stage.send({ method: "POST", target: `/webhooks/${id}/rotate-secret`, body: {} });
    expect([rotated.status, rotated.json.previousSecrets]).toEqual([200, []]);
    expect((await stage.send({ method: "POST", target: `/webhooks/${id}/test` })).json.outcome).toBe("success");
  });

  test("answers a registration that is repeated with 409, not 500", async () => {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    const key = { "idempotency-key": "0123456789abcdef" };
    const { idempotency } = memoryStorage({ clock });
    if (idempotency === undefined) throw new Error("The storage keeps no records.");
    let isLost = false;
    const complete: typeof idempotency.complete = async (...done) => {
      if (isLost) return idempotency.complete(...done);
      isLost = true;
      throw new Error("The process died.");
    };
    const stage = stageOn(storage, { idempotency: { store: { ...idempotency, complete } }, clock, timers: clock });
    const registration = { url: hookUrl, events: ["*"] };
    await stage.send(post("/webhooks", registration, key));
    const [webhook] = (await storage.webhooks?.list(undefined, undefined, 1)) ?? [];
    await storage.webhooks?.update(webhook?.id ?? "", { secret: createSecretBox(["a secret that is gone by now"]).seal("lost", webhook?.id ?? "") });
    clock.advance(200_000);
    const { status, json } = await stage.send(post("/webhooks", registration, key));
    expect([isLost, status, json.code]).toEqual([true, 409, "SECRET_UNREADABLE"]);
  });

  test("has one delivery after the other wait, without attempts, until the key is back", async () => {
    const first = new Ladder();
    const webhook = await first.listen();
    const { clock, storage } = first;
    for (let number = 0; number < 30; number++) await first.service.emit({ type: "report.ready", data: { number } }, storage);
    await first.service.close();
    const without = new Ladder({ clock, storage, secrets: ["quite another secret"] });
    await without.service.start();
    await without.settle();
    // Those that were claimed before the first was found out.
    expect(without.logged.length).toBeLessThanOrEqual(5);
    without.logged.length = 0;
    await without.pass(300 * second, second);
    expect(without.logged.length).toBeLessThanOrEqual(11);
    expect(without.logged.length).toBeGreaterThanOrEqual(9);
    expect(without.begun).toEqual([]);
    await without.service.close();
    const withBoth = new Ladder({ clock, storage, secrets: ["quite another secret", ...secrets] });
    await withBoth.service.start();
    await withBoth.pass(40 * second, second);
    const deliveries = await withBoth.deliveries(webhook);
    expect(deliveries.map(({ status, attemptCount }) => [status, attemptCount])).toEqual(Array(30).fill(["succeeded", 1]));
    await withBoth.service.close();
  });
});
