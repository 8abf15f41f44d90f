import { describe, expect, test } from "vitest";
import { verifyWebhook } from "../../src/webhooks/verify.js";
import { existing, RoutesStage } from "./routesStage.js";

const rotate = (id: string, body?: unknown, headers = {}) => ({ method: "POST", target: `/webhooks/${id}/rotate-secret`, body, headers });

/** Tests the webhook and says with which secrets a receiver can verify what came. */
async function believed(stage: RoutesStage, id: string, secrets: readonly string[]) {
  await stage.send({ method: "POST", target: `/webhooks/${id}/test` });
  const { headers, body: rawBody } = existing(stage.transport.requests.at(-1));
  const isBelieved = (secret: string, mode: "webhook-signature" | "x-signature") => {
    try {
      verifyWebhook({ headers, rawBody, secrets: [secret], now: stage.clock.now(), mode });
      return true;
    } catch {
      return false;
    }
  };
  return secrets.map((secret) => [isBelieved(secret, "webhook-signature"), isBelieved(secret, "x-signature")]);
}

describe("POST /webhooks/{id}/rotate-secret", () => {
  test("answers the new secret once, and signs with both until the overlap ends", async () => {
    const stage = new RoutesStage();
    const { id, secret: old } = await stage.register();
    const { status, headers, json } = await stage.send(rotate(id));
    expect([status, headers["cache-control"], json.previousSecretUntil]).toEqual([200, "no-store", "2026-01-02T00:00:00.000Z"]);
    expect([json.secret, json.verificationSecret]).toEqual([expect.stringMatching(/^whsec_/), json.secret]);
    expect(json.secret).not.toBe(old);
    expect(await believed(stage, id, [json.secret, old])).toEqual([
      [true, false],
      [true, true],
    ]);
    stage.clock.advance(86_400_000);
    expect(await believed(stage, id, [json.secret, old])).toEqual([
      [true, true],
      [false, false],
    ]);
    const shown = await stage.send({ target: `/webhooks/${id}` });
    expect([shown.json.previousSecretUntil, "secret" in shown.json]).toEqual([null, false]);
  });

  test("takes the client's own secret, and ends the old one at once where that is known to others", async () => {
    const stage = new RoutesStage();
    const { id, secret: old } = await stage.register();
    const secret = "chosen by the client";
    const { json } = await stage.send(rotate(id, { secret, overlapSeconds: 0 }));
    expect([json.secret, json.secretHint, json.previousSecretUntil]).toEqual([secret, "…nt", null]);
    expect(await believed(stage, id, [secret, old])).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(stage.warned).toHaveLength(1);
  });

  test.each([
    [{ secret: "short" }, "WEAK_SECRET", "/secret"],
    [{ overlapSeconds: -1 }, "VALIDATION_FAILED", "/overlapSeconds"],
    [{ overlapSeconds: 604_801 }, "VALIDATION_FAILED", "/overlapSeconds"],
    [{ overlapSeconds: 1.5 }, "VALIDATION_FAILED", "/overlapSeconds"],
    [{ overlapSeconds: "60" }, "VALIDATION_FAILED", "/overlapSeconds"],
    [{ overlap: 60 }, "VALIDATION_FAILED", "/overlap"],
    [[], "VALIDATION_FAILED", ""],
  ])("refuses %j with %s at %j", async (body, code, pointer) => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const { secret } = await stage.stored(id);
    const { status, json } = await stage.send(rotate(id, body));
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, code, pointer]);
    expect((await stage.stored(id)).secret).toBe(secret);
  });

  test("is refused under an If-Match of another state", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const { status } = await stage.send(rotate(id, {}, { "if-match": '"other"' }));
    expect(status).toBe(412);
  });
});
