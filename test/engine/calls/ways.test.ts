import { createService, defineResource, ProblemError, type ScopeRule } from "restwright";
import { actions, respond } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { CollectionCalls } from "../../../src/engine/calls/index.js";

const schema = z.object({ id: z.int(), ownerId: z.string(), text: z.string() });
type Note = z.output<typeof schema>;

/** Each method of the calls, on a row. A new method needs a line here. */
const ways: { readonly [Method in keyof CollectionCalls]: (calls: CollectionCalls, id: number) => Promise<unknown> } = {
  list: async (calls) => (await calls.list({ count: "exact" })).data,
  async walk(calls) {
    const rows: unknown[] = [];
    for await (const row of calls.walk()) rows.push(row);
    return rows;
  },
  count: (calls) => calls.count(),
  get: (calls, id) => calls.get(id),
  create: (calls) => calls.create({ ownerId: "ann", text: "new" }),
  update: (calls, id) => calls.update(id, { text: "changed" }),
  replace: (calls, id) => calls.replace(id, { ownerId: "ann", text: "replaced" }),
  remove: (calls, id) => calls.remove(id),
};

const names = Object.keys(ways) as (keyof CollectionCalls)[];
const ofOneRow: readonly string[] = ["get", "update", "replace", "remove"];

/** Answers that no scope may give; each is an error of the developer's code. */
const faults: readonly (readonly [string, () => unknown])[] = [
  ["undefined", () => undefined],
  ["null", () => null],
  ["an empty where", () => ({})],
  ["a where with an undefined value", () => ({ ownerId: undefined })],
  ["a where with an unknown field", () => ({ owner: "ann" })],
  ["an empty and", () => ({ and: [] })],
  [
    "an error",
    () => {
      throw new Error("The memberships cannot be read.");
    },
  ],
];

async function stageOf(scope: ScopeRule<Note>, storage = memoryStorage()) {
  const notes = defineResource("notes", { schema, generated: { id: "increment" }, scope });
  const service = createService({ resources: [notes], storage, logger: false });
  const { id: hidden } = await service.asSystem().notes.create({ ownerId: "bob", text: "hidden" });
  const { id: own } = await service.asSystem().notes.create({ ownerId: "ann", text: "own" });
  const calls = service.as({ id: "ann" }).notes as unknown as CollectionCalls;
  const texts = async () => (await service.asSystem().notes.list({ sort: "id" })).data.map(({ text }) => text);
  return { service, calls, hidden, own, texts };
}

test("the calls of a collection have exactly the methods of this table", async () => {
  const { calls } = await stageOf(() => true);
  expect(Object.keys(calls).sort()).toEqual([...names].sort());
});

describe.each([["memory", memoryStorage] as const, ["SQLite", () => sqliteStorage({ path: ":memory:" })] as const])(
  "calls under a scope on %s",
  (_, open) => {
    test.each(names.filter((name) => ofOneRow.includes(name)))(
      "%s of a hidden row fails like that of a missing row, and changes nothing",
      async (name) => {
        const { calls, hidden, texts } = await stageOf(({ principal }) => ({ ownerId: principal.id }), open());
        const [one, other] = await Promise.all([hidden, 999].map((id) => ways[name](calls, id).catch((error: unknown) => error)));
        expect(one).toBeInstanceOf(ProblemError);
        expect((one as ProblemError).code).toBe("NOT_FOUND");
        expect((other as ProblemError).message.replace("999", String(hidden))).toBe((one as ProblemError).message);
        expect(await texts()).toEqual(["hidden", "own"]);
      },
    );

    test("list, walk and count have rows in the scope only", async () => {
      const { calls, own } = await stageOf(({ principal }) => ({ ownerId: principal.id }), open());
      expect(await ways.list(calls, own)).toMatchObject([{ text: "own" }]);
      expect(await ways.walk(calls, own)).toMatchObject([{ text: "own" }]);
      expect(await ways.count(calls, own)).toBe(1);
    });

    test("false is no row, and a row outside of the scope is not created", async () => {
      const { calls, own, texts } = await stageOf(({ action }) => action !== "create" && false, open());
      expect(await ways.list(calls, own)).toEqual([]);
      await expect(ways.get(calls, own)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(ways.create(calls, own)).rejects.toMatchObject({ code: "OUT_OF_SCOPE" });
      expect(await texts()).toEqual(["hidden", "own"]);
    });

    test("a row may not be moved out of the scope", async () => {
      const { calls, own, texts } = await stageOf(({ principal }) => ({ ownerId: principal.id }), open());
      await expect(calls.update(own, { ownerId: "bob" })).rejects.toMatchObject({ code: "OUT_OF_SCOPE" });
      expect(await texts()).toEqual(["hidden", "own"]);
    });
  },
);

describe.each(faults)("a scope that answers %s", (_, answer) => {
  test.each(names)("fails %s, and nothing is read or written", async (name) => {
    const { calls, own, texts } = await stageOf(answer as ScopeRule<Note>);
    const fault: unknown = await ways[name](calls, own).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(Error);
    expect(fault).not.toBeInstanceOf(ProblemError);
    expect(await texts()).toEqual(["hidden", "own"]);
  });
});

describe.each([["memory", memoryStorage] as const, ["SQLite", () => sqliteStorage({ path: ":memory:" })] as const])(
  "actions from code on %s",
  (_, open) => {
    /** Each action on a row, and one of the collection, as code calls them. */
    async function actionStage(scope: ScopeRule<Note>) {
      const base = defineResource("notes", { schema, generated: { id: "increment" } });
      const notes = defineResource("notes", {
        schema,
        generated: { id: "increment" },
        scope,
        actions: ({ action }) => ({
          rename: action({ on: "row", input: z.object({ text: z.string(), ownerId: z.string() }), run: ({ input }) => input }),
          look: action({ on: "row", run: ({ row }) => respond({ text: row.text }) }),
          glance: action({ on: "row", method: "GET", run: ({ row }) => respond({ text: row.text }) }),
          enter: action({
            on: "collection",
            run: ({ tx }) => tx.of(base).create({ ownerId: "bob", text: "entered" }),
          }),
        }),
      });
      const service = createService({ resources: [notes], storage: open(), logger: false, use: [actions()] });
      const { id: hidden } = await service.asSystem().notes.create({ ownerId: "bob", text: "hidden" });
      const { id: own } = await service.asSystem().notes.create({ ownerId: "ann", text: "own" });
      const calls = service.as({ id: "ann" }).notes;
      const texts = async () => (await service.asSystem().notes.list({ sort: "id" })).data.map(({ text }) => text);
      const all: readonly (readonly [string, (id: number) => Promise<unknown>])[] = [
        ["rename", (id) => calls.rename(id, { text: "changed", ownerId: "ann" })],
        ["look", (id) => calls.look(id)],
        ["glance", (id) => calls.glance(id)],
      ];
      return { calls, all, hidden, own, texts, service };
    }

    test("fail for a hidden row like for a missing one, and change nothing", async () => {
      const { all, hidden, texts } = await actionStage(({ principal }) => ({ ownerId: principal.id }));
      for (const [name, call] of all) {
        const [one, other] = await Promise.all([hidden, 999].map((id) => call(id).catch((error: unknown) => error)));
        expect([name, (one as ProblemError).code]).toEqual([name, "NOT_FOUND"]);
        expect((other as ProblemError).message.replace("999", String(hidden))).toBe((one as ProblemError).message);
      }
      expect(await texts()).toEqual(["hidden", "own"]);
    });

    test("are refused by the scope of their name, and for a row that would be outside", async () => {
      const { all, calls, own, hidden, texts } = await actionStage(({ action, principal }) => action === "read" || { ownerId: principal.id });
      for (const [name, call] of all) expect([name, await call(hidden).catch(({ code }) => code)]).toEqual([name, "FORBIDDEN"]);
      await expect(calls.rename(own, { text: "given", ownerId: "bob" })).rejects.toMatchObject({ code: "OUT_OF_SCOPE", status: 403 });
      expect(await texts()).toEqual(["hidden", "own"]);
      expect(await calls.rename(own, { text: "changed", ownerId: "ann" })).toMatchObject({ text: "changed" });
    });

    test.each(faults)("fail if the scope answers %s, and nothing is read or written", async (__, answer) => {
      const { all, own, texts } = await actionStage(answer as ScopeRule<Note>);
      for (const [name, call] of all) {
        const fault: unknown = await call(own).catch((error: unknown) => error);
        expect([name, fault instanceof Error, fault instanceof ProblemError]).toEqual([name, true, false]);
      }
      expect(await texts()).toEqual(["hidden", "own"]);
    });

    test("of the collection write with the rights of the system", async () => {
      const { calls, texts } = await actionStage(() => false);
      await calls.enter();
      expect(await texts()).toEqual(["hidden", "own", "entered"]);
    });
  },
);
