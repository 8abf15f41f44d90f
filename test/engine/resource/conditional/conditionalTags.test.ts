import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { setUp } from "../../service/resources.js";
import { as, auth, withRows } from "../relatedResources.js";

const views = [
  "/users/1",
  "/users/1?fields=name",
  "/users/1?fields=id,name",
  "/users/1?exclude=name",
  "/users/1?fields=*,bio",
  "/users/1?include=company",
  "/users/1?include=company,reports",
];

/** `"01K….ab12"` → `01K…` */
const versionOf = (tag: string) => tag.slice(1, -1).split(".")[0];

async function withViews() {
  const { send } = await withRows();
  const tagOf = async (target: string) => (await send({ target })).headers["etag"] as string;
  const tags = await Promise.all(views.map(tagOf));
  return { send, tagOf, tags };
}

describe("the views of a row", () => {
  test("have tags of their own over one version", async () => {
    const { tags } = await withViews();
    expect(new Set(tags).size).toBe(views.length);
    expect(new Set(tags.map(versionOf)).size).toBe(1);
    for (const tag of tags) expect(tag).toMatch(/^"[0-9A-Z]{26}\.[0-9a-f]{8}"$/);
  });

  test("are spared by their own tag and by no other", async () => {
    const { send, tags } = await withViews();
    for (const [at, target] of views.entries()) {
      const own = tags[at] as string;
      const others = tags.filter((tag) => tag !== own).join(", ");
      for (const method of ["GET", "HEAD"]) {
        expect((await send({ method, target, headers: { "if-none-match": own } })).status, target).toBe(304);
        expect((await send({ method, target, headers: { "if-none-match": others } })).status, target).toBe(200);
        expect((await send({ method, target, headers: { "if-none-match": `${others}, W/${own}` } })).status, target).toBe(304);
      }
    }
  });

  test.each(["PATCH", "PUT", "DELETE"])("each guard a %s with their tag", async (method) => {
    for (const [at, target] of views.entries()) {
      const { send, tags } = await withViews();
      const headers = { "if-match": tags[at] as string };
      const body = method === "DELETE" ? undefined : { name: "Ada Lovelace" };
      expect((await send({ method, target: "/users/1", headers, body })).status, target).toBe(method === "DELETE" ? 204 : 200);
      const again = await send({ method, target: "/users/1", headers, body });
      expect(again.status, target).toBe(method === "DELETE" ? 404 : 412);
    }
  });

  test("of one choice of fields have one tag, however it is spelled", async () => {
    const { tagOf } = await withViews();
    expect(await tagOf("/companies/a?fields=id")).toBe(await tagOf("/companies/a?exclude=name"));
    expect(await tagOf("/companies/a?fields=id,name")).toBe(await tagOf("/companies/a"));
    expect(await tagOf("/companies/a?fields=name,id")).not.toBe(await tagOf("/companies/a"));
  });

  test("that hold all that there is by default have the bare version for a tag", async () => {
    const { tagOf } = await withViews();
    expect(await tagOf("/companies/a")).toMatch(/^"[0-9A-Z]{26}"$/);
  });

  test("differ between principals that see different fields", async () => {
    const { send } = await withRows({ auth });
    const [admin, clerk] = await Promise.all(["admin", "clerk"].map((name) => send({ target: "/users/1", headers: as(name) })));
    expect(admin?.headers["etag"]).not.toBe(clerk?.headers["etag"]);
    const crossed = { ...as("clerk"), "if-none-match": admin?.headers["etag"] as string };
    expect((await send({ target: "/users/1", headers: crossed })).status).toBe(200);
    const write = { ...as("clerk"), "if-match": admin?.headers["etag"] as string };
    expect((await send({ method: "PATCH", target: "/users/1", headers: write, body: { name: "A" } })).status).toBe(200);
  });
});

describe("a view with related rows", () => {
  test("changes with each of them, while the version stays", async () => {
    const { send, tagOf } = await withViews();
    const target = "/users/1?include=company,reports.company";
    const before = await tagOf(target);
    await send({ method: "PATCH", target: "/companies/a", body: { name: "A & Co" } });
    const renamed = await send({ target, headers: { "if-none-match": before } });
    expect([renamed.status, renamed.json.company.name, renamed.json.reports[0].company.name]).toEqual([200, "A & Co", "A & Co"]);
    await send({ method: "DELETE", target: "/users/2" });
    const alone = await send({ target, headers: { "if-none-match": renamed.headers["etag"] as string } });
    expect([alone.status, alone.json.reports]).toEqual([200, []]);
    expect(versionOf(alone.headers["etag"] as string)).toBe(versionOf(before));
  });

  test("guards its own row only: a tag from before a related row changed still matches", async () => {
    const { send, tagOf } = await withViews();
    const headers = { "if-match": await tagOf("/users/1?include=company") };
    await send({ method: "PATCH", target: "/companies/a", body: { name: "A & Co" } });
    expect((await send({ method: "PATCH", target: "/users/1", headers, body: { name: "B" } })).status).toBe(200);
  });

  test("has its old tag again when its old bytes are back", async () => {
    const { send, tagOf } = await withViews();
    const target = "/users/1?include=company";
    const before = await tagOf(target);
    await send({ method: "PATCH", target: "/companies/a", body: { name: "B" } });
    await send({ method: "PATCH", target: "/companies/a", body: { name: "A" } });
    expect(await tagOf(target)).toBe(before);
  });
});

describe("the tag of a write", () => {
  test.each([
    ["POST", "/companies", { id: "c", name: "C" }, "/companies/c"],
    ["PUT", "/companies/d", { name: "D" }, "/companies/d"],
    ["PUT", "/companies/a", { name: "D" }, "/companies/a"],
    ["PATCH", "/users/1", { name: "D" }, "/users/1"],
  ])("%s %s is the one that GET then has", async (method, target, body, place) => {
    for (const prefer of ["return=representation", "return=minimal"]) {
      const { send } = await withRows();
      const written = await send({ method, target, body, headers: { prefer } });
      expect((await send({ target: place, headers: { "if-none-match": written.headers["etag"] as string } })).status).toBe(304);
    }
  });

  test("is the old one if no field changes, and new otherwise", async () => {
    const { send, tagOf } = await withViews();
    const before = await tagOf("/companies/a");
    expect((await send({ method: "PATCH", target: "/companies/a", body: {} })).headers["etag"]).toBe(before);
    expect((await send({ method: "PATCH", target: "/companies/a", body: { name: "A" } })).headers["etag"]).toBe(before);
    expect((await send({ method: "PATCH", target: "/companies/a", body: { name: "B" } })).headers["etag"]).not.toBe(before);
  });

  test("never comes back, not even when a row is deleted and created again", async () => {
    const { send, tagOf } = await withViews();
    const before = await tagOf("/companies/a");
    await send({ method: "DELETE", target: "/companies/a" });
    await send({ method: "PUT", target: "/companies/a", body: { name: "A" } });
    expect(await tagOf("/companies/a")).not.toBe(before);
    const write = { method: "PUT", target: "/companies/a", headers: { "if-match": before }, body: { name: "B" } };
    expect((await send(write)).status).toBe(412);
  });
});

describe("the tags of lists", () => {
  const lists = ["/users", "/users?perPage=1", "/users?fields=name", "/users?include=company", "/users?name=Ada", "/users?sort=-id"];

  test("are weak, differ with the bytes, and spare their own list only", async () => {
    const { send, tagOf } = await withViews();
    const tags = await Promise.all(lists.map(tagOf));
    expect(new Set(tags).size).toBe(lists.length);
    for (const [at, target] of lists.entries()) {
      const own = tags[at] as string;
      expect(own).toMatch(/^W\/"[^"]+"$/);
      expect((await send({ target, headers: { "if-none-match": own } })).status).toBe(304);
      expect((await send({ target, headers: { "if-none-match": own.slice(2) } })).status).toBe(304);
      expect((await send({ target, headers: { "if-none-match": tags.filter((tag) => tag !== own).join() } })).status).toBe(200);
    }
  });

  test("do not match If-Match, which * does", async () => {
    const { send, tagOf } = await withViews();
    const tag = await tagOf("/users");
    for (const value of [tag, tag.slice(2), '"x"']) {
      const refused = await send({ target: "/users", headers: { "if-match": value } });
      expect([refused.status, refused.json.code, refused.headers["etag"]]).toEqual([412, "PRECONDITION_FAILED", tag]);
    }
    expect((await send({ target: "/users", headers: { "if-match": "*" } })).status).toBe(200);
  });

  test("are the same on the same page of a cursor, and new when a row of it changes", async () => {
    const { send, tagOf } = await withViews();
    const target = `/users?perPage=1&cursor=${(await send({ target: "/users?perPage=1" })).json.meta.nextCursor}`;
    const tag = await tagOf(target);
    expect((await send({ target, headers: { "if-none-match": tag } })).status).toBe(304);
    await send({ method: "PATCH", target: "/users/2", body: { name: "Bobby" } });
    expect((await send({ target, headers: { "if-none-match": tag } })).status).toBe(200);
  });
});

describe("tags that a proxy weakened", () => {
  test("guard writes where the resource accepts them", async () => {
    const proxied = defineResource("proxied", {
      schema: z.object({ id: z.string(), name: z.string() }),
      acceptWeakIfMatch: true,
    });
    const send = clientOf(fullService({ resources: [proxied], storage: memoryStorage() }));
    const { headers } = await send({ method: "PUT", target: "/proxied/a", body: { name: "a" } });
    const tag = headers["etag"] as string;
    const read = { target: "/proxied/a", headers: { "if-match": `W/${tag}` } };
    expect((await send(read)).status).toBe(200);
    const write = { ...read, method: "PATCH", body: { name: "b" } };
    expect([(await send(write)).status, (await send(write)).status, (await send(read)).status]).toEqual([200, 412, 412]);
  });

  test("do not where it does not say so", async () => {
    const { send } = setUp();
    const { headers } = await send({ method: "PUT", target: "/pages/a", body: { title: "a" } });
    const write = { method: "PATCH", target: "/pages/a", headers: { "if-match": `W/${headers["etag"]}` }, body: { title: "b" } };
    expect((await send(write)).status).toBe(412);
  });
});

test("an answer with related rows has no date: they may be younger than the row", async () => {
  const { send } = await withViews();
  const alone = await send({ target: "/users/1" });
  const related = await send({ target: "/users/1?include=company" });
  expect([alone.headers["last-modified"], related.headers["last-modified"]]).toEqual([expect.any(String), undefined]);
  const since = { "if-modified-since": new Date(Date.now() + 60_000).toUTCString() };
  expect((await send({ target: "/users/1", headers: since })).status).toBe(304);
  expect((await send({ target: "/users/1?include=company", headers: since })).status).toBe(200);
});
