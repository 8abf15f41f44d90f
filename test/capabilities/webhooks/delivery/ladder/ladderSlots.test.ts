import { describe, expect, test } from "vitest";
import { hookUrl, register } from "../../emissionStage.js";
import { Ladder, second } from "./ladderStage.js";

/** A service with so many webhooks that never answer, and one that does. */
async function hanging(hooks: number, options: object): Promise<{ readonly ladder: Ladder; readonly sent: () => readonly string[] }> {
  const ladder = new Ladder({ webhooks: options });
  const sent: string[] = [];
  ladder.receiver.answer = ({ url }) => {
    sent.push(url.pathname);
    return url.pathname === "/fine" ? { status: 200 } : new Promise(() => {});
  };
  for (let number = 0; number < hooks; number++) await ladder.listen({ url: new URL(`/hang${number}`, hookUrl).href });
  await register(ladder, { url: new URL("/fine", hookUrl).href, events: ["report.*"] });
  return { ladder, sent: () => sent };
}

/** Ends the attempts that are under way with the service. */
async function end(ladder: Ladder): Promise<void> {
  const closed = ladder.service.close({ graceMs: 0 });
  await ladder.advance(2 * second);
  await closed;
}

describe("slots", () => {
  test("an attempt that only waits makes room after 250 ms", async () => {
    const { ladder, sent } = await hanging(2, { concurrency: 2 });
    await ladder.emit();
    // Attempts begin in turns of the event loop: which of them is sent first is not promised.
    expect(sent().toSorted()).toEqual(["/hang0", "/hang1"]);
    await ladder.advance(249);
    expect(sent()).toHaveLength(2);
    await ladder.advance(1);
    expect(sent().toSorted()).toEqual(["/fine", "/hang0", "/hang1"]);
    await ladder.emit();
    expect(sent().filter((path) => path === "/fine")).toHaveLength(2);
    await end(ladder);
  });

  test("no more attempts wait than there may", async () => {
    const { ladder, sent } = await hanging(30, { concurrency: 10, waiting: 10 });
    await ladder.emit();
    await ladder.pass(20 * second, 250);
    // Half of all for the one tenant that there is.
    expect(sent()).toHaveLength(10);
    await end(ladder);
  });

  test("webhooks whose last attempt timed out get a tenth of those that wait", async () => {
    const { ladder, sent } = await hanging(20, { concurrency: 10, waiting: 100, perWebhook: 1, scheduleMs: [0, 1_000] });
    const answer = ladder.receiver.answer;
    ladder.receiver.answer = (request) => (request.url.pathname === "/fine" ? { status: 200 } : { errorCode: "TIMEOUT" });
    await ladder.emit();
    await ladder.settle();
    ladder.receiver.answer = answer;
    await ladder.pass(3 * second, 250);
    expect(sent().filter((path) => path !== "/fine")).toHaveLength(10);
    await ladder.emit();
    expect(sent()).toContain("/fine");
    await end(ladder);
  });
});
