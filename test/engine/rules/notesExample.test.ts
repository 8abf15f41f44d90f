import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp } from "../../../examples/notes/app.js";
import { createNotes } from "../../../examples/notes/service.js";
import { eventually } from "../../tools/eventually.js";

const secret = "a-secret-of-at-least-thirty-two-characters";

let service: Awaited<ReturnType<typeof createNotes>>;
let app: FastifyInstance;
beforeAll(async () => {
  service = await createNotes(secret);
  app = await createApp(service, secret);
});
afterAll(async () => {
  await app.close();
  await service.close();
});

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** A person with the token of the log-in; without a name nobody, who has none. */
async function person(name?: string) {
  const token = name && (await app.inject({ method: "POST", url: "/login", payload: { name } })).json().token;
  return async (method: Method, path: string, payload?: object) => {
    const type = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
    const headers = { ...(payload && type), ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await app.inject({ method, url: `/api${path}`, headers, ...(payload && { payload: JSON.stringify(payload) }) });
    const body = answer.body === "" ? {} : answer.json();
    return { status: answer.statusCode, code: body.code as string | undefined, body };
  };
}

const textsOf = async (as: Awaited<ReturnType<typeof person>>) =>
  (await as("GET", "/notes?sort=text")).body.data.map(({ text }: { readonly text: string }) => text);

test("a note is private, then of a team, then public, and only its owner changes it", async () => {
  const [ann, bob, cem, nobody] = [await person("ann"), await person("bob"), await person("cem"), await person()];
  const { body: note, status } = await ann("POST", "/notes", { text: "Buy seeds" });
  expect([status, note.ownerId]).toEqual([201, "ann"]);
  const path = `/notes/${note.id}`;
  const see = async () => (await Promise.all([ann, bob, cem, nobody].map((as) => as("GET", path)))).map((answer) => answer.status);
  expect(await see()).toEqual([200, 404, 404, 404]);
  expect((await bob("PATCH", path, { text: "x" })).code).toBe("NOT_FOUND");

  const [garden, kitchen] = (await ann("GET", "/teams?sort=name")).body.data;
  expect((await ann("PATCH", path, { teamId: garden.id })).status).toBe(200);
  expect(await see()).toEqual([200, 200, 404, 404]);
  expect(await textsOf(bob)).toEqual(["Buy seeds"]);
  for (const answer of [await bob("PATCH", path, { text: "x" }), await bob("DELETE", path)])
    expect([answer.status, answer.code]).toEqual([403, "FORBIDDEN"]);

  // A team that bob is not in does not exist for him.
  const own = (await bob("POST", "/notes", { text: "Cook" })).body;
  expect((await bob("PATCH", `/notes/${own.id}`, { teamId: kitchen.id })).body.errors).toMatchObject([{ code: "UNKNOWN_REFERENCE" }]);

  await ann("PATCH", path, { isPublic: true, teamId: null });
  expect(await see()).toEqual([200, 200, 200, 200]);
  expect(await textsOf(nobody)).toEqual(["Buy seeds"]);
  expect((await nobody("DELETE", path)).status).toBe(401);
  expect((await ann("DELETE", path)).status).toBe(204);
  expect(await textsOf(nobody)).toEqual([]);
});

test("the other members of a team are reminded once of a note that is shared with it", async () => {
  const [ann, bob, cem, nobody] = [await person("ann"), await person("bob"), await person("cem"), await person()];
  const remindersOf = async (as: typeof ann) => (await as("GET", "/reminders")).body.data as { readonly id: string; readonly noteId: string }[];
  /** The number of events that were handled, when none is left. */
  const handled = () =>
    eventually(async () => {
      const { pending, running, succeeded } = await service.subscribers.counts("remind-members");
      expect([pending, running]).toEqual([0, 0]);
      return succeeded;
    });
  const before = await handled();
  const garden = (await ann("GET", "/teams?sort=name")).body.data[0].id;

  const { id } = (await ann("POST", "/notes", { text: "Water the beds", teamId: garden })).body;
  expect(await handled()).toBe(before + 1);
  const [reminder] = await remindersOf(bob);
  expect(reminder).toMatchObject({ noteId: id, personId: "bob", text: "ann shared a note with Garden" });
  expect([await remindersOf(ann), await remindersOf(cem), (await nobody("GET", "/reminders")).status]).toEqual([[], [], 401]);

  // Neither another change of the note nor the same event again reminds twice.
  await ann("PATCH", `/notes/${id}`, { text: "Water the beds today" });
  expect(await service.subscribers.replay({ name: "remind-members", states: ["succeeded"] })).toBeGreaterThan(0);
  expect(await handled()).toBe(before + 1);
  expect(await remindersOf(bob)).toEqual([reminder]);

  const path = `/reminders/${reminder?.id}`;
  expect((await bob("POST", "/reminders", { personId: "ann" })).status).toBe(405);
  expect([(await ann("DELETE", path)).status, (await bob("DELETE", path)).status]).toEqual([404, 204]);

  await ann("PATCH", `/notes/${id}`, { teamId: null });
  await ann("PATCH", `/notes/${id}`, { teamId: garden });
  expect(await handled()).toBe(before + 2);
  expect(await remindersOf(bob)).toHaveLength(1);
  await ann("DELETE", `/notes/${id}`);
  expect(await remindersOf(bob)).toEqual([]);
});

test("members see their teams and who is in them", async () => {
  const seen = async (name: string) => {
    const as = await person(name);
    const teams: { name: string }[] = (await as("GET", "/teams?sort=name")).body.data;
    const members: { personId: string }[] = (await as("GET", "/memberships?sort=id")).body.data;
    return [teams.map((team) => team.name), members.map(({ personId }) => personId)];
  };
  expect(await seen("ann")).toEqual([
    ["Garden", "Kitchen"],
    ["ann", "bob", "ann"],
  ]);
  expect(await seen("bob")).toEqual([["Garden"], ["ann", "bob"]]);
  expect(await seen("cem")).toEqual([[], []]);
  expect((await (await person())("GET", "/teams")).body.data).toEqual([]);
  const joining = await (await person("bob"))("POST", "/memberships", { teamId: 2, personId: "bob" });
  expect([joining.status, await seen("bob")]).toEqual([422, [["Garden"], ["ann", "bob"]]]);
  const founding = await (await person("bob"))("POST", "/teams", { name: "Bob" });
  expect([founding.status, founding.code]).toEqual([403, "OUT_OF_SCOPE"]);
  expect((await (await person())("GET", "/memberships")).status).toBe(401);
});

test("the log-in knows three names, and tokens of others are refused", async () => {
  expect((await app.inject({ method: "POST", url: "/login", payload: { name: "eve" } })).statusCode).toBe(401);
  expect((await app.inject({ method: "POST", url: "/login" })).statusCode).toBe(401);
  expect((await app.inject({ url: "/api/notes", headers: { authorization: "Bearer eve" } })).statusCode).toBe(401);
});
