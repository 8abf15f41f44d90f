import { defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";

/** Who is called "drop" writes rows that only others may read. */
const pages = defineResource("pages", {
  schema: z.object({ slug: z.string(), title: z.string(), ownerId: z.string() }),
  id: "slug",
  unique: ["title"],
  stamp: { ownerId: ({ principal }) => principal.id },
  scope({ principal, action }) {
    if (principal.id === "drop") return action === "create" || action === "update" || { ownerId: "nobody" };
    return action === "read" && principal.id === "reader" ? true : { ownerId: principal.id };
  },
});

/** Anybody may take a ticket that is free, but not give it to another. */
const tickets = defineResource("tickets", {
  schema: z.object({ id: z.int(), text: z.string(), agentId: z.string().nullable().default(null) }),
  generated: { id: "increment" },
  scope({ principal, action, when }) {
    if (action === "read" || action === "create") return true;
    if (action === "update" && when === "before") return { or: [{ agentId: principal.id }, { agentId: null }] };
    return { agentId: principal.id };
  },
});

const patch = { "content-type": "application/merge-patch+json" };

describeStores("what clients see of scopes", ({ open }) => {
  let opened: OpenedStore;
  let as: (who: string, method: string, target: string, body?: unknown, headers?: object) => ReturnType<ReturnType<typeof clientOf>>;
  let close: () => Promise<void>;
  beforeAll(async () => {
    opened = await open();
    const service = fullService({ resources: [pages, tickets], storage: opened.storage, auth: [bearer((id) => ({ id }))] });
    const client = clientOf(service);
    as = (who, method, target, body, headers = {}) => client({ method, target, body, headers: { authorization: `Bearer ${who}`, ...headers } });
    close = () => service.close();
    await as("bob", "PUT", "/pages/bob", { title: "Bob's" });
  });
  afterAll(async () => {
    await close();
    await opened.end();
  });

  test("PUT with the id of a hidden row: the id is taken, and conditions find no row", async () => {
    const put = async (headers: object) => {
      const { status, json } = await as("ann", "PUT", "/pages/bob", { title: "Ann's" }, headers);
      return [status, json.code];
    };
    expect(await put({})).toEqual([422, "DUPLICATE_SLUG"]);
    expect((await put({ "if-none-match": "*" }))[0]).toBe(412);
    expect((await put({ "if-match": "*" }))[0]).toBe(412);
    expect((await put({ "if-match": '"x"' }))[0]).toBe(412);
    expect((await as("bob", "GET", "/pages/bob")).json).toMatchObject({ title: "Bob's", ownerId: "bob" });
  });

  test("POST and PATCH with a taken key of a hidden row: a duplicate", async () => {
    await as("ann", "PUT", "/pages/ann", { title: "Ann's" });
    for (const answer of [
      await as("ann", "POST", "/pages", { slug: "new", title: "Bob's" }),
      await as("ann", "PATCH", "/pages/ann", { title: "Bob's" }, patch),
    ]) {
      expect([answer.status, answer.json.code]).toEqual([422, "DUPLICATE_TITLE"]);
      expect(answer.text).not.toContain('"ownerId"');
    }
    const posted = await as("ann", "POST", "/pages", { slug: "bob", title: "other" });
    expect([posted.status, posted.json.code]).toEqual([422, "DUPLICATE_SLUG"]);
  });

  test("a row that may be read only: 403, before its conditions and its body are judged", async () => {
    for (const [method, body] of [
      ["PUT", { title: 1 }],
      ["PATCH", { title: 1 }],
      ["DELETE", undefined],
    ] as const) {
      const refused = await as("reader", method, "/pages/bob", body, { "if-match": '"x"' });
      expect([method, refused.status, refused.json.code]).toEqual([method, 403, "FORBIDDEN"]);
    }
    expect((await as("reader", "GET", "/pages/bob")).status).toBe(200);
  });

  test("a row that may not be read after it was written: the write stands, and shows nothing", async () => {
    const put = await as("drop", "PUT", "/pages/dropped", { title: "Dropped" });
    expect([put.status, put.text, put.headers["etag"], put.headers["location"]]).toEqual([201, "", undefined, "/pages/dropped"]);
    const posted = await as("drop", "POST", "/pages", { slug: "posted", title: "Posted" });
    expect([posted.status, posted.text, posted.headers["etag"], posted.headers["location"]]).toEqual([201, "", undefined, "/pages/posted"]);
    const { json } = await as("drop", "POST", "/pages/batch", { items: [{ slug: "item", title: "Item" }] });
    expect(json.results).toEqual([{ index: 0, status: 201, id: "item", location: "/pages/item" }]);
    expect((await as("reader", "GET", "/pages?ownerId=drop")).json.meta.total).toBe(3);
    expect((await as("drop", "GET", "/pages/dropped")).status).toBe(404);
  });

  test("before and after: a free row may be taken, and not be given away", async () => {
    const { id } = (await as("ann", "POST", "/tickets", { text: "t" })).json;
    const give = (who: string, agentId: string | null) => as(who, "PATCH", `/tickets/${id}`, { agentId }, patch);
    const given = await give("ann", "bob");
    expect([given.status, given.json.code]).toEqual([403, "OUT_OF_SCOPE"]);
    expect((await give("ann", "ann")).status).toBe(200);
    const taken = await give("bob", "bob");
    expect([taken.status, taken.json.code]).toEqual([403, "FORBIDDEN"]);
    expect((await as("bob", "DELETE", `/tickets/${id}`)).status).toBe(403);
    expect((await give("ann", null)).json.code).toBe("OUT_OF_SCOPE");
    expect((await as("bob", "GET", `/tickets/${id}`)).json.agentId).toBe("ann");
  });
});
