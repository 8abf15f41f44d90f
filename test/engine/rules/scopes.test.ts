import { afterAll, beforeAll, expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { rulesService, type SendAs } from "./rulesStage.js";

describeStores("rows in their scope", ({ open }) => {
  let as: SendAs;
  let end: () => Promise<void>;
  let own: number;
  let hidden: number;
  beforeAll(async () => {
    const opened = await open();
    const service = rulesService(opened.storage);
    as = service.as;
    end = async () => {
      await service.close();
      await opened.end();
    };
    own = (await as("ann", "POST", "/projects", { title: "own", slug: "own" })).json.id;
    hidden = (await as("bob", "POST", "/projects", { title: "hidden", slug: "hidden" })).json.id;
    for (const [who, projectId] of [
      ["ann", own],
      ["bob", hidden],
    ] as const)
      await as(who, "POST", "/tasks", { text: who, projectId });
  });
  afterAll(() => end());

  test("a list, its totals and its relations have only rows in scope", async () => {
    const projects = (await as("ann", "GET", "/projects?include=tasks&count=exact")).json;
    expect(projects.data.map(({ title }: { title: string }) => title)).toEqual(["own"]);
    expect(projects.meta.total).toBe(1);
    expect(projects.data[0].tasks).toHaveLength(1);
    expect((await as("ann", "GET", "/tasks")).json.data.map(({ text }: { text: string }) => text)).toEqual(["ann"]);
    expect((await as("ann", "GET", "/tasks?project.title=hidden")).json.data).toEqual([]);
    expect((await as("root", "GET", "/tasks")).json.data).toHaveLength(2);
  });

  test("a hidden row and a missing row have the same answer", async () => {
    for (const [method, body] of [["GET"], ["PATCH", { title: "x" }], ["DELETE"], ["PUT", { title: "x" }]] as const) {
      const [one, other] = [await as("ann", method, `/projects/${hidden}`, body), await as("ann", method, "/projects/99999", body)];
      expect(one.status).toBe(404);
      const neutral = ({ text }: typeof one, id: number) =>
        text
          .replace(/"instance":"[^"]*"/, "")
          .replaceAll(String(id), "ID")
          .replace(/"requestId":"[^"]*"/, "");
      expect(neutral(one, hidden)).toBe(neutral(other, 99999));
    }
    expect((await as("bob", "GET", `/projects/${hidden}`)).json.title).toBe("hidden");
  });

  test("stamps are set by the server, and clients cannot set them", async () => {
    expect((await as("ann", "GET", `/projects/${own}`)).json).toMatchObject({ ownerId: "ann", editedBy: "ann" });
    expect((await as("ann", "POST", "/projects", { title: "x", ownerId: "bob" })).status).toBe(422);
    expect(
      (await as("root", "PATCH", `/projects/${own}`, { title: "own again" }, { "content-type": "application/merge-patch+json" })).json,
    ).toMatchObject({
      ownerId: "ann",
      editedBy: "root",
    });
  });

  test("a foreign key must name a row in scope", async () => {
    const [one, other] = [
      await as("ann", "POST", "/tasks", { text: "x", projectId: hidden }),
      await as("ann", "POST", "/tasks", { text: "x", projectId: 9999 }),
    ];
    expect([one.status, one.json.code]).toEqual([422, "UNKNOWN_REFERENCE"]);
    expect(other.status).toBe(422);
    const orphan = await as("ann", "POST", "/tasks", { text: "x", projectId: null });
    expect([orphan.status, orphan.json.code]).toEqual([403, "OUT_OF_SCOPE"]);
  });

  test("a taken key of a hidden row is a duplicate", async () => {
    const answer = await as("ann", "POST", "/projects", { title: "x", slug: "hidden" });
    expect([answer.status, answer.json.code]).toEqual([422, "DUPLICATE_SLUG"]);
  });

  test("batches change only rows in scope", async () => {
    const body = { items: [own, hidden].map((id) => ({ id, changes: { title: "own" } })) };
    const updated = (await as("ann", "PATCH", "/projects/batch", body)).json;
    expect(updated.results.map(({ status }: { status: number }) => status)).toEqual([200, 404]);
    expect((await as("ann", "DELETE", "/projects?title[like]=*&dryRun=true")).json.matched).toBe(1);
    const created = (await as("ann", "POST", "/tasks/batch", { items: [own, hidden, null].map((projectId) => ({ text: "b", projectId })) })).json;
    expect(created.results.map(({ status }: { status: number }) => status)).toEqual([201, 422, 403]);
  });
});
