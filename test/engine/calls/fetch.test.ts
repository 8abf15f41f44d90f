import { ConfigurationError } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { openShop } from "./shop.js";

const at = (path: string, init?: RequestInit) => new Request(`http://shop.example${path}`, init);
const json = { "content-type": "application/json" };

test("fetch answers within the process, through the whole pipeline", async () => {
  const { fetch } = openShop(memoryStorage());
  const created = await fetch(at("/users", { method: "POST", headers: json, body: JSON.stringify({ name: "Ada" }) }));
  expect(created.status).toBe(201);
  expect(created.headers.get("location")).toBe("/users/1");
  expect(await created.json()).toMatchObject({ id: 1, name: "Ada" });
  const unchanged = await fetch(at("/users/1", { headers: { "if-none-match": created.headers.get("etag") ?? "" } }));
  expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
  const head = await fetch(at("/users/1", { method: "HEAD" }));
  expect([head.status, await head.text(), Number(head.headers.get("content-length")) > 10]).toEqual([200, "", true]);
  expect((await fetch(at("/users/1", { method: "DELETE" }))).status).toBe(204);
  const refused = await fetch(at("/users?nix=1"));
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ code: "UNKNOWN_FIELD" });
});

test.each(["continue", "problem"] as const)("a path that the service does not serve is a 404 problem, with notFound: %s", async (notFound) => {
  const { fetch } = openShop(memoryStorage(), { notFound });
  const answer = await fetch(at("/nothing", { headers: { "x-request-id": "r-1" } }));
  expect(answer.status).toBe(404);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "application/problem+json",
    "x-request-id": "r-1",
    "x-content-type-options": "nosniff",
  });
  expect(await answer.json()).toMatchObject({ code: "NOT_FOUND", detail: "There is nothing at this path.", requestId: "r-1" });
});

test.each<[target: string, method: string, detail: string]>([
  ["/users/", "GET", 'There is nothing at this path. Did you mean "/users"?'],
  ["/users//", "POST", 'There is nothing at this path. Did you mean "/users"?'],
  ["/users/1/?fields=id", "PATCH", 'There is nothing at this path. Did you mean "/users/1"?'],
  ["/nothing/", "GET", "There is nothing at this path."],
  ["/users//1", "GET", "There is nothing at this path."],
  ["/", "GET", "There is nothing at this path."],
  ["//", "GET", "There is nothing at this path."],
])("a 404 of %s for %s names the path without the slash at its end, if there is one", async (target, method, detail) => {
  for (const notFound of ["continue", "problem"] as const) {
    const answer = await openShop(memoryStorage(), { notFound }).fetch(at(target, { method }));
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([404, detail]);
  }
});

test.each(["http://shop.example/users", new URL("http://shop.example/users"), undefined, null, {}])(
  "%s is no Request, which fetch says",
  async (given) => {
    const { fetch } = openShop(memoryStorage());
    await expect(fetch(given as never)).rejects.toThrow("service.fetch takes a Request with an unread body.");
  },
);

test("a Request whose body has been read is refused, and its clone is not", async () => {
  const { fetch } = openShop(memoryStorage());
  const request = at("/users", { method: "POST", headers: json, body: JSON.stringify({ name: "Ada" }) });
  const clone = request.clone();
  await request.text();
  await expect(fetch(request)).rejects.toThrow(ConfigurationError);
  await expect(fetch(request)).rejects.toThrow("service.fetch takes a Request with an unread body.");
  expect((await fetch(clone)).status).toBe(201);
});
