import { defineResource, type Resource, type Service, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs } from "restwright/memory";
import { file } from "restwright/uploads";
import { rename } from "restwright/versions";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";
import { describeStores, type OpenedStore } from "../../../tools/storage/batchStores.js";
import { as } from "../stage.js";

const tenants: Readonly<Record<string, string>> = { ada: "t", bo: "t", boss: "t", narrow: "t", refused: "t", cy: "u", "boss-of-u": "u" };

/** What each principal reads is what names it as its owner, or everyone. */
const papers = defineResource("papers", {
  schema: z.object({
    id: z.int(),
    owner: z.string(),
    scan: file("any").nullable().default(null),
    draft: file("any").optional(),
  }),
  generated: { id: "increment" },
  access: { draft: { read: ({ id }) => id === "ada" } },
  scope: ({ principal, action }) => action !== "read" || { owner: [principal.id, "all"] },
  import: { generated: [] },
});

const named = defineResource("named", {
  schema: z.object({ id: z.string(), scan: file("any") }),
  versions: { v2: [rename({ from: "scan", to: "picture", type: file("any") })] },
});
const counted = defineResource("counted", { schema: z.object({ id: z.bigint(), scan: file("any") }), generated: { id: "increment" } });
const dropped = defineResource("dropped", { schema: z.object({ id: z.string(), scan: file("any") }), operations: ["create"] });

interface Answered {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any;
}

/** A service whose rows hold files that not everyone may read. */
function openStage(storage: Storage, resources: readonly Resource[]) {
  const service = fullService({
    ...{ resources, storage, logger: false },
    auth: [bearer((token) => (tenants[token] === undefined ? undefined : { id: token, tenant: tenants[token] }))],
    authorize: ({ principal: { id }, collection }) =>
      collection !== "papers" || (id === "narrow" ? { fields: ["id", "owner"] } : id === "refused" ? { hide: true } : true),
    blobs: memoryBlobs(),
    uploads: { types: "any", isAdmin: ({ id }) => id.startsWith("boss") },
  });
  async function send(who: string, method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const isText = typeof body === "string";
    const type = isText
      ? path.includes("/import")
        ? "text/csv"
        : "text/plain"
      : method === "PATCH"
        ? "application/merge-patch+json"
        : "application/json";
    const headers = { ...(who === "" ? {} : as(who)), ...(body === undefined ? {} : { "content-type": type }), ...more };
    const sent = body === undefined ? null : isText ? body : JSON.stringify(body);
    const answer = await service.fetch(new Request(`http://test${path}`, { method, headers, body: sent }));
    const text = await answer.text();
    return { status: answer.status, text, json: /json/.test(answer.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined };
  }
  const written = async (answer: Promise<Answered>, status = 201) => {
    const { status: got, json, text } = await answer;
    if (got !== status) throw new Error(`${got} ${text}`);
    return json;
  };
  const claimOf = async (id: string) => (await storage.uploads?.get(id))?.data as { readonly claim?: { readonly row?: string } };
  return {
    ...{ service, send, written },
    /** Sends a file. @returns its id */
    upload: async (who = "ada"): Promise<string> => (await written(send(who, "POST", "/uploads", "hello"))).id,
    rowOf: async (id: string) => (await claimOf(id)).claim?.row,
    /** The status of a file for each of these principals. */
    async statuses(id: string, ...who: readonly string[]): Promise<readonly number[]> {
      return Promise.all(who.map(async (each) => (await send(each, "GET", `/files/${id}`)).status));
    },
    /** As an earlier version of this library has written the claim. */
    async forgetRow(id: string): Promise<void> {
      const record = await storage.uploads?.get(id);
      const data = record?.data as { readonly claim: object };
      await storage.uploads?.update(id, record?.version ?? 0, { data: { ...data, claim: { ...data.claim, row: undefined } } });
    },
  };
}

type Stage = ReturnType<typeof openStage>;

const isWhole = ({ hasTransactions, name }: { readonly hasTransactions: boolean; readonly name: string }) =>
  hasTransactions && !name.includes("required methods");

describeStores(
  "readers of the files of rows",
  ({ open }) => {
    let opened: OpenedStore;
    let stage: Stage;
    beforeAll(async () => {
      opened = await open();
      stage = openStage(opened.storage, [papers, named, counted, dropped]);
    });
    afterAll(async () => {
      await stage.service.close();
      await opened.end();
    });
    const system = () => (stage.service as unknown as Service<[typeof papers]>).asSystem({ tenant: "t" }).papers;
    /** A paper with a file that another principal has sent. */
    async function paper(owner: string, uploader = "ada") {
      const scan = await stage.upload(uploader);
      // The answer shows the row to those who may read it.
      await stage.written(stage.send(uploader, "POST", "/papers", { owner, scan }));
      return { scan, id: Number(await stage.rowOf(scan)) };
    }

    describe.each(["which name their row", "of an earlier version, which name no row"])("with claims %s", (kind) => {
      const isOld = kind.includes("earlier");
      async function given(owner: string) {
        const made = await paper(owner);
        if (isOld) await stage.forgetRow(made.scan);
        return made;
      }

      test("are those of the row: not the uploader, not another tenant, and administrators", async () => {
        const scan = await stage.upload();
        expect(await stage.statuses(scan, "ada", "bo", "boss", "cy", "boss-of-u")).toEqual([200, 404, 200, 404, 404]);
        await stage.written(stage.send("ada", "POST", "/papers", { owner: "bo", scan }));
        if (isOld) await stage.forgetRow(scan);
        expect(await stage.statuses(scan, "ada", "bo", "boss", "cy", "boss-of-u")).toEqual([404, 200, 200, 404, 404]);
        expect((await stage.send("bo", "GET", `/files/${scan}`)).text).toBe("hello");
        const unknown = await stage.send("ada", "GET", `/files/${"0".repeat(32)}`);
        const hidden = await stage.send("ada", "GET", `/files/${scan}`);
        const general = ({ json }: Answered, id: string) => JSON.stringify({ ...json, requestId: "", instance: "" }).replaceAll(id, "");
        expect(general(hidden, scan)).toBe(general(unknown, "0".repeat(32)));
      });

      test("change with the scope, and the addresses go along", async () => {
        const { scan, id } = await given("bo");
        const { signedUrl, url } = (await stage.send("bo", "GET", `/papers/${id}?fields=scan{url,signedUrl}`)).json.scan;
        expect((await stage.send("bo", "GET", url)).status).toBe(200);
        await system().update(id, { owner: "ada" });
        expect(await stage.statuses(scan, "ada", "bo", "boss")).toEqual([200, 404, 200]);
        expect((await stage.send("bo", "GET", `/papers/${id}?fields=scan{signedUrl}`)).status).toBe(404);
        expect((await stage.send("bo", "GET", `/uploads/${scan}`)).status).toBe(404);
        // What was handed out is valid until it ends.
        expect((await stage.send("", "GET", signedUrl)).status).toBe(200);
        await system().update(id, { owner: "all" });
        expect(await stage.statuses(scan, "ada", "bo", "cy", "boss-of-u")).toEqual([200, 200, 404, 404]);
      });

      test("get no address of a file whose row they may not read, although they sent it", async () => {
        const { scan, id } = await given("bo");
        const mine = await stage.send("ada", "GET", `/uploads/${scan}`);
        expect(mine).toMatchObject({ status: 200, json: { id: scan, status: "ready", size: 5 } });
        expect([mine.json.url, mine.json.signedUrl]).toEqual([undefined, undefined]);
        const completed = await stage.send("ada", "POST", `/uploads/${scan}/complete`);
        expect([completed.status, completed.json.url, completed.json.signedUrl]).toEqual([201, undefined, undefined]);
        expect((await stage.send("boss", "GET", `/uploads/${scan}`)).json.signedUrl).toMatch(/^\/files\//);
        await system().update(id, { owner: "ada" });
        expect((await stage.send("ada", "GET", `/uploads/${scan}`)).json.signedUrl).toMatch(/^\/files\//);
        expect((await stage.send("ada", "POST", `/uploads/${scan}/complete`)).json.signedUrl).toMatch(/^\/files\//);
      });

      test("are its owner again when the field has another value", async () => {
        const { scan, id } = await given("bo");
        await system().update(id, { scan: null });
        expect(await stage.statuses(scan, "ada", "bo", "boss")).toEqual([200, 404, 200]);
        expect((await stage.send("ada", "GET", `/uploads/${scan}`)).json.signedUrl).toMatch(/^\/files\//);
        const [first, second] = [await given("bo"), await given("bo")];
        await system().remove(first.id);
        expect(await stage.statuses(first.scan, "ada", "bo")).toEqual([200, 404]);
        await system().update(second.id, { scan: first.scan });
        expect(await stage.statuses(first.scan, "ada", "bo")).toEqual([404, 200]);
        expect(await stage.rowOf(first.scan)).toBe(String(second.id));
      });

      test("may read the field, by its rules and by authorize", async () => {
        const draft = await stage.upload();
        const id = Number((await stage.written(stage.send("ada", "POST", "/papers", { owner: "all", draft }))).id);
        if (isOld) await stage.forgetRow(draft);
        expect(await stage.statuses(draft, "ada", "bo", "boss")).toEqual([200, 404, 200]);
        const { scan } = await given("all");
        expect(await stage.statuses(scan, "ada", "bo", "narrow", "refused", "cy")).toEqual([200, 200, 404, 404, 404]);
        expect((await stage.send("bo", "GET", `/papers/${id}`)).status).toBe(200);
      });
    });

    test("are not those of a row into which another program has written the id", async () => {
      const { scan } = await paper("ada");
      const outcome = await opened.storage
        .collection(papers.model)
        .insert({ id: 1_000_000, owner: "bo", scan, _version: "other", _updatedAt: new Date() }, { tenant: "t" });
      expect(outcome.ok).toBe(true);
      expect(await stage.statuses(scan, "ada", "bo")).toEqual([200, 404]);
    });

    test("are found for every id: a number, a big one, a text; and nobody reads what no operation reads", async () => {
      const [big, text, only] = [await stage.upload(), await stage.upload(), await stage.upload()];
      await stage.written(stage.send("ada", "POST", "/counted", { scan: big }));
      await stage.written(stage.send("ada", "POST", "/named", { id: "a b/ä", scan: text }));
      await stage.written(stage.send("ada", "POST", "/dropped", { id: "x", scan: only }));
      expect([await stage.rowOf(big), await stage.rowOf(text)]).toEqual(["1", "a b/ä"]);
      for (const id of [big, text]) expect(await stage.statuses(id, "ada", "bo", "cy")).toEqual([200, 200, 404]);
      expect(await stage.statuses(only, "ada", "bo", "boss")).toEqual([404, 404, 200]);
    });

    test("are the same in a version of the API that gives the field another name", async () => {
      const scan = await stage.upload();
      const version = { "x-api-version": "v2" };
      await stage.written(stage.send("ada", "POST", "/named", { id: "v2", picture: scan }, version));
      for (const isOld of [false, true]) {
        if (isOld) await stage.forgetRow(scan);
        const answers = await Promise.all(["ada", "bo", "cy"].map((who) => stage.send(who, "GET", `/files/${scan}`, undefined, version)));
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
      }
    });

    test.each([
      ["a batch", (scan: string) => stage.send("ada", "POST", "/papers/batch", { items: [{ owner: "all" }, { owner: "all", scan }] })],
      ["a batch of operations", (scan: string) => stage.send("ada", "POST", "/batch", operations(scan))],
      ["an import", (scan: string) => stage.send("ada", "POST", "/papers/import", `owner,scan\nall,${scan}\n`)],
      ["an update", (scan: string) => paper("all").then(({ id }) => stage.send("ada", "PATCH", `/papers/${id}`, { scan }))],
    ] as const)("are found for a row of %s", async (_, write) => {
      const scan = await stage.upload();
      const answer = await write(scan);
      expect(answer.status, answer.text).toBeLessThan(300);
      expect(await stage.rowOf(scan)).toMatch(/^\d+$/);
      expect(await stage.statuses(scan, "ada", "bo", "cy")).toEqual([200, 200, 404]);
    });
  },
  isWhole,
);

const operations = (scan: string) => ({ operations: [{ method: "POST", url: "/papers", body: { owner: "all", scan } }] });

describeStores(
  "readers of the files of rows in a table of the developer",
  ({ open }) => {
    let opened: OpenedStore;
    let stage: Stage | undefined;
    beforeEach(async () => {
      opened = await open();
      await run("create table kept (id integer primary key, scan varchar(40), gone boolean not null default false, org varchar(10))");
    });
    afterEach(async () => {
      await stage?.service.close();
      await opened.end();
    });
    const run = async (text: string) => void (await opened.storage.transaction?.(async (tx) => void (await tx.sql?.(text, []))));
    const table = { name: "kept", managed: false, version: "hash", softDelete: { column: "gone" } } as const;
    function serve(tenant: "shared" | { readonly column: string }): Stage {
      const schema = z.object({ id: z.int(), scan: file("any").nullable() });
      stage = openStage(opened.storage, [defineResource("kept", { schema, table: { ...table, tenant } })]);
      return stage;
    }

    test("are administrators while the row is kept as deleted, until it is restored", async () => {
      const { upload, written, send, statuses, rowOf } = serve({ column: "org" });
      const scan = await upload();
      await written(send("ada", "POST", "/kept", { id: 1, scan }));
      expect(await statuses(scan, "ada", "bo", "cy", "boss")).toEqual([200, 200, 404, 200]);
      expect((await send("ada", "DELETE", "/kept/1")).status).toBe(204);
      expect(await rowOf(scan)).toBe("1");
      expect(await statuses(scan, "ada", "bo", "cy", "boss")).toEqual([404, 404, 404, 200]);
      expect((await send("ada", "GET", `/uploads/${scan}`)).json).not.toHaveProperty("signedUrl");
      await run("update kept set gone = false");
      expect(await statuses(scan, "ada", "bo", "boss")).toEqual([200, 200, 200]);
    });

    test("are of every tenant if the table is", async () => {
      const { upload, written, send, statuses } = serve("shared");
      const scan = await upload();
      expect(await statuses(scan, "ada", "cy", "boss-of-u")).toEqual([200, 404, 404]);
      await written(send("ada", "POST", "/kept", { id: 1, scan }));
      expect(await statuses(scan, "ada", "bo", "cy")).toEqual([200, 200, 200]);
      expect((await send("cy", "GET", `/kept/1?fields=scan{size}`)).json).toEqual({ scan: { size: 5 } });
    });
  },
  ({ name }) => /SQL/.test(name),
);
