import { describe, expect, test } from "vitest";
import { setUp } from "../../service/resources.js";
import { as, auth, withRows } from "../relatedResources.js";

const absent = { "if-none-match": "*" };

describe("If-None-Match: *", () => {
  test.each(["*", " * ", "\t*"])("spelled %j lets a PUT create, then nothing more, and leaves the row alone", async (star) => {
    const { send } = setUp();
    const put = (title: string) => send({ method: "PUT", target: "/pages/a", headers: { "if-none-match": star }, body: { title } });
    const created = await put("first");
    const refused = await put("second");
    expect([created.status, created.headers["location"], refused.status, refused.headers["etag"]]).toEqual([
      201,
      "/pages/a",
      412,
      created.headers["etag"],
    ]);
    expect((await send({ target: "/pages/a" })).json.title).toBe("first");
  });

  test("on a row of another tenant creates one's own", async () => {
    const { send } = await withRows({ auth });
    const put = (name: string) => send({ method: "PUT", target: "/companies/a", headers: { ...as(name), ...absent }, body: { name: "B" } });
    expect([(await put("other")).status, (await put("other")).status, (await put("admin")).status]).toEqual([201, 412, 412]);
  });

  test("creates nothing where clients name no ids", async () => {
    const { send } = setUp();
    expect((await send({ method: "PUT", target: "/things/1", headers: absent, body: { name: "a" } })).status).toBe(404);
  });

  test.each([
    ["/things", { name: "a", email: "a@example.com" }, "DUPLICATE_EMAIL"],
    ["/pages", { slug: "a", title: "t" }, "DUPLICATE_SLUG"],
  ])("makes a taken key of POST %s a 412, which is %s otherwise", async (target, body, code) => {
    const { send } = setUp();
    const post = (headers: Readonly<Record<string, string>>) => send({ method: "POST", target, headers, body });
    expect((await post(absent)).status).toBe(201);
    const [failed, refused] = [await post({ "if-none-match": " * " }), await post({})];
    expect([failed.status, failed.json.code, failed.headers["cache-control"]]).toEqual([412, "PRECONDITION_FAILED", "no-store"]);
    expect([refused.status, refused.json.code]).toEqual([422, code]);
  });

  test("does not hide a body that the schema refuses from a POST", async () => {
    const { send } = setUp();
    expect((await send({ method: "POST", target: "/pages", headers: absent, body: { slug: "a" } })).status).toBe(422);
  });
});

describe("If-Match on a row that is not there", () => {
  test.each(["*", '"x"', 'W/"x"', ""])("%j: 412 where PUT may create, and nothing is created", async (tag) => {
    const { send } = setUp();
    const headers = { "if-match": tag };
    expect((await send({ method: "PUT", target: "/pages/a", headers, body: { title: "t" } })).status).toBe(412);
    expect((await send({ target: "/pages/a" })).status).toBe(404);
    for (const method of ["PATCH", "DELETE"]) {
      expect((await send({ method, target: "/pages/a", headers, body: { title: "t" } })).status).toBe(404);
    }
  });

  test("is no obstacle to a DELETE that may be repeated", async () => {
    const { send } = setUp();
    expect((await send({ method: "DELETE", target: "/guarded/x", headers: { "if-match": '"x"' } })).status).toBe(204);
  });
});

describe("a resource that requires If-Match", () => {
  async function withGuarded() {
    const { send } = setUp();
    const created = await send({ method: "POST", target: "/guarded", body: { name: "a" } });
    const target = `/guarded/${created.json.id}`;
    const write = (method: string, headers: Readonly<Record<string, string>>, body: unknown = { name: "b" }) => {
      const typed = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json", ...headers };
      return send({ method, target, headers: typed, ...(method === "DELETE" ? {} : { body }) });
    };
    return { send, target, write, tag: created.headers["etag"] as string };
  }

  test.each(["PATCH", "PUT", "DELETE"])("refuses a %s without it, whatever else it says", async (method) => {
    const { write, tag } = await withGuarded();
    for (const headers of [{}, { "if-unmodified-since": "Sat, 31 Jan 2099 12:00:00 GMT" }, { "if-none-match": '"x"' }]) {
      const refused = await write(method, headers);
      expect([refused.status, refused.json.code, refused.headers["etag"]]).toEqual([428, "PRECONDITION_REQUIRED", tag]);
      expect(refused.headers["cache-control"]).toBe("no-store");
    }
    expect((await write(method, { "if-match": '"x"' })).status).toBe(412);
    expect((await write(method, { "if-match": tag })).status).toBe(method === "DELETE" ? 204 : 200);
  });

  test("takes the star, reads without it, and says so before it looks into the body", async () => {
    const { send, target, write } = await withGuarded();
    for (const method of ["GET", "HEAD"]) expect((await send({ method, target })).status).toBe(200);
    expect((await write("PATCH", {}, { nmae: 1 })).status).toBe(428);
    expect((await write("PATCH", { "content-type": "text/plain" }, "{}")).status).toBe(415);
    expect((await write("PATCH", { "if-match": "*" })).status).toBe(200);
  });

  test("answers 404 for a row that is not there", async () => {
    const { send } = await withGuarded();
    const headers = { "content-type": "application/merge-patch+json" };
    expect((await send({ method: "PATCH", target: "/guarded/x", headers, body: {} })).status).toBe(404);
  });
});
