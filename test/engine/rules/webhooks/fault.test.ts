import { defineResource, ProblemError, type ScopeAnswer } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { Ladder, second } from "../../../capabilities/webhooks/delivery/ladder/ladderStage.js";

type Answer = ScopeAnswer<{ id: number }>;

/** A webhook of the anonymous principal, and a scope that answers what the test wants, on a clock that moves only when it is told to. */
async function setUp(rule: () => Answer | Promise<Answer>) {
  const asked = { count: 0, rule };
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int() }),
    generated: { id: "increment" },
    scope: () => {
      asked.count += 1;
      return asked.rule();
    },
  });
  const ladder = new Ladder({ resources: [notes] });
  await ladder.listen();
  const emit = async (id: number) => {
    await ladder.service.emit({ type: "report.ready", data: { id }, of: { collection: "notes", row: { id } } });
    await ladder.settle();
  };
  return { ladder, asked, emit };
}

const failure = "Asking what the owner of a webhook may read failed; its deliveries wait.";

const faults: readonly (readonly [string, () => Answer | Promise<Answer>])[] = [
  ["throws", () => Promise.reject(new Error("The directory does not answer."))],
  [
    "throws at once",
    () => {
      throw new Error("The directory does not answer.");
    },
  ],
  ["answers undefined", () => undefined as unknown as Answer],
  ["answers an empty where", () => ({})],
  [
    "is unavailable",
    () => {
      throw new ProblemError("SHUTTING_DOWN", "The directory is shutting down.");
    },
  ],
];

test.each(faults)("a scope that %s is asked again after half a minute, once for all deliveries, and logged once each time", async (_name, rule) => {
  const { ladder, asked, emit } = await setUp(rule);
  await emit(1);
  await emit(2);
  expect([ladder.receiver.received.length, asked.count, ladder.logged]).toEqual([0, 1, [failure]]);
  await ladder.advance(29 * second);
  expect(asked.count).toBe(1);
  await ladder.advance(second);
  expect([ladder.receiver.received.length, asked.count, ladder.logged]).toEqual([0, 2, [failure, failure]]);
  asked.rule = () => true;
  await ladder.advance(30 * second);
  expect(ladder.receiver.received.map(({ headers }) => headers["webhook-attempt"])).toEqual(["1", "1"]);
  expect([asked.count, (await ladder.health()).consecutiveFailures]).toEqual([3, 0]);
  await ladder.service.close();
});

test("a scope that does not answer counts as failed after 10 seconds", async () => {
  const { ladder, asked, emit } = await setUp(() => new Promise(() => {}));
  await emit(1);
  await ladder.advance(9 * second);
  expect(ladder.logged).toEqual([]);
  await ladder.advance(second);
  expect(ladder.logged).toEqual([failure]);
  asked.rule = () => true;
  await ladder.advance(30 * second);
  expect(ladder.receiver.received).toHaveLength(1);
  await ladder.service.close();
});

test.each(["FORBIDDEN", "NOT_FOUND", "UNAUTHENTICATED"] as const)("a scope that refuses with %s drops the delivery", async (code) => {
  const { ladder, emit } = await setUp(() => {
    throw new ProblemError(code, "You may not.");
  });
  await emit(1);
  expect([ladder.receiver.received, ladder.logged, await ladder.storage.deliveries?.dueInMs(9)]).toEqual([[], [], undefined]);
  await ladder.service.close();
});
