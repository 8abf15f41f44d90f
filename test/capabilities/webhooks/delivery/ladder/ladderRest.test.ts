import { describe, expect, test } from "vitest";
import { day, hour, Ladder, minute, second } from "./ladderStage.js";

const start = Date.UTC(2026, 0, 1);
const latencyMs = 5 * second;

/** What a receiver asks for, how long the delivery then waits from the end of the attempt, and for how long nothing else is sent. */
const asked = [
  { retryAfter: "120", waitsMs: 2 * minute, restsMs: 2 * minute },
  { retryAfter: "Thu, 01 Jan 2026 00:10:05 GMT", waitsMs: 10 * minute, restsMs: 10 * minute },
  { retryAfter: "7200", waitsMs: 2 * hour, restsMs: hour },
  { retryAfter: "1000000000", waitsMs: day, restsMs: hour },
  { retryAfter: "99999999999999999999999999", waitsMs: day, restsMs: hour },
  { retryAfter: "10", waitsMs: minute, restsMs: 10 * second },
  { retryAfter: "-5", waitsMs: minute, restsMs: undefined },
  { retryAfter: "1e9", waitsMs: minute, restsMs: undefined },
  { retryAfter: "1.5", waitsMs: minute, restsMs: undefined },
  { retryAfter: "soon", waitsMs: minute, restsMs: undefined },
  { retryAfter: "", waitsMs: minute, restsMs: undefined },
  { retryAfter: "Wed, 31 Dec 2025 23:59:59 GMT", waitsMs: minute, restsMs: undefined },
  { retryAfter: undefined, waitsMs: minute, restsMs: undefined },
];

async function askedBy(answer: { readonly status: number; readonly retryAfter?: string | undefined }) {
  const ladder = new Ladder();
  ladder.latencyMs = latencyMs;
  ladder.answers = [answer];
  await ladder.listen();
  await ladder.emit();
  await ladder.advance(latencyMs);
  const { nextAttemptAt } = await ladder.delivery();
  const { pausedUntil } = await ladder.health();
  await ladder.service.close();
  const sinceTheEnd = (time: string | null) => (time === null ? undefined : Date.parse(time) - start - latencyMs);
  return { waitsMs: sinceTheEnd(nextAttemptAt), restsMs: sinceTheEnd(pausedUntil) };
}

describe.each([429, 503])("a %i", (status) => {
  test.each(asked)("with Retry-After: $retryAfter", async ({ retryAfter, ...expected }) => {
    expect(await askedBy({ status, retryAfter })).toEqual(expected);
  });
});

test.each([408, 500, 502])("a %i with Retry-After makes its own delivery wait, and no other", async (status) => {
  expect(await askedBy({ status, retryAfter: "600" })).toEqual({ waitsMs: 10 * minute, restsMs: undefined });
});

describe("while a webhook rests", () => {
  test("what waits uses no attempts, and then comes one at a time, faster with each success", async () => {
    const ladder = new Ladder({ webhooks: { perWebhook: 1 } });
    ladder.answers = [{ status: 503, retryAfter: "1800" }];
    await ladder.listen();
    await ladder.emit(20);
    const states = async () => (await ladder.deliveries()).map(({ status, attemptCount }) => `${status} ${attemptCount}`);
    expect(await states()).toEqual(["pending 1", ...Array<string>(19).fill("pending 0")]);
    await ladder.emit();
    await ladder.pass(30 * minute - 1, minute);
    expect(ladder.begun).toHaveLength(1);
    ladder.answers = [{ status: 200 }];
    await ladder.advance(1);
    await ladder.settle();
    expect(await states()).toEqual(["succeeded 2", ...Array<string>(20).fill("succeeded 1")]);
    expect((await ladder.health()).pausedUntil).toBeNull();
    await ladder.service.close();
  });

  test("the limit grows from one to what it was", async () => {
    const ladder = new Ladder({ webhooks: { perWebhook: 4 } });
    ladder.answers = [{ status: 429, retryAfter: "60" }];
    await ladder.listen();
    await ladder.emit();
    ladder.answers = [{ status: 200 }];
    ladder.latencyMs = second;
    await ladder.emit(20);
    await ladder.advance(minute);
    const inFlight = [ladder.begun.length - 1];
    for (let step = 0; step < 5; step++) {
      const before = ladder.begun.length;
      await ladder.advance(second);
      inFlight.push(ladder.begun.length - before);
    }
    ladder.latencyMs = 0;
    await ladder.advance(second);
    // The ones that succeed together let the limit grow by one each, and never above what the option says.
    expect(inFlight).toEqual([1, 2, 4, 4, 4, 4]);
    await ladder.service.close();
  });

  test("others are told as ever", async () => {
    const ladder = new Ladder();
    await ladder.listen({ url: "https://busy.test/" });
    const other = await ladder.listen({ url: "https://other.test/" });
    ladder.receiver.answer = ({ url }) => (url.host === "busy.test" ? { status: 429, retryAfter: "3600" } : { status: 200 });
    await ladder.emit(3);
    expect((await ladder.deliveries(other)).map(({ status }) => status)).toEqual(["succeeded", "succeeded", "succeeded"]);
    await ladder.service.close();
  });
});
