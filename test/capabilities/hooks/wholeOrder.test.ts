import { belongsTo, type Capability, createService, defineResource, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { hooks } from "restwright/hooks";
import { jobs } from "restwright/jobs";
import { memoryBlobs } from "restwright/memory";
import { file, uploads } from "restwright/uploads";
import { change, versions } from "restwright/versions";
import { expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { describeStores } from "../../tools/storage/batchStores.js";

/** The storage, and each of its transactions, noting what is written there. */
function noting(storage: Storage, log: (line: string) => void): Storage {
  const noted = <O extends object>(target: O, lines: Readonly<Record<string, string>>): O =>
    new Proxy(target, {
      get(_, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          if (typeof name === "string" && Object.hasOwn(lines, name)) log(lines[name] as string);
          return member.apply(target, given);
        };
      },
    });
  const within = (tx: Storage): Storage =>
    new Proxy(tx, {
      get(_, name) {
        if (name === "collection") {
          return (model: { readonly name: string }) => {
            const { name: collection } = model;
            return noted(tx.collection(model as never), { update: `row of ${collection}`, find: `look-up in ${collection}` });
          };
        }
        if (name === "uploads" && tx.uploads) return noted(tx.uploads, { update: "claim of a file" });
        if (name === "idempotency" && tx.idempotency) return noted(tx.idempotency, { complete: "record of the key" });
        return Reflect.get(tx, name);
      },
    });
  return new Proxy(storage, {
    get(target, name) {
      if (name !== "transaction") return Reflect.get(target, name);
      return async (run: (tx: Storage) => Promise<unknown>, options: object) => {
        log("begin");
        const result = await target.transaction?.((tx) => run(within(tx)), options);
        log("commit");
        return result;
      };
    },
  });
}

describeStores(
  "a keyed PATCH under a scope, with hooks, files, references, events and a version",
  ({ open }) => {
    test("does its steps in the order of the documentation", async () => {
      const { storage, end } = await open();
      const log: string[] = [];
      let isLogging = false;
      const note = (line: string) => void (isLogging && log.push(line));
      const teams = defineResource("teams", { schema: z.object({ id: z.string() }) });
      const notes = defineResource("notes", {
        schema: z.object({
          id: z.int(),
          title: z.string(),
          size: z.int(),
          ownerId: z.string(),
          teamId: z.string().nullable().default(null),
          paper: file("any").nullable().default(null),
        }),
        generated: { id: "increment" },
        relations: { team: belongsTo("teams", "teamId") },
        scope: ({ action, when }) => {
          note(`question for the scope of ${action} ${when}`);
          return { ownerId: "ann" };
        },
        stamp: {
          ownerId: {
            on: "write",
            set: () => {
              note("stamp");
              return "ann";
            },
          },
        },
        hooks: {
          beforeWrite: ({ next }) => {
            note(`beforeWrite of "${next?.title}"`);
            return next && { size: next.size + 1 };
          },
          afterWrite: ({ row, tx }) => {
            note(`afterWrite, size ${row.size}`);
            tx.afterCommit(() => note("afterCommit"));
          },
        },
        versions: {
          v1: [
            change({
              replaces: z.object({ title: z.string() }),
              by: z.object({ heading: z.string() }),
              read: ({ title }) => ({ heading: title }),
              write: ({ heading }) => {
                note("version");
                return { title: heading };
              },
            }),
          ],
        },
      });
      const listening: Capability = {
        name: "listening",
        open: () => ({
          rowEvents: {
            concerns: (collection) => collection === "notes",
            join: async (_tx, _collection, writes) => {
              for (const { before, row } of writes) note(`event, size ${before?.["size"]} → ${row["size"]}`);
            },
          },
        }),
      };
      const service = createService({
        resources: [teams, notes],
        storage: noting(storage, note),
        auth: [bearer((token) => ({ id: token }))],
        logger: false,
        principals: { reload: false },
        use: [
          jobs(),
          uploads({ blobs: memoryBlobs(), types: "any" }),
          hooks(),
          listening,
          versions({ vendor: "notes", schema: "v2", default: "v1", supported: { v1: {}, v2: {} } }),
        ],
      });
      await service.start();
      const send = clientOf(service);
      const headers = { authorization: "Bearer ann", "content-type": "application/json" };
      await send({ method: "POST", target: "/teams", headers, body: { id: "garden" } });
      const upload = await send({ method: "POST", target: "/uploads", headers: { ...headers, "content-type": "text/plain" }, body: "a paper" });
      const created = await send({ method: "POST", target: "/notes", headers, body: { heading: "Roses", size: 1 } });
      isLogging = true;
      const patched = await send({
        method: "PATCH",
        target: `/notes/${created.json.id}`,
        headers: { ...headers, "content-type": "application/merge-patch+json", "idempotency-key": "a-key-of-this-test" },
        body: { heading: "Tulips", teamId: "garden", paper: upload.json.id },
      });
      isLogging = false;
      expect(patched.json).toMatchObject({ heading: "Tulips", size: 3, teamId: "garden", paper: upload.json.id });
      const begun = log.indexOf("begin", log.indexOf("stamp"));
      const asked = log.slice(0, begun).filter((line) => line.startsWith("question") || line === "stamp");
      expect(new Set(asked)).toEqual(
        new Set([
          "question for the scope of read before",
          "question for the scope of update before",
          "question for the scope of update after",
          "stamp",
        ]),
      );
      expect(log.slice(begun)).toEqual([
        "begin",
        "version",
        "look-up in teams",
        'beforeWrite of "Tulips"',
        "claim of a file",
        "look-up in teams",
        "row of notes",
        "afterWrite, size 3",
        "event, size 2 → 3",
        "record of the key",
        "commit",
        "afterCommit",
      ]);
      await service.close();
      await end();
    });
  },
  ({ name, hasTransactions }) => hasTransactions && !name.includes("required methods"),
);
