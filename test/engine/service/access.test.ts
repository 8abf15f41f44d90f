import type { Principal, Verifier } from "restwright";
import { apiKey, basic, bearer, hashApiKey } from "restwright/auth";
import { describe, expect, test } from "vitest";
import { setUp } from "./resources.js";

const principals: Record<string, Principal> = {
  admin: { id: "admin", tenant: "a", claims: { role: "admin" } },
  clerk: { id: "clerk", tenant: "a" },
  other: { id: "other", tenant: "b", claims: { role: "admin" } },
};
const auth = [
  bearer((token) => principals[token], { realm: "api" }),
  apiKey((hash) => (hash === hashApiKey("key") ? principals["clerk"] : undefined)),
  basic(({ username, password }) => (password === "right" ? principals[username] : undefined)),
];
const as = (name: string) => ({ authorization: `Bearer ${name}` });

describe("authentication", () => {
  test("without credentials is 401 with one challenge a scheme, and Basic is left out for scripts", async () => {
    const { send } = setUp({ auth });
    const refused = await send({ target: "/things" });
    expect([refused.status, refused.json.code]).toEqual([401, "UNAUTHENTICATED"]);
    expect(refused.headers["www-authenticate"]).toEqual([
      expect.stringMatching(/^Bearer/),
      expect.stringMatching(/^ApiKey/),
      expect.stringMatching(/^Basic/),
    ]);
    const script = await send({ target: "/things", headers: { "sec-fetch-mode": "cors" } });
    expect(script.headers["www-authenticate"]).toHaveLength(2);
  });

  test("every wrong credential has the same answer", async () => {
    const { send } = setUp({ auth });
    const wrong = ["Bearer nobody", "Bearer", "Bearer a b", "Basic !!!", "Basic YTpi", "Basic", "ApiKey x", "Digest x", "nonsense", ""];
    const answers = await Promise.all(wrong.map((authorization) => send({ target: "/things", headers: { authorization, "x-request-id": "r" } })));
    for (const { status, text } of answers) expect([status, text]).toEqual([401, answers[0]?.text]);
  });

  test.each([
    [{ authorization: "Bearer admin" }, 200],
    [{ authorization: "bearer   admin" }, 200],
    [{ authorization: `Basic ${btoa("admin:right")}` }, 200],
    [{ authorization: "ApiKey key" }, 200],
    [{ "x-api-key": "key" }, 200],
    [{ "x-api-key": "key", authorization: "ApiKey key" }, 200],
    [{ "x-api-key": "no", authorization: "ApiKey key" }, 401],
    [{ "x-api-key": "key", authorization: "Bearer admin" }, 400],
  ])("%j is answered %i", async (headers, status) => {
    expect((await setUp({ auth }).send({ target: "/things", headers: headers as Record<string, string> })).status).toBe(status);
  });

  test("shows verifiers the whole target and the path below the mount", async () => {
    const seen: string[] = [];
    const verify: Verifier["verify"] = ({ target, path }) => {
      seen.push(target, path);
      return null;
    };
    const spy: Verifier = { scheme: "Spy", challenge: () => undefined, verify };
    const { send } = setUp({ auth: [spy] });
    await send({ target: "/things?perPage=1", mount: "/v1" });
    await send({ target: "/things" });
    expect(seen).toEqual(["/v1/things?perPage=1", "/things", "/things", "/things"]);
  });

  test("OPTIONS needs none, 404 and 405 come before 401, 401 before 415 and 400", async () => {
    const { send } = setUp({ auth, notFound: "problem" });
    expect((await send({ method: "OPTIONS", target: "/things" })).status).toBe(204);
    expect((await send({ target: "/nothing" })).status).toBe(404);
    expect((await send({ method: "PUT", target: "/things" })).status).toBe(405);
    expect((await send({ method: "POST", target: "/things", body: "{", headers: { "content-type": "text/plain" } })).status).toBe(401);
  });

  test("anonymous callers are let in where the service says so", async () => {
    const { send } = setUp({ auth, anonymous: "allow" });
    expect((await send({ target: "/things" })).status).toBe(200);
    expect((await send({ target: "/things", headers: as("nobody") })).status).toBe(401);
  });

  test("answers vary by Authorization and are private", async () => {
    const { headers } = await setUp({ auth }).send({ target: "/things", headers: as("admin") });
    expect(headers).toMatchObject({ vary: "Authorization, X-API-Key", "cache-control": "private, no-cache" });
  });
});

describe("tenants", () => {
  test("do not see, change, count or collide with one another", async () => {
    const { send } = setUp({ auth });
    const body = { name: "a", email: "a@example.com" };
    const { json } = await send({ method: "POST", target: "/things", headers: as("admin"), body });
    const target = `/things/${json.id}`;
    expect((await send({ target, headers: as("clerk") })).status).toBe(200);
    expect((await send({ target, headers: as("other") })).status).toBe(404);
    expect((await send({ method: "PATCH", target, headers: { ...as("other"), "if-match": '"x"' }, body: {} })).status).toBe(404);
    expect((await send({ method: "DELETE", target, headers: as("other") })).status).toBe(404);
    expect((await send({ target: "/things", headers: as("other") })).json.meta.total).toBe(0);
    expect((await send({ method: "POST", target: "/things", headers: as("other"), body })).status).toBe(201);
  });
});

describe("field rules", () => {
  async function withThing() {
    const { send } = setUp({ auth });
    const body = { name: "a", ssn: "123", salary: 5, password: "secret" };
    const created = await send({ method: "POST", target: "/things", headers: as("admin"), body });
    return { send, created };
  }

  test("guard what is shown, and give each view a tag of its own", async () => {
    const { send, created } = await withThing();
    expect(created.json).toMatchObject({ ssn: "123", salary: 5 });
    expect(created.json).not.toHaveProperty("password");
    expect(created.headers["etag"]).toMatch(/^"[0-9A-Z]{26}"$/);
    const clerk = await send({ target: "/things/1", headers: as("clerk") });
    expect(Object.keys(clerk.json)).not.toEqual(expect.arrayContaining(["ssn"]));
    expect(Object.keys(clerk.json)).not.toEqual(expect.arrayContaining(["salary"]));
    expect(clerk.headers["etag"]).toMatch(/\.[0-9a-f]{8}"$/);
  });

  test("guard what is written: a hidden field is as unknown as any other", async () => {
    const { send } = await withThing();
    const write = (body: unknown, name: string) =>
      send({ method: "PATCH", target: "/things/1", headers: { ...as(name), "x-request-id": "r" }, body });
    const hidden = await write({ salary: 1 }, "clerk");
    const absent = await write({ absent: 1 }, "clerk");
    expect(hidden.status).toBe(422);
    expect(hidden.text.replaceAll("salary", "X")).toBe(absent.text.replaceAll("absent", "X"));
    expect((await write({ salry: 1 }, "clerk")).text).not.toMatch(/salary/);
    expect((await write({ salry: 1 }, "admin")).text).toMatch(/Did you mean \\"salary\\"/);
    expect((await write({ salary: 1 }, "admin")).json.salary).toBe(1);
  });

  test("a hidden field in a query is byte for byte one that does not exist", async () => {
    const { send } = await withThing();
    for (const query of ["?X=1", "?sort=X", "?sort=-X,name", "?X=1&name=a", "?X="]) {
      for (const hidden of ["salary", "password"]) {
        const ask = (name: string) => send({ target: `/things${query.replace("X", name)}`, headers: { ...as("clerk"), "x-request-id": "r" } });
        const [first, second] = [await ask(hidden), await ask("absent")];
        expect(first.status).toBe(400);
        expect(first.text.replaceAll(hidden, "X")).toBe(second.text.replaceAll("absent", "X"));
      }
    }
  });

  test("a PUT by who cannot see a field keeps it", async () => {
    const { send } = await withThing();
    expect((await send({ method: "PUT", target: "/things/1", headers: as("clerk"), body: { name: "b" } })).status).toBe(200);
    expect((await send({ target: "/things/1", headers: as("admin") })).json).toMatchObject({ name: "b", ssn: "123", salary: 5 });
  });
});

describe("authorize", () => {
  test("is asked before the body is read and again with its fields, never for a row", async () => {
    const asked: string[] = [];
    const { send } = setUp({
      authorize: ({ action, collection, fields }) => {
        asked.push(`${collection}.${action}${fields ? ` ${fields.join()}` : ""}`);
        return true;
      },
    });
    await send({ method: "POST", target: "/things", body: { name: "a" } });
    await send({ target: "/things/1" });
    await send({ target: "/things" });
    await send({ method: "PATCH", target: "/things/1", body: { nick: "n" } });
    await send({ method: "DELETE", target: "/things/1" });
    expect(asked).toEqual([
      ...["things.create", "things.create name", "things.read", "things.list"],
      ...["things.update", "things.update nick", "things.remove"],
    ]);
  });

  test("false is 403, and 401 for a caller without credentials", async () => {
    const authorize = () => false;
    expect((await setUp({ auth, authorize }).send({ target: "/things", headers: as("admin") })).status).toBe(403);
    expect((await setUp({ auth, authorize, anonymous: "allow" }).send({ target: "/things" })).status).toBe(401);
    expect((await setUp({ authorize }).send({ target: "/things" })).status).toBe(403);
  });

  test("hide makes a collection answer as one without the row", async () => {
    const { send } = setUp({ authorize: ({ action }) => action === "create" || { hide: true } });
    await send({ method: "POST", target: "/things", body: { name: "a" } });
    for (const method of ["GET", "PATCH", "DELETE"]) {
      expect((await send({ method, target: "/things/1", headers: { "if-match": '"x"' }, body: method === "PATCH" ? {} : undefined })).status).toBe(
        404,
      );
    }
  });

  test("fields narrow what is shown and what may be written", async () => {
    const { send } = setUp({ authorize: ({ action }) => (action === "create" ? true : { fields: ["id", "name"] }) });
    await send({ method: "POST", target: "/things", body: { name: "a", nick: "n" } });
    expect((await send({ target: "/things/1" })).json).toEqual({ id: 1, name: "a" });
    expect((await send({ target: "/things" })).json.data).toEqual([{ name: "a", id: 1 }]);
    const refused = await send({ method: "PATCH", target: "/things/1", body: { nick: "m" } });
    expect([refused.status, refused.json.code, refused.json.errors[0].pointer]).toEqual([403, "FORBIDDEN_FIELD", "/nick"]);
    expect((await send({ method: "PATCH", target: "/things/1", body: { name: "b" } })).json).toEqual({ id: 1, name: "b" });
  });

  test("403 comes before 415 and 404", async () => {
    const { send } = setUp({ authorize: () => false });
    expect((await send({ method: "PATCH", target: "/things/9", headers: { "content-type": "text/plain" }, body: "x" })).status).toBe(403);
  });
});
