import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Received, Sent } from "../../tools/client.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";
import { counted } from "../../tools/storage/countedStore.js";
import { waysService } from "./waysStage.js";
import { type About, ways } from "./waysTable.js";

/** Of the same length, so that only the letters differ. */
const ids = { hidden: "hidden-row", absent: "absent-row" };
const values = { text: "new", slug: "new", ownerId: "ann", projectId: "p-ann" };

/** What differs by rule: a missing row is created, and the key of a hidden one is taken. Jobs have ids of their own. */
const probes = ways.filter(
  ({ does, mayCreate, isJob, name }) => does !== "create" && !mayCreate && !isJob && !/with a relation|the parent with/.test(name),
);

describeStores(
  "a probe of a hidden row",
  ({ open }) => {
    let opened: OpenedStore;
    let stage: ReturnType<typeof waysService>;
    let calls: string[];
    beforeAll(async () => {
      opened = await open();
      const counting = counted(opened.storage);
      calls = counting.calls;
      stage = waysService(counting.storage);
      await stage.begin();
      await stage.seed(ids.hidden, { ownerId: "bob", projectId: "p-ann" });
      stage.rules.notes = ({ principal }) => ({ ownerId: principal.id });
    });
    afterAll(async () => {
      await stage.service.close();
      await opened.end();
    });

    const aboutOf = (id: string): About => ({ id, project: "p-ann", values });

    async function probe(id: string, request: (about: About) => Sent): Promise<{ readonly seen: unknown; readonly calls: readonly string[] }> {
      calls.length = 0;
      const { status, headers: all, text }: Received = await stage.as("ann", request(aboutOf(id)));
      // The tag of a list is a hash of its body, whose links repeat the id.
      const { etag, ...others } = all;
      const headers = text.includes(id) ? others : { etag, ...others };
      const seen = JSON.stringify({ status, headers, text })
        .replaceAll(id, "ID")
        .replaceAll(/batch-[0-9a-f-]{36}/g, "BOUNDARY");
      return { seen, calls: calls.filter((call) => !/^(?:jobs|leases)\./.test(call)) };
    }

    async function expectSame(request: (about: About) => Sent): Promise<void> {
      const hidden = await probe(ids.hidden, request);
      expect(hidden).toEqual(await probe(ids.absent, request));
      expect(await stage.stored("notes", ids.hidden)).toMatchObject({ text: `text of ${ids.hidden}`, ownerId: "bob" });
    }

    test.each(probes.map((way) => [way.name, way] as const))("%s", (_, { request }) => expectSame(request));

    describe("with preconditions and options", () => {
      const merge = { "content-type": "application/merge-patch+json" };
      test.each<[string, (about: About) => Sent]>([
        [
          "PATCH with If-Match",
          ({ id }) => ({ method: "PATCH", target: `/notes/${id}`, body: { text: "x" }, headers: { ...merge, "if-match": '"1"' } }),
        ],
        ["DELETE with If-Match", ({ id }) => ({ method: "DELETE", target: `/notes/${id}`, headers: { "if-match": "*" } })],
        ["GET with If-None-Match", ({ id }) => ({ target: `/notes/${id}`, headers: { "if-none-match": "*" } })],
        ["PUT with If-Match", ({ id }) => ({ method: "PUT", target: `/notes/${id}`, body: values, headers: { "if-match": '"1"' } })],
        ["PATCH that is invalid", ({ id }) => ({ method: "PATCH", target: `/notes/${id}`, body: { text: 1 }, headers: merge })],
        [
          "PATCH of another parent",
          ({ id }) => ({ method: "PATCH", target: `/projects/p-ann/notes/${id}`, body: { projectId: "p-bob" }, headers: merge }),
        ],
        ["a list by a condition on a relation", ({ id }) => ({ target: `/comments?note.text=${encodeURIComponent(`text of ${id}`)}&count=exact` })],
        ["a search", ({ id }) => ({ target: `/notes?q=${id}&count=estimated` })],
        [
          "a batch with ifMatch",
          ({ id }) => ({ method: "PATCH", target: "/notes/batch", body: { items: [{ id, changes: { text: "x" }, ifMatch: '"1"' }] } }),
        ],
      ])("%s", (_, request) => expectSame(request));
    });

    describe("tells that a key is taken, and no more", () => {
      const csv = { "content-type": "text/csv" };
      const put = (headers: Readonly<Record<string, string>>): Sent => ({ method: "PUT", target: `/notes/${ids.hidden}`, body: values, headers });
      test.each<[string, Sent, number, string]>([
        ["POST of its id", { method: "POST", target: "/notes", body: { id: ids.hidden, ...values } }, 422, "DUPLICATE_ID"],
        ["PUT of its id", put({}), 422, "DUPLICATE_ID"],
        ["PUT with If-None-Match", put({ "if-none-match": "*" }), 412, "PRECONDITION_FAILED"],
        ["PUT with If-Match", put({ "if-match": "*" }), 412, "PRECONDITION_FAILED"],
        ["POST of its key", { method: "POST", target: "/notes", body: { id: "n", ...values, slug: `slug of ${ids.hidden}` } }, 422, "DUPLICATE_SLUG"],
        [
          "an upsert by its id",
          {
            method: "POST",
            target: "/notes/import?mode=upsert&key=id",
            body: `id,text,slug,ownerId,projectId\n${ids.hidden},new,new,ann,p-ann\n`,
            headers: csv,
          },
          200,
          "DUPLICATE_ID",
        ],
        [
          "an upsert by its key",
          {
            method: "POST",
            target: "/notes/import?mode=upsert&key=slug",
            body: `id,text,slug,ownerId,projectId\nn,new,slug of ${ids.hidden},ann,p-ann\n`,
            headers: csv,
          },
          200,
          "DUPLICATE_SLUG",
        ],
      ])("%s", async (_, sent, status, code) => {
        calls.length = 0;
        const answer = await stage.as("ann", sent);
        expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(code)]);
        expect(answer.text).not.toContain(`text of ${ids.hidden}`);
        expect(answer.headers["etag"]).toBeUndefined();
        // An upsert looks once more, and does not loop.
        expect(calls.filter((call) => /insert/.test(call)).length).toBeLessThanOrEqual(2);
        expect(await stage.stored("notes", ids.hidden)).toMatchObject({ text: `text of ${ids.hidden}`, ownerId: "bob" });
      });

      test("a change of another row to its key", async () => {
        await stage.as("ann", { method: "POST", target: "/notes", body: { id: "own", ...values } });
        for (const [method, body] of [
          ["PATCH", { slug: `slug of ${ids.hidden}` }],
          ["PUT", { ...values, slug: `slug of ${ids.hidden}` }],
        ] as const) {
          const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
          const answer = await stage.as("ann", { method, target: "/notes/own", body, headers });
          expect([answer.status, answer.json.code]).toEqual([422, "DUPLICATE_SLUG"]);
        }
        await stage.forget("own");
      });
    });
  },
  ({ name }) => name === "memory" || name === "SQLite" || name.startsWith("PostgreSQL"),
);
