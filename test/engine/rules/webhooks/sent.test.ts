import { expect, test } from "vitest";
import { canary, describeHooks, type HookStage, until } from "./hookStage.js";

const fails = { status: 500 };
const works = { status: 200 };

/** Makes the first attempt fail and waits for it, while later ones have to wait for `aheadMs` of the receiver. */
async function failOnce(stage: HookStage, then: () => void | Promise<void>): Promise<void> {
  stage.receiver.answer = async ({ headers }) => {
    if (headers["webhook-attempt"] !== "1") return works;
    await then();
    return fails;
  };
}

describeHooks("an event is sent to those who may read its row", (on) => {
  test(
    "each subscriber gets the events of its own rows, and an administrator all",
    on(async (stage) => {
      for (const who of ["ann", "bob", "root"]) await stage.listen(who);
      const id = await stage.create("ann", "/notes", { text: "own", ownerId: "ann" });
      await stage.create("bob", "/notes", { text: "other", ownerId: "bob" });
      await stage.as("ann", "PATCH", `/notes/${id}`, { text: "changed" });
      await stage.as("ann", "DELETE", `/notes/${id}`);
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["note.changed changed", "note.created own", "note.removed changed"]);
      expect(stage.heard("bob")).toEqual(["note.created other"]);
      expect(stage.heard("root")).toHaveLength(4);
    }),
  );

  test(
    "a row that was outside of the scope when it was written leaves nothing behind: no attempt, no delivery, no failure",
    on(async (stage) => {
      const hook = await stage.listen("ann");
      await stage.create("bob", "/notes", { text: "other", ownerId: "bob" });
      await stage.settle();
      expect(stage.receiver.received).toEqual([]);
      expect(await stage.log("ann", hook)).toEqual([]);
      expect(await stage.log("root", hook)).toEqual([]);
      expect(await stage.storage.deliveries?.counts(hook)).toEqual({ pending: 0, sending: 0, succeeded: 0, dead: 0, canceled: 0 });
      expect((await stage.as("ann", "GET", `/webhooks/${hook}`)).json).toMatchObject({ active: true, consecutiveFailures: 0 });
      expect(stage.logged).toEqual([]);
    }),
  );

  test(
    "a row that leaves the scope is not announced; one that comes into it is",
    on(async (stage) => {
      const id = await stage.create("root", "/notes", { text: "first", ownerId: "ann" });
      await stage.listen("ann");
      await stage.listen("bob");
      await stage.as("root", "PATCH", `/notes/${id}`, { text: "second", ownerId: "bob" });
      await stage.settle();
      expect(stage.heard("ann")).toEqual([]);
      expect(stage.heard("bob")).toEqual(["note.changed second"]);
    }),
  );

  test(
    "a scope that is taken away between two attempts ends the delivery without a further attempt",
    on(async (stage) => {
      const hook = await stage.listen("ann");
      await failOnce(stage, () => {
        stage.rule = () => false;
        stage.aheadMs += 60_000;
      });
      await stage.create("root", "/notes", { text: "own", ownerId: "ann" });
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["note.created own"]);
      expect(await stage.log("root", hook)).toMatchObject([{ status: "canceled", attemptCount: 1 }]);
      const [delivery] = await stage.log("root", hook);
      expect((await stage.as("root", "GET", `/webhooks/${hook}/deliveries/${delivery.id}`)).json).toMatchObject({
        attempts: [{ n: 1, status: 500 }],
        event: null,
      });
      expect((await stage.as("ann", "GET", `/webhooks/${hook}`)).json).toMatchObject({ active: true, consecutiveFailures: 1 });
    }),
  );

  test(
    "an answer is used for a minute, and no longer",
    on(async (stage) => {
      await stage.listen("ann");
      stage.asked.length = 0;
      const create = async (text: string) => {
        await stage.service.emit({ type: "note.created", data: { text }, of: { collection: "notes", row: { id: 1, text, ownerId: "ann" } } });
        await stage.settle();
      };
      await create("one");
      stage.rule = () => false;
      stage.aheadMs += 59_000;
      await create("two");
      expect(stage.asked.map(({ action, when }) => [action, when])).toEqual([["read", "before"]]);
      stage.aheadMs += 1_100;
      await create("three");
      expect(stage.heard("ann")).toEqual(["note.created one", "note.created two"]);
      expect(stage.asked).toHaveLength(2);
    }),
  );

  test(
    "the write does not ask the scopes of subscribers",
    on(
      async (stage) => {
        await stage.listen("bob");
        stage.asked.length = 0;
        await stage.create("root", "/notes", { text: "x", ownerId: "root" });
        expect(new Set(stage.asked.map(({ principal }) => principal.id))).toEqual(new Set(["root"]));
        expect(await stage.storage.deliveries?.depth?.(10)).toBe(1);
      },
      { webhooks: { work: false } },
    ),
  );

  test(
    "dates, 64-bit integers and hidden fields are judged as they are stored, and never sent",
    on(async (stage) => {
      const size = 9_007_199_254_740_993n;
      stage.rule = ({ principal }) =>
        principal.id === "root" || { secret: canary, size, due: { gte: new Date("2026-01-01T00:00:00Z"), lt: new Date("2026-01-01T00:00:01Z") } };
      const hook = await stage.listen("ann");
      await stage.create("root", "/notes", { text: "in", ownerId: "x", due: "2026-01-01T00:00:00.500Z", size: String(size) });
      await stage.create("root", "/notes", { text: "late", ownerId: "x", due: "2026-01-01T00:00:01.000Z", size: String(size) });
      await stage.create("root", "/notes", { text: "small", ownerId: "x", due: "2026-01-01T00:00:00.500Z", size: "9007199254740992" });
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["note.created in"]);
      const [{ id }] = await stage.log("ann", hook);
      const shown = [await stage.as("ann", "GET", `/webhooks/${hook}`), await stage.as("ann", "GET", `/webhooks/${hook}/deliveries/${id}`)];
      expect(shown[1]?.json.event.data.text).toBe("in");
      for (const { text } of shown) expect(text).not.toMatch(/canary|ownerId|"principal"|subject/);
      for (const { body, headers } of stage.receiver.received) {
        expect(Buffer.from(body).toString() + JSON.stringify(headers)).not.toMatch(/canary|ownerId/);
      }
    }),
  );

  test(
    "a scope that fails postpones the attempt, and nothing is sent or counted",
    on(async (stage) => {
      const hook = await stage.listen("ann");
      stage.rule = ({ principal }) => (principal.id === "root" ? true : ({} as { id: number }));
      await stage.create("root", "/notes", { text: "one", ownerId: "ann" });
      await stage.create("root", "/notes", { text: "two", ownerId: "ann" });
      const failure = "Asking what the owner of a webhook may read failed; its deliveries wait.";
      await until(() => stage.messages("error").includes(failure));
      // In this order: both were claimed and released again.
      await until(async () => (await stage.storage.deliveries?.dueInMs(100)) !== 0 && (await stage.storage.deliveries?.counts(hook))?.pending === 2);
      expect(stage.messages("error")).toEqual([failure]);
      expect(await stage.storage.deliveries?.counts(hook)).toMatchObject({ pending: 2, dead: 0 });
      expect(stage.receiver.received).toEqual([]);
      expect((await stage.as("ann", "GET", `/webhooks/${hook}`)).json).toMatchObject({ consecutiveFailures: 0 });
    }),
  );

  test(
    "events of collections without a scope ask nothing and store no row",
    on(async (stage) => {
      const hook = await stage.listen("ann", { events: ["open.*"] });
      stage.asked.length = 0;
      await stage.create("bob", "/open", { text: "free" });
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["open.created free"]);
      const [delivery] = (await stage.storage.deliveries?.list({ webhook: hook, limit: 1 })) ?? [];
      expect((await stage.storage.deliveries?.event(delivery?.event ?? ""))?.subject).toBeUndefined();
      expect(stage.asked).toEqual([]);
    }),
  );

  test(
    "a scope of the parent is judged with the parent as it is when the event is sent",
    on(async (stage) => {
      for (const who of ["ann", "bob"]) await stage.listen(who, { events: ["card.*"] });
      const board = await stage.create("root", "/boards", { ownerId: "ann" });
      await failOnce(stage, async () => {
        await stage.as("root", "PATCH", `/boards/${board}`, { ownerId: "bob" });
      });
      await stage.create("root", "/cards", { text: "card", boardId: board });
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["card.created card"]);
    }),
  );
});
