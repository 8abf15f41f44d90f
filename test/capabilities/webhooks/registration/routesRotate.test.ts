import { describe, expect, test } from "vitest";
import { verifyWebhook } from "../../../../src/capabilities/webhooks/signing/verify.js";
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

  test("a second rotation inside an overlap, as after a lost answer, leaves the first secret valid to its own end", async () => {
    const stage = new RoutesStage();
    const hour = 3_600_000;
    const { id, secret: first } = await stage.register();
    const { json: lost } = await stage.send(rotate(id, { overlapSeconds: 7_200 }));
    stage.clock.advance(hour / 2);
    const { json: last } = await stage.send(rotate(id, { overlapSeconds: 3_600 }));
    const secrets: readonly string[] = [last.secret, lost.secret, first];
    expect(last.previousSecretUntil).toBe("2026-01-01T02:00:00.000Z");
    expect(last.previousSecrets).toEqual([
      { secretHint: lost.secretHint, until: "2026-01-01T01:30:00.000Z" },
      { secretHint: `…${first.replace(/=+$/, "").slice(-4)}`, until: "2026-01-01T02:00:00.000Z" },
    ]);
    expect(await believed(stage, id, secrets)).toEqual([
      [true, false],
      [true, false],
      [true, true],
    ]);
    // The secret of the lost answer was set later, and ends earlier.
    stage.clock.advance(hour);
    expect(await believed(stage, id, secrets)).toEqual([
      [true, false],
      [false, false],
      [true, true],
    ]);
    stage.clock.advance(hour / 2);
    expect(await believed(stage, id, secrets)).toEqual([
      [true, true],
      [false, false],
      [false, false],
    ]);
  });

  test("five older secrets are valid at most, the oldest goes first", async () => {
    const stage = new RoutesStage();
    const { id, secret } = await stage.register();
    const secrets: string[] = [secret];
    for (let turn = 0; turn < 6; turn++) secrets.unshift((await stage.send(rotate(id))).json.secret);
    expect((await stage.stored(id)).previousSecrets).toHaveLength(5);
    const dropped = [false, false];
    expect(await believed(stage, id, secrets)).toEqual([...Array(5).fill([true, false]), [true, true], dropped]);
  });

  test("an overlap of 0 ends all older secrets at once", async () => {
    const stage = new RoutesStage();
    const { id, secret: first } = await stage.register();
    const { secret: second } = (await stage.send(rotate(id))).json;
    const { json } = await stage.send(rotate(id, { overlapSeconds: 0 }));
    expect([json.previousSecretUntil, json.previousSecrets, (await stage.stored(id)).previousSecrets]).toEqual([null, [], []]);
    const dead = [false, false];
    expect(await believed(stage, id, [json.secret, second, first])).toEqual([[true, true], dead, dead]);
  });

  test("back to a secret that is still valid: it signs once, and X-Signature stays with it", async () => {
    const stage = new RoutesStage();
    const supplied = ["the first of two secrets", "the second of two secrets"];
    const { id } = await stage.register({ secret: supplied[0] });
    for (const secret of [supplied[1], supplied[0]]) await stage.send(rotate(id, { secret }));
    expect(await believed(stage, id, supplied)).toEqual([
      [true, true],
      [true, false],
    ]);
    expect(existing(stage.transport.requests.at(-1)).headers["webhook-signature"]?.split(" ")).toHaveLength(2);
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
