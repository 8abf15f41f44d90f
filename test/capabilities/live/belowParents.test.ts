import { belongsTo, createService, defineResource, hasMany, type Principal } from "restwright";
import { bearer } from "restwright/auth";
import { live } from "restwright/live";
import { memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { EventStreamClient, words } from "../../tools/eventStreamClient.js";
import { untilTrue } from "../../tools/eventually.js";
import { describeInStorages } from "../../tools/storage/describeInStorages.js";
import { served } from "./stage.js";

/** The parents that a caller may not read any more. */
const hidden = new Set<string>();

const teams = defineResource("teams", {
  schema: z.object({ id: z.string() }),
  relations: { tasks: hasMany("tasks", "teamId") },
  scope: ({ principal }: { principal: Principal }) => (principal.scopes?.includes("all") ? true : { id: { nin: [...hidden] } }),
});

const tasks = defineResource("tasks", {
  schema: z.object({ id: z.string(), teamId: z.string(), done: z.boolean().default(false) }),
  relations: { team: belongsTo("teams", "teamId") },
  filter: ["done"],
  live: true,
});

function serviceWith(storage = memoryStorage() as Parameters<typeof createService>[0]["storage"]) {
  const service = createService({
    resources: [teams, tasks],
    storage,
    secrets: ["a secret of the service itself"],
    logger: false,
    auth: [bearer((id) => ({ id }))],
    principals: { reload: (principal) => principal },
    use: [live()],
  });
  onTestFinished(async () => {
    hidden.clear();
    await service.close({ graceMs: 0 });
  });
  return service;
}

const told = (count: number) => (all: { readonly length: number }) => all.length >= count;

describeInStorages("a stream below a parent", async (open) => {
  test("tells of the children, of one that comes and of one that goes to another", async () => {
    const service = serviceWith((await open()).storage);
    const url = await served(service);
    const system = service.asSystem();
    for (const id of ["red", "blue"]) await system.teams.create({ id });
    await system.tasks.create({ id: "old", teamId: "red" });
    const list = await EventStreamClient.connect(`${url}/teams/red/tasks?done=false`, { token: "ada" });
    const row = await EventStreamClient.connect(`${url}/teams/red/tasks/old`, { token: "ada" });
    await Promise.all([list.until(told(1)), row.until(told(1))]);
    await system.tasks.create({ id: "a", teamId: "red" });
    await system.tasks.create({ id: "b", teamId: "blue" });
    await list.until(told(2));
    await system.tasks.update("b", { teamId: "red" });
    await list.until(told(3));
    await system.tasks.update("a", { done: true });
    await list.until(told(4));
    await system.tasks.update("old", { teamId: "blue" });
    await list.until(told(5));
    expect(words(list.told)).toEqual(["ready", "created a", "changed b", "left a", "left old"]);
    expect(words(await row.until(told(2)))).toEqual(["ready", "left old"]);
  });
});

test("a page of changes below a parent has those of the children", async () => {
  const service = serviceWith();
  const send = clientOf(service);
  const system = service.asSystem();
  for (const id of ["red", "blue"]) await system.teams.create({ id });
  const headers = { authorization: "Bearer ada" };
  const { json } = await send({ target: "/teams/red/tasks?changedAfter=", headers });
  await system.tasks.create({ id: "b", teamId: "blue" });
  await system.tasks.create({ id: "a", teamId: "red" });
  const page = await send({ target: `/teams/red/tasks?changedAfter=${json.meta.position}`, headers });
  expect(page.json.data).toMatchObject([{ kind: "created", id: "a" }]);
  const other = await send({ target: `/teams/blue/tasks?changedAfter=${json.meta.position}`, headers });
  expect({ status: other.status, json: other.json }).toMatchObject({ status: 400, json: { code: "INVALID_POSITION" } });
});

test("a parent that does not exist, or may not be read, is 404 for its stream too", async () => {
  const service = serviceWith();
  const url = await served(service);
  await service.asSystem().teams.create({ id: "red" });
  hidden.add("red");
  for (const id of ["red", "green"]) {
    const { status, problem } = await EventStreamClient.connect(`${url}/teams/${id}/tasks`, { token: "ada" });
    expect({ status, problem }).toMatchObject({ status: 404, problem: { code: "NOT_FOUND" } });
  }
});

test("the stream ends when the caller may not read the parent any more", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const service = serviceWith();
  const url = await served(service);
  const system = service.asSystem();
  await system.teams.create({ id: "red" });
  const client = await EventStreamClient.connect(`${url}/teams/red/tasks`, { token: "ada" });
  await client.until(told(1));
  await system.tasks.create({ id: "a", teamId: "red" });
  await client.until(told(2));
  hidden.add("red");
  vi.setSystemTime(Date.now() + 61_000);
  await system.tasks.create({ id: "b", teamId: "red" });
  await untilTrue(() => client.isEnded);
  expect(words(client.told)).toEqual(["ready", "created a"]);
});
