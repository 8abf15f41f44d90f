import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { createSecretBox } from "../../../../src/ground/secrets/secretBox.js";
import type { IdempotencyStore } from "../../../../src/ground/storage/idempotency.js";
import { hookUrl, register, secrets, stageOn } from "../emissionStage.js";
import { order, post } from "../emissionWrites.js";
import { RoutesStage } from "./routesStage.js";

const key = { "idempotency-key": "0123456789abcdef" };
const registration = { url: hookUrl, events: ["*"], secret: "hunter42 hunter42" };

function recordsOf({ idempotency }: Storage): IdempotencyStore {
  if (idempotency === undefined) throw new Error("The storage keeps no records.");
  return idempotency;
}

describe("the key of another request on an operation that answers with a secret", () => {
  test("is refused, and the other way round", async () => {
    const stage = stageOn(memoryStorage());
    expect((await stage.send(post("/orders", order(1), key))).status).toBe(201);
    const { status, json } = await stage.send(post("/webhooks", registration, key));
    expect([status, json.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);

    const other = { "idempotency-key": "abcdef0123456789" };
    const id = await register(stage, {}, other);
    const reused = [post("/orders", order(1), other), post("/webhooks", registration, other), post(`/webhooks/${id}/rotate-secret`, {}, other)];
    for (const request of reused) {
      expect([request.target, (await stage.send(request)).json.code]).toEqual([request.target, "IDEMPOTENCY_KEY_REUSED"]);
    }
  });
});

describe("the record of an operation that takes a secret", () => {
  /** Fingerprints that a service keeps of a request. */
  async function fingerprints(serviceSecret: string, target: string, body: object): Promise<readonly string[]> {
    const storage = memoryStorage();
    const kept: string[] = [];
    const records = recordsOf(storage);
    const begin: IdempotencyStore["begin"] = async (id, request) => {
      kept.push(request.fingerprint);
      return records.begin(id, request);
    };
    const stage = stageOn({ ...storage, idempotency: { ...records, begin } }, { secrets: [serviceSecret] });
    expect((await stage.send(post(target, body, key))).status).toBe(201);
    return kept;
  }

  const [one, another] = ["a secret of one service", "a secret of another service"];

  test("tells nobody without the service's secrets which it was", async () => {
    const [mine, theirs] = [await fingerprints(one, "/webhooks", registration), await fingerprints(another, "/webhooks", registration)];
    expect(mine).toHaveLength(1);
    expect(mine).not.toEqual(theirs);
    expect(await fingerprints(one, "/webhooks", registration)).toEqual(mine);
    expect(await fingerprints(one, "/webhooks", { ...registration, secret: "hunter43 hunter43" })).not.toEqual(mine);
    // Where there is nothing to try, nothing is hidden.
    expect(await fingerprints(one, "/orders", order(1))).toEqual(await fingerprints(another, "/orders", order(1)));
  });
});

describe("a rotation that is repeated since its record was lost", () => {
  test("gives the same secret, and leaves the one before it valid", async () => {
    const clock = new FakeClock();
    const [storage, elsewhere] = [memoryStorage({ clock }), recordsOf(memoryStorage({ clock }))];
    let isLost = false;
    const complete: IdempotencyStore["complete"] = async (...done) => {
      if (isLost) return elsewhere.complete(...done);
      isLost = true;
      throw new Error("The process died.");
    };
    const stage = stageOn(storage, { idempotency: { store: { ...elsewhere, complete } }, clock, timers: clock });
    const id = await register(stage, { secret: "what the receiver has" });
    const rotate = async () => stage.send(post(`/webhooks/${id}/rotate-secret`, {}, key));
    await rotate();
    expect(isLost).toBe(true);
    const box = createSecretBox(secrets);
    const opened = async () => {
      const { secret = "", previousSecrets = [] } = (await storage.webhooks?.get(id)) ?? {};
      return [secret, ...previousSecrets.map((previous) => previous.secret)].map((sealed) => box.open(sealed, id));
    };
    const first = await opened();
    clock.advance(200_000);
    const again = await rotate();
    expect([again.status, again.json.secret]).toEqual([200, first[0]]);
    expect(await opened()).toEqual([first[0], "what the receiver has"]);
    const other = await stage.send(post(`/webhooks/${id}/rotate-secret`, {}, { "idempotency-key": "abcdef0123456789" }));
    expect(other.json.secret).not.toBe(first[0]);
  });
});

describe("a rotation to the secret that is set already", () => {
  test("keeps the overlap, and ends it where that is asked for", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const rotate = async (overlapSeconds: number) => {
      const body = { secret: "chosen by the client itself", overlapSeconds };
      return (await stage.send(post(`/webhooks/${id}/rotate-secret`, body))).json.previousSecretUntil;
    };
    expect(await rotate(3_600)).toBe("2026-01-01T01:00:00.000Z");
    expect(await rotate(7_200)).toBe("2026-01-01T01:00:00.000Z");
    expect(await rotate(0)).toBeNull();
    expect((await stage.stored(id)).previousSecrets).toEqual([]);
    expect(await rotate(3_600)).toBeNull();
  });
});
