import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as } from "../stage.js";
import { type FileStage, fileStage, people } from "./stage.js";

const stores = { memory: memoryStorage, SQLite: () => sqliteStorage({ path: ":memory:" }) };

describe.each(Object.keys(stores) as (keyof typeof stores)[])("Files of rows on %s", (name) => {
  let stage: FileStage;
  let avatar: string;
  let secret: string;
  beforeAll(async () => {
    stage = fileStage(stores[name]());
    [avatar, secret] = [await stage.upload("hello"), await stage.upload("only for ada")];
    await stage.send("POST", "/teams", { id: "t1", logo: await stage.upload("logo") });
    const sent = await stage.send("POST", "/people", { id: "p1", name: "Ada", teamId: "t1", avatar, secret });
    expect(sent).toMatchObject({ status: 201, json: { avatar, letter: null, secret } });
    await stage.send("POST", "/people", { id: "p2", name: "Without" });
  });
  afterAll(() => stage.service.close());

  const get = async (path: string, who = "ada") => (await stage.send("GET", path, undefined, as(who))).json;

  test("are shown by their ids, and with their members if a request names some", async () => {
    expect(await get("/people/p1?fields=avatar")).toEqual({ avatar });
    expect(await get("/people/p1?fields=avatar{url,size}")).toEqual({ avatar: { url: `/files/${avatar}`, size: 5 } });
    expect(await get("/people/p1?fields=avatar.contentType,name")).toEqual({ name: "Ada", avatar: { contentType: "text/plain" } });
    expect((await get("/people/p1?fields=avatar,avatar{url}")).avatar).toMatchObject({ id: avatar, size: 5 });
    expect(await get("/people/p2?fields=avatar{url}")).toEqual({ avatar: null });
    expect((await get("/people?fields=id,avatar{size}&sort=id")).data).toEqual([
      { id: "p1", avatar: { size: 5 } },
      { id: "p2", avatar: null },
    ]);
    expect((await get("/people/p1?fields=*,avatar{size}")).avatar).toEqual({ size: 5 });
  });

  test("are whole with include, and in related rows", async () => {
    const whole = await get("/people/p1?include=avatar");
    expect(whole).toMatchObject({
      name: "Ada",
      letter: null,
      avatar: { id: avatar, filename: expect.any(String), contentType: "text/plain", size: 5 },
    });
    expect(whole.avatar.createdAt).toMatch(/^\d{4}-.*Z$/);
    expect((await get("/people/p1?fields=name,avatar{*}")).avatar).toEqual(whole.avatar);
    expect((await get("/people/p1?include=avatar&exclude=avatar.url,avatar.signedUrl")).avatar).not.toHaveProperty("url");
    expect(await get("/teams/t1?fields=people{name,avatar{size}},logo{size}")).toEqual({
      logo: { size: 4 },
      people: [{ name: "Ada", avatar: { size: 5 } }],
    });
    expect((await get("/people?include=team.logo&sort=id")).data[0].team.logo).toMatchObject({ size: 4 });
  });

  test("are one column of CSV", async () => {
    const csv = await stage.send("GET", "/people?fields=id,avatar&include=avatar&sort=id", undefined, { accept: "text/csv" });
    expect(csv.json).toMatch(/^id,avatar\r?\np1,"\{""id"":""[0-9a-f]{32}"".*\}"\r?\np2,\r?\n$/);
    expect((await get("/people/export?fields=avatar{size}")).errors).toMatchObject([{ code: "UNKNOWN_FIELD" }]);
  });

  test("have a URL that whoever may read the row can read", async () => {
    const { signedUrl, url } = (await get("/people/p1?fields=avatar{url,signedUrl}", "bo")).avatar;
    expect((await stage.send("GET", url, undefined, as("bo"))).status).toBe(200);
    expect((await stage.send("GET", url, undefined, as("cy"))).status).toBe(404);
    const answer = await stage.service.fetch(new Request(`http://test${signedUrl}`));
    expect([answer.status, await answer.text()]).toEqual([200, "hello"]);
  });

  test("are hidden with their field", async () => {
    expect(await get("/people/p1?fields=name,secret{url}", "bo")).not.toHaveProperty("secret");
    expect(await get("/people/p1?include=secret", "bo")).not.toHaveProperty("secret.url");
    expect(await get("/people/p1?fields=secret{size}")).toEqual({ secret: { size: 12 } });
    expect((await stage.send("GET", "/people/p1", undefined, as("cy"))).status).toBe(404);
  });

  test("have members that a request can be wrong about", async () => {
    expect(await get("/people/p1?fields=avatar{sise}")).toMatchObject({
      status: 400,
      errors: [{ code: "UNKNOWN_FIELD", hint: expect.stringContaining("avatar.size") }],
    });
    expect(await get("/people/p1?exclude=avatar.sise")).toMatchObject({ status: 400, errors: [{ code: "UNKNOWN_FIELD" }] });
    expect(await get("/people/p1?include=avatr")).toMatchObject({
      status: 400,
      errors: [{ code: "UNKNOWN_RELATION", hint: expect.stringContaining("avatar") }],
    });
  });

  test("can be found by their ids", async () => {
    expect((await get(`/people?avatar=${avatar}`)).data).toHaveLength(1);
    expect((await get("/people?has=avatar")).data).toHaveLength(1);
  });

  test("are shown by calls from code", async () => {
    const ada = stage.calls.as({ id: "ada", tenant: "t" });
    expect(await ada.people.get("p1", { fields: ["name", "avatar.size"] })).toEqual({ name: "Ada", avatar: { size: 5 } });
    expect(people.capabilityOptions.get("file()")).toContain("uploads(");
  });
});
