// @long

import { ProblemError, within } from "restwright";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Received } from "../../tools/client.js";
import { sampled, sampleNote } from "../../tools/extent.js";
import { routesOf } from "../../tools/fullService.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";
import { type Rule, rowActions, waysService } from "./waysStage.js";
import { type Way, ways } from "./waysTable.js";

/** Operations that reach no row of a collection: they concern jobs, files, webhooks and the service itself. What jobs show is part of the ways that become jobs. An action on a
 * collection has no row of its own: what it writes, it writes with the rights that the developer chooses. */
const reachNoRow =
  /^(?:batches|imports|exports|jobs)\.(?:read|remove|cancel|resume|errors|download)$|^(?:uploads|files|webhooks)\.|^(?:health|ready)$|^notes\.enter$/;

test("every operation of the router is in the table, or reaches no row", () => {
  const { service } = waysService(memoryStorage());
  const names = routesOf(service).flatMap(({ operations }) => operations.map(({ name }) => name));
  const known = new Set(ways.flatMap(({ operations }) => operations));
  // The parents and children have the operations of the notes.
  const likeNotes = (name: string) => known.has(name.replace(/^(?:projects|comments)\.(?=\w+$)/, "notes."));
  expect(names.length).toBeGreaterThan(90);
  expect(names.filter((name) => !known.has(name) && !likeNotes(name) && !reachNoRow.test(name))).toEqual([]);
  expect([...known].filter((name) => !names.includes(name))).toEqual([]);
});

const actionWays = new RegExp(`^(?:projects\\.)?notes\\.(?:batchRewrite|${rowActions.join("|")})$`);

type Place = { readonly ownerId: string; readonly projectId: string };

const inside: Place = { ownerId: "ann", projectId: "p-ann" };
const ofBob: Place = { ownerId: "bob", projectId: "p-ann" };
const belowBob: Place = { ownerId: "ann", projectId: "p-bob" };

const own: Rule = ({ principal }) => ({ ownerId: principal.id });
const belowOwn: Rule = () => within("project");

/** Scopes that leave a row out. */
const narrow: readonly [string, Rule, Place][] = [
  ["a where", own, ofBob],
  ["within", belowOwn, belowBob],
  ["false", () => false, inside],
  ["an empty list", () => ({ ownerId: [] }), inside],
];

/** Answers that mean nothing. */
const faulty: readonly [string, Rule][] = [
  [
    "a thrown error",
    () => {
      throw new Error("The directory does not answer.");
    },
  ],
  [
    "a rejected promise",
    async () => {
      throw new Error("The directory does not answer.");
    },
  ],
  ["undefined", () => undefined],
  ["a promise of undefined", async () => undefined],
  ["null", () => null],
  ["an empty where", () => ({})],
  ["an empty and", () => ({ and: [] })],
  ["a where with undefined", () => ({ ownerId: undefined })],
  ["an unknown field", () => ({ ownr: "ann" })],
  ["an object of the claims", ({ principal }) => ({ ownerId: principal.claims?.["filter"] })],
  ["a number", () => 1],
  ["within of no relation", () => within("nothing")],
];

let count = 0;
const newId = () => `n${String(++count).padStart(6, "0")}`;

describeStores(
  "every way to a row",
  ({ open, name: store }) => {
    let opened: OpenedStore;
    let stage: ReturnType<typeof waysService>;
    beforeAll(async () => {
      opened = await open();
      stage = waysService(opened.storage);
      await stage.begin();
    });
    afterAll(async () => {
      await stage.service.close();
      await opened.end();
    });

    const requestOf = (way: Way, id: string, place: Place, values: Place = place) =>
      way.request({ id, project: place.projectId, values: { text: `new text of ${id}`, slug: `new slug of ${id}`, ...values } });

    /** Sends the way to a row that the rule leaves out, which then must be as before; `undefined` rows must not exist then. */
    async function untouched(way: Way, place: Place): Promise<Received> {
      const id = newId();
      if (way.does !== "create") await stage.seed(id, place);
      const before = await rowsOf(id);
      const answer = await stage.finish(requestOf(way, id, place));
      expect(await rowsOf(id)).toEqual(before);
      await stage.forget(id);
      return answer;
    }

    const rowsOf = async (id: string) => [
      await stage.stored("notes", id),
      await stage.stored("comments", `c-${id}`),
      await stage.stored("comments", `new-${id}`),
    ];

    test("an action on a collection asks no scope, and writes with the rights of the system", async () => {
      for (const [name, rule] of [...narrow, ...faulty]) {
        stage.rules.notes = rule;
        const id = newId();
        const body = { id, text: `text of ${id}`, slug: `slug of ${id}`, ...ofBob };
        const answer = await stage.finish({ method: "POST", target: "/notes/enter", body });
        expect([name, answer.status, stage.faults]).toEqual([name, 200, []]);
        expect(await stage.stored("notes", id)).toMatchObject(ofBob);
        const unknown = await stage.finish({ method: "POST", target: "/notes/enter", body: { ...body, id: `${id}x`, projectId: "none" } });
        expect([unknown.status, unknown.json.code, await stage.stored("notes", `${id}x`)]).toEqual([422, "UNKNOWN_REFERENCE", undefined]);
        await stage.forget(id);
      }
    });

    const chosen = store === "memory" ? ways : sampled(ways, `ways on ${store}`);

    describe.each(chosen.map((way) => [way.name, way] as const))(`%s${store === "memory" ? "" : sampleNote}`, (_, way) => {
      test("reaches the rows in scope", async () => {
        for (const rule of [() => true, own, belowOwn]) {
          stage.rules.notes = rule;
          const id = newId();
          if (way.does !== "create") await stage.seed(id, inside);
          const before = await rowsOf(id);
          const answer = await stage.finish(requestOf(way, id, inside));
          const [note, ...comments] = await rowsOf(id);
          if (way.does === "show") expect(answer.text).toMatch(new RegExp(`(?:text|comment) of ${id}`));
          else if (way.does === "count") expect(answer.status).toBe(200);
          else if (way.does === "remove") expect(note).toBeUndefined();
          else if (way.does === "comment") expect(comments).not.toEqual(before.slice(1));
          else expect(note).toMatchObject({ text: `new text of ${id}`, ...inside });
          await stage.forget(id);
        }
      });

      test("neither shows nor changes a row outside", async () => {
        for (const [name, rule, place] of narrow) {
          stage.rules.notes = rule;
          const answer = await untouched(way, place);
          expect([name, answer.text]).toEqual([name, expect.not.stringMatching(/(?<!new )(?:text|slug|comment) of/)]);
          expect(answer.text).not.toMatch(/"matched":[1-9]|"meta":\{[^}]*"total":[1-9]/);
        }
      });

      test("does nothing if the scope answers nothing that it may", async () => {
        // The answer is read before a store is asked.
        for (const [name, rule] of way.isJob || store !== "memory" ? faulty.slice(0, 2) : faulty) {
          stage.rules.notes = rule;
          const answer = await untouched(way, inside);
          expect([name, answer.text]).toEqual([name, expect.not.stringMatching(/(?<!new )(?:text|slug|comment) of/)]);
          if (way.isJob !== true && way.name !== "HEAD") expect([name, answer.text]).toEqual([name, expect.stringContaining("INTERNAL")]);
          expect([name, stage.faults.length]).not.toEqual([name, 0]);
        }
      });

      if (way.does === "create" || way.does === "update") {
        test("cannot write a row that would be outside", async () => {
          stage.rules.notes = own;
          const id = newId();
          if (way.does === "update") await stage.seed(id, inside);
          const before = await rowsOf(id);
          const answer = await stage.finish(requestOf(way, id, inside, ofBob));
          expect([await rowsOf(id), answer.text]).toEqual([before, expect.stringContaining("OUT_OF_SCOPE")]);
          await stage.forget(id);
        });

        test("cannot move a row in", async () => {
          stage.rules.notes = own;
          const id = newId();
          await stage.seed(id, ofBob);
          const before = await rowsOf(id);
          const answer = await stage.finish(requestOf(way, id, inside));
          expect([await rowsOf(id), answer.text]).toEqual([before, expect.not.stringMatching(/(?<!new )(?:text|slug) of/)]);
          await stage.forget(id);
        });

        test("shows nothing of a row that it may write, but not read", async () => {
          stage.rules.notes = ({ action, when, principal }) => (action !== "read" && when === "after") || { ownerId: principal.id };
          const id = newId();
          if (way.does === "update") await stage.seed(id, inside);
          const answer = await stage.finish(requestOf(way, id, inside, ofBob));
          expect(await stage.stored("notes", id)).toMatchObject({ text: `new text of ${id}`, ...ofBob });
          expect([answer.status < 300, answer.headers["etag"], answer.text]).toEqual([
            true,
            undefined,
            expect.not.stringMatching(/"etag"|"data"|text of/),
          ]);
          await stage.forget(id);
        });
      }

      if (way.does === "update" || way.does === "remove") {
        test("cannot change a row that it may read only", async () => {
          stage.rules.notes = ({ action, principal }) => action === "read" || { ownerId: principal.id };
          const answer = await untouched(way, ofBob);
          // Of a filter such a row is no match.
          if (!way.name.includes("by filter")) expect(answer.text).toContain("FORBIDDEN");
        });
      }

      if (way.operations.some((name) => actionWays.test(name))) {
        test("cannot act on a row that the scope of the action leaves out, before or after", async () => {
          const whens: readonly (readonly [string, string])[] =
            way.does === "update"
              ? [
                  ["before", "FORBIDDEN"],
                  ["after", "OUT_OF_SCOPE"],
                ]
              : [["before", "FORBIDDEN"]];
          for (const [left, code] of whens) {
            stage.rules.notes = ({ action, when }) => !(rowActions.includes(action) && when === left);
            const answer = await untouched(way, inside);
            expect([left, answer.text]).toEqual([left, expect.stringContaining(code)]);
            expect(answer.text).not.toMatch(/(?<!new )(?:text|slug) of/);
          }
        });
      }

      test("answers with a problem that the scope throws", async () => {
        stage.rules.notes = () => {
          throw new ProblemError("FORBIDDEN", "Your trial has ended.");
        };
        const answer = await untouched(way, inside);
        if (way.does !== "count") expect(answer.text).toContain("Your trial has ended.");
      });
    });
  },
  ({ name }) => name === "memory" || name === "SQLite" || name.startsWith("PostgreSQL"),
);
