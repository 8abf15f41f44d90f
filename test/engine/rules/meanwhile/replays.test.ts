// @long

import { expect, test } from "vitest";
import { describeRights } from "./onStores.js";

describeRights("the replay of an Idempotency-Key", (open) => {
  /** Ann, an admin, sends a request under a key; `again` sends the same once more. */
  async function sent(method: string, target: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    const stage = await open();
    const process = stage.process(false);
    stage.roles.set("ann", "admin");
    const ids = await stage.seed(process, "bob", 3);
    const at = target.replace("{id}", String(ids[0]));
    const bodyAt = JSON.parse(JSON.stringify(body ?? null).replaceAll('"{id}"', String(ids[0]))) ?? undefined;
    const again = () => process.as("ann", method, at, bodyAt, { "idempotency-key": "0123456789abcdef", ...headers });
    const first = await again();
    if (first.status >= 300) throw new Error(first.text);
    const asRoot = async (rootMethod: string, id: number, change?: unknown) => {
      const answer = await process.as("root", rootMethod, `/notes/${id}`, change);
      if (answer.status >= 300) throw new Error(answer.text);
    };
    return { stage, process, ids, first, again, asRoot };
  }

  const created = () => sent("POST", "/notes", { text: "new", owner: "ann" });

  test("is the same for the same rights, and for more", async () => {
    const { stage, first, again } = await created();
    const replay = await again();
    expect([replay.text, replay.headers["idempotent-replayed"]]).toEqual([first.text, "true"]);
    stage.roles.set("ann", "member");
    expect((await again()).text).toBe(first.text);
  });

  test("is 403 for a row that has left the scope", async () => {
    const { stage, first, again, asRoot } = await created();
    stage.roles.set("ann", "member");
    await asRoot("PATCH", first.json.id, { owner: "bob" });
    const replay = await again();
    expect([replay.status, replay.json.code]).toEqual([403, "FORBIDDEN"]);
    expect(replay.text).not.toContain("new");
    await asRoot("PATCH", first.json.id, { owner: "ann" });
    expect((await again()).text).toBe(first.text);
  });

  test("is the stored answer if the row is gone", async () => {
    const { stage, first, again, asRoot } = await created();
    stage.roles.set("ann", "member");
    await asRoot("DELETE", first.json.id);
    expect((await again()).text).toBe(first.text);
  });

  test("is 403 for a principal that may read no row, also if the row is gone", async () => {
    const { stage, first, again, asRoot } = await created();
    stage.roles.set("ann", "outsider");
    expect((await again()).status).toBe(403);
    await asRoot("DELETE", first.json.id);
    expect((await again()).status).toBe(403);
  });

  test.each([
    ["PATCH", "/notes/{id}", { text: "changed" }],
    ["POST", "/notes/{id}/change", {}],
    ["POST", "/notes/change", { items: [{ id: "{id}" }] }],
    ["POST", "/batch", { operations: [{ method: "POST", url: "/notes/1/change" }] }],
    ["PUT", "/notes/{id}", { text: "changed", owner: "bob" }],
    ["PATCH", "/notes/batch", { items: [{ id: "{id}", changes: { text: "changed" } }] }],
    ["POST", "/notes/batch", { items: [{ text: "new", owner: "bob" }] }],
    ["POST", "/notes/bulk-update?owner=bob", { text: "changed" }],
    ["POST", "/batch", { operations: [{ method: "POST", url: "/notes", body: { text: "new", owner: "bob" } }] }],
    [
      "POST",
      "/batch",
      {
        operations: [
          { method: "POST", url: "/notes", body: { text: "new", owner: "ann" } },
          { method: "GET", url: "/notes?fields=text&owner=bob" },
        ],
      },
    ],
    [
      "POST",
      "/batch",
      {
        operations: [
          { method: "POST", url: "/notes", body: { text: "new", owner: "ann" } },
          { method: "GET", url: "/notes/{id}" },
        ],
      },
    ],
  ] as const)("of %s %s is 403 if it shows a row of somebody else", async (method, target, body) => {
    const text = JSON.parse(JSON.stringify(body));
    const inUrl = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll("/notes/{id}", "/notes/1"));
    const { stage, first, again } = await sent(method, target, inUrl(text));
    expect((await again()).text).toBe(first.text);
    stage.roles.set("ann", "member");
    expect((await again()).status).toBe(403);
  });

  test("of an atomic batch looks at its rows too", async () => {
    const operations = [{ method: "POST", url: "/notes", body: { text: "new", owner: "bob" } }];
    const { stage, first, again } = await sent("POST", "/batch", { operations }, { prefer: "handling=strict" });
    expect((await again()).text).toBe(first.text);
    stage.roles.set("ann", "member");
    expect((await again()).status).toBe(403);
  });

  test("of an answer that shows no row does not depend on the scope", async () => {
    for (const [method, target, body] of [
      ["POST", "/notes", { text: "new", owner: "bob" }],
      ["POST", "/notes/batch", { items: [{ text: "new", owner: "bob" }] }],
    ] as const) {
      const { stage, first, again } = await sent(method, target, body, { prefer: "return=minimal" });
      stage.roles.set("ann", "outsider");
      const replay = await again();
      expect([replay.status, replay.text]).toEqual([first.status, first.text]);
    }
  });

  test("of a DELETE that showed the row: the row is gone, so that only a scope of false refuses it", async () => {
    const { stage, first, again } = await sent("DELETE", "/notes/{id}", undefined, { prefer: "return=representation" });
    stage.roles.set("ann", "member");
    expect((await again()).text).toBe(first.text);
    stage.roles.set("ann", "outsider");
    expect((await again()).status).toBe(403);
  });

  test("looks at related rows that the answer includes", async () => {
    const stage = await open();
    if (!stage.hasParents) return;
    const process = stage.process(false);
    stage.roles.set("ann", "admin");
    const [noteId] = await stage.seed(process, "ann", 1);
    const operations = [
      { method: "POST", url: "/sheets", body: { noteId } },
      { method: "GET", url: "/sheets?include=note&fields=note.text" },
    ];
    const again = () => process.as("ann", "POST", "/batch", { operations }, { "idempotency-key": "0123456789abcdef" });
    const first = await again();
    stage.roles.set("ann", "member");
    expect((await again()).text).toBe(first.text);
    await process.as("root", "PATCH", `/notes/${noteId}`, { owner: "bob" });
    expect((await again()).status).toBe(403);
  });
});
