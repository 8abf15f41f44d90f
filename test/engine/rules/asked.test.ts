// @slow

import { belongsTo, createService, defineResource, hasMany, type ScopeQuestion, type Storage, within } from "restwright";
import { actions, respond } from "restwright/actions";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { searches } from "restwright/searches";
import { transfer } from "restwright/transfer";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";

/** A service whose scopes note how they are asked, and whether a transaction was open then. */
function noting({ delayMs = 0, rule }: { readonly delayMs?: number; readonly rule?: (question: ScopeQuestion) => unknown } = {}) {
  const asked: string[] = [];
  let open = 0;
  let meanwhile = 0;
  const scoped = (name: string, own: (question: ScopeQuestion) => unknown) => async (question: ScopeQuestion) => {
    asked.push(`${name} ${question.action} ${question.when}`);
    meanwhile += open;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    meanwhile += open;
    return own(question) as boolean;
  };
  const lists = defineResource("lists", {
    schema: z.object({ id: z.string(), ownerId: z.string() }),
    relations: { tasks: hasMany("tasks", "listId") },
    scope: scoped("lists", rule ?? (({ principal }) => ({ ownerId: principal.id }))),
    stamp: {
      ownerId: ({ principal }) => {
        asked.push("lists stamp");
        meanwhile += open;
        return principal.id;
      },
    },
  });
  const tasks = defineResource("tasks", {
    schema: z.object({ id: z.string().regex(/\d|^[a-z]$/), text: z.string(), listId: z.string() }),
    actions: ({ action }) => ({
      move: action({ on: "row", input: z.object({ listId: z.string() }), batch: true, run: ({ input }) => ({ listId: input.listId }) }),
      show: action({ on: "row", method: "GET", run: ({ row }) => respond({ text: row.text }) }),
      tally: action({ on: "collection", method: "GET", run: () => 1 }),
    }),
    unique: ["text"],
    relations: { list: belongsTo("lists", "listId", { filter: ["ownerId"] }) },
    scope: scoped("tasks", () => within("list")),
  });
  const memory = memoryStorage();
  const storage: Storage = {
    ...memory,
    async transaction(run, options) {
      open += 1;
      try {
        return await (memory.transaction?.(run, options) as ReturnType<typeof run>);
      } finally {
        open -= 1;
      }
    },
  };
  const service = createService({
    resources: [lists, tasks],
    storage,
    use: [batch(), searches(), transfer(), actions()],
    auth: [bearer((token) => ({ id: token }))],
  });
  onTestFinished(() => service.close());
  const client = clientOf(service);
  const send = (method: string, target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    client({ method, target, body, headers: { authorization: "Bearer ann", ...headers } });
  return {
    send,
    /** What was asked by a request, in the order of the alphabet. */
    async askedBy(...request: Parameters<typeof send>) {
      asked.length = 0;
      meanwhile = 0;
      const answer = await send(...request);
      return { answer, asked: [...asked].sort(), meanwhile };
    },
  };
}

const strict = { prefer: "handling=strict" };

describe("scopes are asked", () => {
  test("once for a list with its relations", async () => {
    const { send, askedBy } = noting();
    await send("POST", "/lists", { id: "l" });
    await send("POST", "/tasks", { id: "t", text: "one", listId: "l" });
    const { asked, answer } = await askedBy("GET", "/lists?include=tasks.list&count=exact");
    expect([answer.status, asked]).toEqual([200, ["lists read before", "tasks read before"]]);
  });

  test("once for a batch of a thousand, and not within its transaction", async () => {
    const { send, askedBy } = noting();
    await send("POST", "/lists", { id: "l" });
    const items = Array.from({ length: 1_000 }, (_, index) => ({ id: `t${index}`, text: `${index}`, listId: "l" }));
    for (const headers of [{}, strict]) {
      const created = await askedBy(
        "POST",
        "/tasks/batch",
        { items: items.map(({ id, text, listId }) => ({ id: `${id}${headers === strict}`, text: `${text}${headers === strict}`, listId })) },
        headers,
      );
      expect([created.answer.status, created.meanwhile, created.asked]).toEqual([
        200,
        0,
        ["lists read before", "tasks create after", "tasks read before"],
      ]);
      const changed = await askedBy(
        "PATCH",
        "/tasks/batch",
        { items: items.map(({ id }) => ({ id: `${id}${headers === strict}`, changes: { listId: "l" } })) },
        headers,
      );
      expect([changed.answer.json.summary, changed.meanwhile, changed.asked]).toEqual([
        expect.objectContaining({ failed: 0 }),
        0,
        ["lists read before", "tasks read before", "tasks update after", "tasks update before"],
      ]);
    }
  });

  test("once for an action, and once for a batch of it", async () => {
    const { send, askedBy } = noting();
    await send("POST", "/lists", { id: "l" });
    const ids = Array.from({ length: 40 }, (_, index) => `t${index}`);
    await send("POST", "/tasks/batch", { items: ids.map((id) => ({ id, text: id, listId: "l" })) });
    const moved = ["lists read before", "tasks move after", "tasks move before", "tasks read before"];
    const one = await askedBy("POST", "/tasks/t1/move", { listId: "l" });
    expect([one.answer.status, one.meanwhile, one.asked]).toEqual([200, 0, moved]);
    const below = await askedBy("POST", "/lists/l/tasks/t1/move", { listId: "l" });
    expect([below.answer.status, below.meanwhile, below.asked]).toEqual([200, 0, moved]);
    for (const headers of [{}, strict]) {
      const many = await askedBy("POST", "/tasks/move", { items: ids.map((id) => ({ id, input: { listId: "l" } })) }, headers);
      expect([many.answer.json.summary, many.meanwhile, many.asked]).toEqual([expect.objectContaining({ failed: 0 }), 0, moved]);
    }
    const atomic = await askedBy("POST", "/batch", { operations: [{ method: "POST", url: "/tasks/t1/move", body: { listId: "l" } }] }, strict);
    expect([atomic.answer.status, atomic.meanwhile, atomic.asked]).toEqual([200, 0, moved]);
    const read = await askedBy("GET", "/tasks/t1/show");
    expect([read.answer.status, read.asked]).toEqual([200, ["lists read before", "tasks read before", "tasks show before"]]);
    expect((await askedBy("GET", "/tasks/tally")).asked).toEqual([]);
  });

  test("by an import before its transaction", async () => {
    const { send, askedBy } = noting();
    await send("POST", "/lists", { id: "l" });
    for (const mode of [
      "mode=insert",
      "mode=upsert&key=id",
      "mode=update&key=id",
      "mode=update&key=id&dryRun=true",
      "mode=upsert&key=text&onError=stop",
    ]) {
      const { answer, meanwhile, asked } = await askedBy("POST", `/tasks/import?${mode}`, "id,text,listId\nt1,a,l\n", { "content-type": "text/csv" });
      expect([mode, answer.status, meanwhile, new Set(asked).size]).toEqual([mode, 200, 0, asked.length]);
    }
  });

  test("by a batch for each of its operations", async () => {
    const { send, askedBy } = noting();
    await send("POST", "/lists", { id: "l" });
    const operations = ["a", "b"].map((id) => ({ method: "POST", url: "/tasks", body: { id, text: id, listId: "l" } }));
    const once = ["lists read before", "tasks create after", "tasks read before"];
    const { answer, asked } = await askedBy("POST", "/batch", { operations });
    expect([answer.status, asked]).toEqual([200, [...once, ...once].sort()]);
  });
});

describe("an atomic batch asks the scopes of all operations before its first write", () => {
  const operations = [
    { method: "POST", url: "/lists", body: { id: "made" } },
    { method: "POST", url: "/tasks", body: { id: "t", text: "one", listId: "made" } },
    { method: "PUT", url: "/tasks/t", body: { text: "two", listId: "made" } },
    { method: "PATCH", url: "/lists/made/tasks/t", body: { text: "three" } },
    { method: "GET", url: "/lists?include=tasks" },
    { method: "GET", url: "/tasks?list.ownerId=ann&include=list" },
    { method: "QUERY", url: "/lists/made/tasks", body: { filter: { "list.ownerId": "ann" } } },
    { method: "DELETE", url: "/tasks/t" },
  ];

  test.each([0, 50])("which take %i ms", async (delayMs) => {
    const { askedBy } = noting({ delayMs });
    const { answer, meanwhile, asked } = await askedBy("POST", "/batch", { operations }, strict);
    expect([answer.json.results.map(({ status }: { status: number }) => status), meanwhile]).toEqual([[201, 201, 200, 200, 200, 200, 200, 204], 0]);
    expect(asked.filter((question) => question === "tasks create after")).toHaveLength(2);
  });

  test("also where a reference decides what is asked", async () => {
    const { send, askedBy } = noting();
    await send("POST", "/lists", { id: "tasks" });
    const { answer, meanwhile } = await askedBy(
      "POST",
      "/batch",
      {
        operations: [
          { method: "GET", url: "/lists/tasks", name: "one" },
          { method: "QUERY", url: "/lists", body: { include: [{ $result: "one.data.id" }] } },
        ],
      },
      strict,
    );
    expect([answer.status, answer.json.results?.[1]?.data?.data?.[0]?.tasks, meanwhile]).toEqual([200, [], 0]);
  });

  test("and rolls back if one of them throws", async () => {
    const { askedBy, send } = noting({
      rule: ({ action }) => {
        if (action === "remove") throw new Error("The directory does not answer.");
        return true;
      },
    });
    const { answer } = await askedBy("POST", "/batch", { operations: [operations[0], { method: "DELETE", url: "/lists/made" }] }, strict);
    expect([answer.status, (await send("GET", "/lists/made")).status]).toEqual([500, 404]);
  });
});

test("a scope may name five thousand ids", async () => {
  const ids = Array.from({ length: 5_000 }, (_, index) => `l${index}`);
  const { send } = noting({ rule: () => ({ id: ids }) });
  await send("POST", "/lists", { id: "l4999" });
  expect((await send("POST", "/lists", { id: "other" })).json.code).toBe("OUT_OF_SCOPE");
  expect((await send("GET", "/lists?count=exact")).json.meta.total).toBe(1);
});

test("a scope by the time of the request works with cursors", async () => {
  const stays = defineResource("stays", {
    schema: z.object({ id: z.string(), until: z.date() }),
    scope: () => ({ until: { gte: new Date() } }),
  });
  const service = createService({ resources: [stays], storage: memoryStorage() });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  for (const id of ["a", "b", "c"])
    await send({ method: "POST", target: "/stays", body: { id, until: new Date(Date.now() + 60_000).toISOString() } });
  const first = (await send({ target: "/stays?perPage=2" })).json;
  await new Promise((resolve) => setTimeout(resolve, 5));
  const next = await send({ target: `/stays?perPage=2&cursor=${encodeURIComponent(first.meta.nextCursor)}` });
  expect([next.status, next.json.data.map(({ id }: { id: string }) => id)]).toEqual([200, ["c"]]);
});
