import { expect, test } from "vitest";
import { describeHooks, type HookStage, until } from "./hookStage.js";

/** A webhook of ann with one delivery that has failed for good. */
async function withDead(stage: HookStage): Promise<{ readonly hook: string; readonly dead: string }> {
  const hook = await stage.listen("ann");
  stage.receiver.answer = () => ({ status: 400 });
  await stage.create("root", "/notes", { text: "own", ownerId: "ann" });
  await stage.settle();
  stage.receiver.answer = () => ({ status: 200 });
  const [{ id, status }] = await stage.log("ann", hook);
  expect(status).toBe("dead");
  return { hook, dead: id };
}

/** Takes all rights away; the answers that were kept end. */
function takeAway(stage: HookStage): void {
  stage.rule = ({ principal }) => principal.id === "root";
  stage.aheadMs += 60_000;
}

async function recover(stage: HookStage, hook: string) {
  const { json, status } = await stage.as("ann", "POST", `/webhooks/${hook}/recover`, { since: new Date(Date.now() - 3_600_000).toISOString() });
  expect(status).toBe(202);
  const job = async () => (await stage.as("ann", "GET", `/jobs/${json.id}`)).json;
  await until(async () => (await job()).status === "completed");
  return job();
}

describeHooks("an event that is sent again", (on) => {
  test(
    "is replayed and recovered for an owner who may still read its row",
    on(async (stage) => {
      const { hook, dead } = await withDead(stage);
      expect((await stage.as("ann", "POST", `/webhooks/${hook}/deliveries/${dead}/replay`)).status).toBe(202);
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["note.created own", "note.created own"]);
    }),
  );

  test(
    "is not replayed after the scope was taken away",
    on(async (stage) => {
      const { hook, dead } = await withDead(stage);
      takeAway(stage);
      const answer = await stage.as("ann", "POST", `/webhooks/${hook}/deliveries/${dead}/replay`);
      expect([answer.status, answer.json.code]).toEqual([403, "FORBIDDEN"]);
      expect(await stage.log("ann", hook)).toHaveLength(1);
      expect((await stage.as("ann", "GET", `/webhooks/${hook}/deliveries/${dead}`)).json.event).toBeNull();
      expect(stage.heard("ann")).toHaveLength(1);
    }),
  );

  test(
    "is dropped if the scope is taken away between the replay and its attempt",
    on(async (stage) => {
      const { hook, dead } = await withDead(stage);
      expect(await stage.storage.deliveries?.replay([{ id: "again", of: dead }])).toEqual(["again"]);
      takeAway(stage);
      await stage.settle();
      expect(await stage.log("ann", hook)).toHaveLength(1);
      expect(await stage.storage.deliveries?.get("again")).toBeUndefined();
    }),
  );

  test(
    "is recovered only if its row is still in the scope, and not counted otherwise",
    on(async (stage) => {
      const { hook } = await withDead(stage);
      stage.receiver.answer = () => ({ status: 400 });
      await stage.create("root", "/notes", { text: "second", ownerId: "ann" });
      await stage.settle();
      stage.receiver.answer = () => ({ status: 200 });
      stage.rule = ({ principal }) => principal.id === "root" || { text: "second" };
      stage.aheadMs += 60_000;
      expect(await recover(stage, hook)).toMatchObject({ result: { replayed: 1 }, processedRows: 1 });
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["note.created own", "note.created second", "note.created second"]);
    }),
  );

  test(
    "is judged with the removed row as it was last",
    on(async (stage) => {
      const id = await stage.create("root", "/notes", { text: "own", ownerId: "ann" });
      const hook = await stage.listen("ann");
      stage.receiver.answer = () => ({ status: 400 });
      await stage.as("root", "DELETE", `/notes/${id}`);
      await stage.settle();
      stage.receiver.answer = () => ({ status: 200 });
      expect(await recover(stage, hook)).toMatchObject({ result: { replayed: 1 } });
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["note.removed own", "note.removed own"]);
    }),
  );
});

describeHooks("the log of a webhook", (on) => {
  test(
    "does not list a delivery that was not attempted and whose row the caller may not read",
    on(
      async (stage) => {
        const hook = await stage.listen("ann");
        for (const ownerId of ["bob", "ann", "bob", "bob", "ann", "bob"]) await stage.create("root", "/notes", { text: ownerId, ownerId });
        const path = `/webhooks/${hook}/deliveries`;
        const first = (await stage.as("ann", "GET", `${path}?perPage=1`)).json;
        expect(first.data).toHaveLength(1);
        const next = (await stage.as("ann", "GET", `${path}?perPage=1&cursor=${first.meta.nextCursor}`)).json;
        expect([next.data.length, next.meta.nextCursor]).toEqual([1, null]);
        expect((await stage.as("root", "GET", path)).json.data).toHaveLength(6);
        expect((await stage.as("ann", "GET", `${path}?status=pending`)).json.data).toHaveLength(2);

        const own = new Set([first.data[0].id, next.data[0].id]);
        const all = (await stage.as("root", "GET", path)).json.data.map(({ id }: { id: string }) => id);
        const hidden = all.find((id: string) => !own.has(id));
        for (const [method, suffix] of [
          ["GET", ""],
          ["POST", "/replay"],
        ] as const) {
          const [one, other] = [
            await stage.as("ann", method, `${path}/${hidden}${suffix}`),
            await stage.as("ann", method, `${path}/dlv_missing${suffix}`),
          ];
          expect([one.status, other.status]).toEqual([404, 404]);
          const neutral = (text: string) =>
            text
              .replaceAll(hidden, "ID")
              .replaceAll("dlv_missing", "ID")
              .replace(/"requestId":"[^"]*","instance":"[^"]*"/, "");
          expect(neutral(one.text)).toBe(neutral(other.text));
        }
        expect((await stage.as("ann", "GET", `${path}/${first.data[0].id}`)).json.event.data.text).toBe("ann");
      },
      { webhooks: { work: false } },
    ),
  );
});
