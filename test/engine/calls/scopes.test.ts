import { createService, defineResource, ProblemError } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { z } from "zod";
import { rulesService } from "../rules/rulesStage.js";

test("calls on behalf of a principal see rows in scope only, and stamp what they create", async () => {
  const { service } = rulesService(memoryStorage());
  const [ann, bob] = [service.as({ id: "ann" }), service.as({ id: "bob" })];
  const own = await ann["projects"]?.create({ title: "own" });
  expect(own).toMatchObject({ ownerId: "ann", editedBy: "ann" });
  expect((await bob["projects"]?.list())?.data).toEqual([]);
  await expect(bob["projects"]?.get(own?.["id"] as number)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(bob["tasks"]?.create({ text: "x", projectId: own?.["id"] })).rejects.toMatchObject({ code: "UNKNOWN_REFERENCE" });
  expect(await service.asSystem()["projects"]?.count()).toBe(1);
});

test("calls of the system change a stamped field alone", async () => {
  const { service } = rulesService(memoryStorage());
  const projects = service.asSystem().projects;
  const { id } = await service.as({ id: "ann" }).projects.create({ title: "given" });
  const given = await projects.update(id, { ownerId: "bob" });
  expect(given).toMatchObject({ ownerId: "bob", editedBy: "ann" });
  expect(await projects.replace(id, { title: "given", ownerId: "cleo", editedBy: "ann" })).toMatchObject({ ownerId: "cleo" });
  expect((await projects.get(id)).ownerId).toBe("cleo");
  await service.close();
});

test("a principal who changes nothing is not stamped", async () => {
  const { service, as } = rulesService(memoryStorage());
  const { id } = await service.as({ id: "ann" }).projects.create({ title: "kept" });
  const before = (await as("root", "GET", `/projects/${id}`)).headers["etag"];
  for (const [method, body] of [
    ["PATCH", { title: "kept" }],
    ["PATCH", { title: "kept", editedBy: "bob" }],
    ["PUT", { title: "kept" }],
  ] as const) {
    const { status, json, headers } = await as("root", method, `/projects/${id}`, body, { "content-type": "application/json" });
    expect([status, json.editedBy, headers["etag"]]).toEqual([200, "ann", before]);
  }
  await service.close();
});

test("a scope that reads memberships by a call is asked before the transaction begins", async () => {
  const members = defineResource("members", {
    schema: z.object({ id: z.int(), userId: z.string(), teamId: z.string() }),
    generated: { id: "increment" },
  });
  let asked = 0;
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), teamId: z.string(), text: z.string() }),
    generated: { id: "increment" },
    async scope({ principal }) {
      asked += 1;
      return { teamId: await teamsOf(principal.id) };
    },
  });
  const service = createService({ resources: [members, notes], storage: memoryStorage(), logger: false });
  async function teamsOf(userId: string): Promise<string[]> {
    const { data } = (await service.asSystem()["members"]?.list({ where: { userId } })) ?? { data: [] };
    return data.map(({ teamId }) => teamId as string);
  }
  await service.asSystem()["members"]?.create({ userId: "ann", teamId: "red" });
  await service.transaction({ id: "ann" }, async (tx) => {
    const before = asked;
    const note = await tx["notes"]?.create({ teamId: "red", text: "a" });
    await tx["notes"]?.update(note?.["id"] as number, { text: "b" });
    await expect(tx["notes"]?.create({ teamId: "blue", text: "c" })).rejects.toMatchObject({ code: "OUT_OF_SCOPE" });
    expect(asked).toBe(before);
  });
  expect((await service.as({ id: "ann" })["notes"]?.list())?.data).toMatchObject([{ teamId: "red", text: "b" }]);
});

test("a rule that refuses one action does not refuse a transaction that does not need it", async () => {
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), text: z.string() }),
    generated: { id: "increment" },
    scope({ action }) {
      if (action === "remove") throw new ProblemError("FORBIDDEN", "Notes are kept.");
      return true;
    },
  });
  const service = createService({ resources: [notes], storage: memoryStorage(), logger: false });
  const removal = service.transaction({ id: "ann" }, async (tx) => {
    const { id } = await tx.notes.create({ text: "a" });
    await tx.notes.remove(id);
  });
  await expect(removal).rejects.toMatchObject({ code: "FORBIDDEN" });
  await service.transaction({ id: "ann" }, async (tx) => tx.notes.create({ text: "b" }));
  expect((await service.as({ id: "ann" }).notes.list()).data).toMatchObject([{ text: "b" }]);
});
