import type { Principal } from "restwright";
import { expect, test } from "vitest";
import { describeHooks, type HookStage } from "./hookStage.js";

const teamOnly = (stage: HookStage) => {
  stage.rule = ({ principal }) => principal.id === "root" || { ownerId: String(principal.claims?.["team"] ?? "none") };
};

const write = (stage: HookStage, text: string) => stage.create("root", "/notes", { text, ownerId: "red" });

/** A principal store whose content can be changed. */
function accounts() {
  const known = new Map<string, Principal>();
  return { known, reload: ({ id }: Principal) => known.get(id) ?? null };
}

describeHooks("the owner of a webhook", (on) => {
  test(
    "is kept with its claims, and a change by the owner renews them",
    on(async (stage) => {
      teamOnly(stage);
      stage.people["ann"] = { id: "ann", scopes: ["notes"], claims: { team: "red" } };
      const hook = await stage.listen("ann");
      expect((await stage.storage.webhooks?.get(hook))?.principal).toEqual({ id: "ann", scopes: ["notes"], claims: { team: "red" } });
      await write(stage, "one");
      await stage.settle();
      stage.people["ann"] = { id: "ann", claims: { team: "blue" } };
      await stage.as("root", "PATCH", `/webhooks/${hook}`, { filter: null });
      await write(stage, "two");
      await stage.settle();
      await stage.as("ann", "PATCH", `/webhooks/${hook}`, { filter: null });
      await write(stage, "three");
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["note.created one", "note.created two"]);
    }),
  );

  const { known, reload } = accounts();
  test(
    "is renewed when the clock is set back, too",
    on(
      async (stage) => {
        known.clear();
        teamOnly(stage);
        await stage.listen("ann");
        known.set("ann", { id: "ann", claims: { team: "red" } });
        await write(stage, "one");
        await stage.settle();
        known.delete("ann");
        stage.aheadMs -= 3_600_000;
        await write(stage, "two");
        await stage.settle();
        expect(stage.heard("ann")).toEqual(["note.created one"]);
      },
      { principals: { reload } },
    ),
  );

  test(
    "is renewed, once a minute, and gets nothing when it is gone",
    on(
      async (stage) => {
        known.clear();
        teamOnly(stage);
        const hook = await stage.listen("ann");
        known.set("ann", { id: "ann", claims: { team: "red" } });
        await write(stage, "one");
        await stage.settle();
        known.delete("ann");
        await write(stage, "two");
        await stage.settle();
        stage.aheadMs += 60_000;
        await write(stage, "three");
        await stage.settle();
        known.set("ann", { id: "ann", tenant: "another", claims: { team: "red" } });
        stage.aheadMs += 60_000;
        await write(stage, "four");
        await stage.settle();
        expect(stage.heard("ann")).toEqual(["note.created one", "note.created two"]);
        expect(await stage.log("root", hook)).toHaveLength(2);
        expect(stage.messages("error")).toEqual([`"principals.reload" returned a principal with another id or tenant; it counts as removed.`]);
      },
      { principals: { reload } },
    ),
  );

  const old = async (stage: HookStage) => {
    const hook = await stage.listen("ann");
    await stage.storage.webhooks?.update(hook, { principal: undefined });
    return hook;
  };

  test(
    "of a registration from before owners were kept gets nothing that has a scope, until the owner changes it; this is logged once",
    on(async (stage) => {
      const hook = await old(stage);
      await stage.create("root", "/notes", { text: "one", ownerId: "ann" });
      await stage.settle();
      stage.aheadMs += 60_000;
      await stage.create("root", "/notes", { text: "two", ownerId: "ann" });
      await stage.settle();
      expect(stage.receiver.received).toEqual([]);
      expect(stage.messages("warn")).toEqual([
        `A webhook was registered before its owner was stored with it: it gets no event of a collection with a scope until its owner changes it, or "principals.reload" is set.`,
      ]);
      expect((await stage.as("ann", "PATCH", `/webhooks/${hook}`, {})).status).toBe(200);
      await stage.create("root", "/notes", { text: "three", ownerId: "ann" });
      await stage.settle();
      expect(stage.heard("ann")).toEqual(["note.created three"]);
    }),
  );

  test(
    "of such a registration is asked for by its id, if principals can be reloaded",
    on(
      async (stage) => {
        known.clear();
        known.set("ann", { id: "ann" });
        await old(stage);
        await stage.create("root", "/notes", { text: "one", ownerId: "ann" });
        await stage.settle();
        expect(stage.heard("ann")).toEqual(["note.created one"]);
        expect(stage.messages("warn")).toEqual([]);
      },
      { principals: { reload } },
    ),
  );

  test(
    "gets no event whose row was not stored with it",
    on(async (stage) => {
      const hook = await stage.listen("ann");
      const event = { id: "evt_old", type: "note.created", tenant: undefined, createdAt: new Date(), body: Buffer.from("{}") };
      await stage.storage.deliveries?.enqueue([{ ...event, deliveries: [{ id: "dlv_old", webhook: hook }] }]);
      await stage.settle();
      expect(stage.receiver.received).toEqual([]);
      expect(stage.messages("warn")).toEqual(["Events are not sent: the rows that they are about were not stored with them."]);
    }),
  );
});
