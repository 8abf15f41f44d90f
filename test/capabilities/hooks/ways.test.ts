// @long

import { problem } from "restwright";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ComingNote, type DoneNote, type NoteHooks, waysService } from "../../engine/rules/waysStage.js";
import { type Way, ways } from "../../engine/rules/waysTable.js";
import { sampled, sampleNote } from "../../tools/extent.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";

const place = { ownerId: "ann", projectId: "p-ann" };
const writes = ways.filter(({ does }) => does === "create" || does === "update" || does === "remove");

/** How the hook is told of a way. */
function wayOf({ name, operations }: Way): string {
  if (/rewrite/i.test(operations.join())) return "action";
  if (/import/.test(operations.join())) return "import";
  return /batch|bulk|Many/i.test(operations.join()) || name.includes("batch") ? "batch" : "http";
}

let count = 0;
const newId = () => `h${String(++count).padStart(6, "0")}`;

describeStores(
  "hooks on every way that writes",
  ({ open, name: store }) => {
    const rules: NoteHooks = {};
    let opened: OpenedStore;
    let stage: ReturnType<typeof waysService>;
    beforeAll(async () => {
      opened = await open();
      stage = waysService(opened.storage, rules);
      await stage.begin();
    });
    afterEach(() => {
      rules.before = undefined;
      rules.after = undefined;
    });
    afterAll(async () => {
      await stage.service.close();
      await opened.end();
    });

    /** Prepares the row that a way needs; returns what sends the way, and what is then stored. */
    async function prepared(way: Way) {
      const id = newId();
      if (way.does !== "create") await stage.seed(id, place);
      const stored = () => stage.stored("notes", id);
      const before = await stored();
      const sent = way.request({ id, project: place.projectId, values: { text: `new text of ${id}`, slug: `new slug of ${id}`, ...place } });
      return { id, before, stored, send: () => stage.finish(sent) };
    }

    const chosen = store === "memory" ? writes : sampled(writes, `hooks on ${store}`);

    describe.each(chosen.map((way) => [way.name, way] as const))(`%s${store === "memory" ? "" : sampleNote}`, (_, way) => {
      test("runs each hook once, before and after the write", async () => {
        const { id, send, stored } = await prepared(way);
        const [coming, done]: [ComingNote[], DoneNote[]] = [[], []];
        rules.before = (write) => void coming.push(write);
        rules.after = (write) => void done.push(write);
        await send();
        const [first] = coming;
        expect(coming.map(({ kind }) => kind)).toEqual([way.does]);
        expect(done.map(({ kind, row }) => [kind, row.id])).toEqual([[way.does, id]]);
        expect(first).toMatchObject({ way: wayOf(way), principal: { id: "ann" }, operationId: expect.stringMatching(/./) });
        expect(first?.before?.id).toBe(way.does === "create" ? undefined : id);
        if (way.does === "remove") expect([first?.next, first?.changes, await stored()]).toEqual([undefined, undefined, undefined]);
        else expect([first?.next?.text, first?.changes]).toEqual([`new text of ${id}`, expect.objectContaining({ text: `new text of ${id}` })]);
        await stage.forget(id);
      });

      if (way.does !== "remove") {
        test("stores what a hook changes", async () => {
          const { id, send, stored } = await prepared(way);
          rules.before = () => ({ text: "text of the hook" });
          await send();
          expect(await stored()).toMatchObject({ id, text: "text of the hook", slug: `new slug of ${id}` });
          await stage.forget(id);
        });
      }

      test.each(["before", "after"] as const)("writes nothing if the hook %s the write refuses it", async (when) => {
        const { id, before, send, stored } = await prepared(way);
        rules[when] = () => {
          throw problem("NOT_TODAY", 409, "Not today.");
        };
        const { text } = await send();
        expect(text).toContain("NOT_TODAY");
        expect(await stored()).toEqual(before);
        await stage.forget(id);
      });

      test("writes nothing if a hook fails", async () => {
        const { id, before, send, stored } = await prepared(way);
        rules.after = () => {
          throw new Error("The hook has a fault.");
        };
        const { text } = await send();
        expect(text).not.toContain("The hook has a fault");
        expect([stage.faults.length > 0, await stored()]).toEqual([true, before]);
        await stage.forget(id);
      });
    });
  },
  ({ name }) => name === "memory" || name === "SQLite" || name.startsWith("PostgreSQL"),
);
