import { anonymous, ConfigurationError, defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { FakeClock, testService } from "restwright/testing";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string(), ownerId: z.string(), createdAt: z.date() }),
  generated: { id: "increment", createdAt: "createdAt" },
  stamp: { ownerId: ({ principal }) => principal.id },
  scope: ({ principal }) => ({ ownerId: principal.id }),
});

const [ann, bob] = [{ id: "ann" }, { id: "bob" }];

function opened<T extends { close(): Promise<void> }>(service: T): T {
  onTestFinished(() => service.close());
  return service;
}

test("requests and calls act for the principals that the test names", async () => {
  const service = opened(testService([notes]));
  const created = await service.fetch("/notes", { as: ann, method: "POST", json: { text: "Buy seeds" } });
  expect(created.status).toBe(201);
  expect(await service.as(ann).notes.get(1)).toMatchObject({ text: "Buy seeds", ownerId: "ann" });
  await expect(service.as(bob).notes.get(1)).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect((await service.fetch("/notes/1", { as: bob })).status).toBe(404);
  expect((await service.fetch(new Request("http://localhost/notes/1"), { as: ann })).status).toBe(200);
  expect(await service.asSystem().notes.count()).toBe(1);
});

test.each([{ id: "" }, { id: "ann", tenant: "" }])("the principal %j is refused", async (nameless) => {
  const service = opened(testService({ resources: [notes], anonymous: "allow" }));
  await expect(service.fetch("/notes", { as: nameless, method: "POST", json: { text: "x" } })).rejects.toThrow(ConfigurationError);
  expect(() => service.as(nameless)).toThrow(ConfigurationError);
  expect(await service.asSystem().notes.count()).toBe(0);
});

test("a request without a principal is 401, unless the service lets it be anonymous", async () => {
  const closed = opened(testService([notes]));
  expect((await closed.fetch("/notes", { headers: { test: "ann" } })).status).toBe(401);
  const open = opened(testService({ resources: [notes], anonymous: "allow" }));
  expect((await open.fetch("/notes", { method: "POST", json: { text: "x" } })).status).toBe(201);
  expect(await open.asSystem().notes.get(1)).toMatchObject({ ownerId: anonymous.id });
});

test("the verifiers of the application work too, and requests of a batch act for its sender", async () => {
  const auth = [bearer((token) => ({ id: token }))];
  const { service, fetch } = opened(testService({ resources: [notes], auth, use: [batch()] }));
  expect((await fetch("/notes", { headers: { authorization: "Bearer ann" } })).status).toBe(200);
  expect((await fetch("/notes", { headers: { authorization: "Bearer ann" }, as: bob })).status).toBe(400);
  const operations = [{ method: "POST", url: "/notes", body: { text: "x" } }];
  const answer = await fetch("/batch", { as: bob, method: "POST", json: { operations } });
  expect([answer.status, await service.as(bob).notes.count()]).toEqual([200, 1]);
});

test("only the test advances the clock", async () => {
  const clock = new FakeClock(Date.UTC(2030, 0, 1));
  const service = opened(testService({ resources: [notes], clock }));
  const of = service.as(ann).notes;
  await of.create({ text: "first" });
  service.clock.advance(60_000);
  await of.create({ text: "second" });
  const { data } = await of.list({ sort: "id" });
  expect(data.map(({ createdAt }) => createdAt)).toEqual([new Date("2030-01-01T00:00:00Z"), new Date("2030-01-01T00:01:00Z")]);
});

test("the error of a faulty rule is kept for the test, and passed on", async () => {
  const faulty = defineResource("faulty", { schema: z.object({ id: z.int() }), scope: () => ({ id: undefined }) as never });
  const seen: unknown[] = [];
  const service = opened(testService({ resources: [faulty], onError: (error) => void seen.push(error) }));
  expect((await service.fetch("/faulty", { as: ann })).status).toBe(500);
  expect(service.errors).toEqual([expect.any(ConfigurationError)]);
  expect(seen).toEqual(service.errors);
});

test("wrong options are refused", async () => {
  expect(() => testService({ resources: [notes], clock: { now: () => 0 } as never })).toThrow('"clock" must be a FakeClock');
  const service = opened(testService([notes]));
  const refused = (target: string | Request, sent: object) => expect(service.fetch(target, sent)).rejects;
  await refused("/notes", { as: { name: "ann" } }).toBeInstanceOf(ConfigurationError);
  await refused("/notes", { json: 1, body: "1" }).toThrow("cannot be used together");
  await refused(new Request("http://localhost/notes"), { method: "POST" }).toThrow('only "as" can be added');
});

test("nothing is answered after the end", async () => {
  const service = testService([notes]);
  await service.close();
  expect((await service.fetch("/notes", { as: ann })).status).toBe(503);
});
