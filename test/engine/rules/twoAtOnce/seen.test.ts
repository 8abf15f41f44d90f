// @slow

import { belongsTo, createService, defineResource, type Resource } from "restwright";
import { hooks } from "restwright/hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { TransactionCollections } from "../../../../src/engine/calls/index.js";
import { describeStores, type OpenedStore } from "../../../tools/storage/batchStores.js";

const ann = { id: "ann" };

/** Notes with a number, and logs whose hook adds one to the number of their note. */
async function openNotes(open: () => Promise<OpenedStore>) {
  const { storage, end } = await open();
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), n: z.int(), authorId: z.string().nullable().optional() }),
    generated: { id: "increment" },
    relations: { author: belongsTo("authors", "authorId") },
  });
  const authors = defineResource("authors", { schema: z.object({ id: z.string(), n: z.int() }) });
  const logs = defineResource("logs", {
    schema: z.object({ id: z.int(), noteId: z.int() }),
    generated: { id: "increment" },
    hooks: {
      concurrent: true,
      async afterWrite({ tx, row }) {
        await tx.of(notes).update(row.noteId, (note) => ({ n: note.n + 1 }));
      },
    },
  });
  const service = createService({
    resources: [notes, authors, logs] as readonly Resource[],
    storage,
    logger: false,
    secrets: ["a secret of the service itself, long enough"],
    use: [hooks()],
  });
  await service.start();
  const system = service.asSystem() as unknown as TransactionCollections;
  return {
    of: (name: "notes" | "authors" | "logs") => system.of({ notes, authors, logs }[name] as Resource),
    notes: notes as unknown as Resource,
    authors: authors as unknown as Resource,
    logs: logs as unknown as Resource,
    run: <R>(work: (tx: TransactionCollections) => Promise<R>) => service.transaction(ann, work as never) as Promise<R>,
    async note(): Promise<number> {
      return (await system.of(notes as unknown as Resource).create({ n: 0 }))["id"] as number;
    },
    async close() {
      await service.close();
      await end();
    },
  };
}

type Notes = Awaited<ReturnType<typeof openNotes>>;

/** Runs of a transaction that wait for each other where a test says so, the first time only. */
function meeting(runs: number) {
  let arrived = 0;
  let open = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return async () => {
    arrived += 1;
    if (arrived === runs) open();
    if (arrived <= runs) await all;
  };
}

describeStores(
  "a row that a transaction has read and writes by its values",
  ({ open, name }) => {
    let stage: Notes;
    beforeAll(async () => {
      stage = await openNotes(open);
    });
    afterAll(() => stage.close());

    const five = <R>(run: (index: number) => Promise<R>) => Promise.all([0, 1, 2, 3, 4].map(run));
    // With one writer the transactions could not meet.
    const meets = name.startsWith("PostgreSQL") ? meeting : () => async () => {};

    test.each(["get", "list", "walk"])("loses no update of five at once that read by %s", async (read) => {
      const { notes, run } = stage;
      const id = await stage.note();
      const met = meets(5);
      let written = 0;
      await five(async () => {
        const writing = run(async (tx) => {
          const row = await readBy(tx, read, id);
          await met();
          await tx.of(notes).update(id, { n: Number(row["n"]) + 1 });
        });
        // Only `get` locks its row in the next attempt; what another read has seen may change four times.
        await writing.then(
          () => {
            written += 1;
          },
          (error: { readonly code?: string }) => expect([read === "get", error.code]).toEqual([false, "WRITE_CONFLICT"]),
        );
      });
      expect(await stage.of("notes").get(id)).toMatchObject({ n: written });
      expect(written).toBeGreaterThan(0);
    });

    const readBy = async (tx: TransactionCollections, read: string, id: number) => {
      const calls = tx.of(stage.notes);
      if (read === "get") return calls.get(id, { fields: ["n"] });
      if (read === "list") return (await calls.list({ where: { id }, fields: ["n"], count: "none" })).data[0] ?? {};
      for await (const row of calls.walk({ where: { id } })) return row;
      throw new Error("There is no note.");
    };

    test("loses none if the row was read as one of a relation", async () => {
      const { notes, authors, run } = stage;
      await stage.of("authors").create({ id: `of ${name}`, n: 0 });
      const { id } = await stage.of("notes").create({ n: 0, authorId: `of ${name}` });
      const met = meets(5);
      await five(() =>
        run(async (tx) => {
          const { author } = (await tx.of(notes).get(id as number, { include: ["author"] })) as { author: { n: number } };
          await met();
          await tx.of(authors).update(`of ${name}`, { n: author.n + 1 });
        }),
      );
      expect(await stage.of("authors").get(`of ${name}`)).toMatchObject({ n: 5 });
    });

    test.each(["replace", "remove"] as const)("is a compare-and-set for %s too", async (write) => {
      const { notes, run } = stage;
      const id = await stage.note();
      const met = meets(2);
      const ends = await Promise.allSettled(
        [1, 2].map((n) =>
          run(async (tx) => {
            const row = await tx.of(notes).get(id);
            if (row["n"] !== 0) return "seen";
            await met();
            await (write === "replace" ? tx.of(notes).replace(id, { n }) : tx.of(notes).remove(id));
            return "written";
          }),
        ),
      );
      const told = ends.map((end) => (end.status === "fulfilled" ? end.value : (end.reason as { code: string }).code));
      expect(told.sort()).toEqual(write === "replace" ? ["seen", "written"] : ["NOT_FOUND", "written"]);
    });

    test("is written although the transaction itself has changed it, by calls, hooks, nested transactions and functions", async () => {
      const { notes, logs, run } = stage;
      const id = await stage.note();
      await run(async (tx) => {
        await tx.of(notes).get(id);
        await tx.of(logs).create({ noteId: id });
        await tx.of(notes).update(id, { n: 10 });
        await tx.of(notes).get(id);
        await tx.transaction(async (inner) => {
          await inner.of(notes).update(id, ({ n }) => ({ n: Number(n) + 1 }));
          await inner.of(logs).create({ noteId: id });
        });
        const { n } = await tx.of(notes).get(id);
        await tx.of(notes).update(id, { n: Number(n) + 1 });
      });
      expect(await stage.of("notes").get(id)).toMatchObject({ n: 13 });
    });

    test("counts again after a nested transaction that was rolled back", async () => {
      const { notes, run } = stage;
      const id = await stage.note();
      const met = meets(2);
      await Promise.all(
        [1, 2].map(() =>
          run(async (tx) => {
            const { n } = await tx.of(notes).get(id);
            const failed = tx.transaction(async (inner) => {
              await inner.of(notes).update(id, { n: 99 });
              throw new RangeError("undone");
            });
            await failed.catch(() => {});
            await met();
            await tx.of(notes).update(id, { n: Number(n) + 1 });
          }),
        ),
      );
      expect(await stage.of("notes").get(id)).toMatchObject({ n: 2 });
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
