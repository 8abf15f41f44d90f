import { describe, expect, test } from "vitest";
import { readSuboperation, suboperationName } from "../../../../src/capabilities/batch/plan/suboperation.js";
import { problemFrom } from "../../../ground/http/problemFrom.js";

const rules = { mount: "", targetBytes: 200 };
const read = (value: unknown, mount = "") => readSuboperation(value, 3, { ...rules, mount });
const refused = (value: unknown) => problemFrom(() => read(value));

describe("an operation of a batch", () => {
  test("is read with all that it may have", () => {
    const value = { name: "op1", method: "PATCH", url: "/users/7?fields=id", headers: { Prefer: "return=minimal" }, body: { age: 5 } };
    expect(read(value)).toEqual({
      index: 3,
      name: "op1",
      method: "PATCH",
      path: "/users/7",
      query: "fields=id",
      headers: ["prefer", "return=minimal"],
      body: { age: 5 },
    });
  });

  test("needs a method and a url only", () => {
    expect(read({ method: "GET", url: "/users" })).toEqual({ index: 3, method: "GET", path: "/users", query: "", headers: [], body: undefined });
  });

  test.each([null, undefined, 5, "GET /users", [], [{}], true])("%j is refused as a whole", (value) => {
    expect(refused(value)).toMatchObject({ code: "INVALID_BATCH", status: 400, errors: [{ pointer: "", allowed: expect.arrayContaining(["url"]) }] });
  });

  test("with several faults is told all of them", () => {
    const problem = refused({ name: "1", method: "get", url: "users", headers: [], tenant: "acme" });
    expect(problem.errors.map(({ pointer }) => pointer)).toEqual(["/tenant", "/name", "/method", "/url", "/headers"]);
    expect(problem.message).toBe("5 problems were found.");
  });

  test("has no other members, and a typing error is met with a hint", () => {
    expect(refused({ method: "GET", url: "/", header: {} }).errors).toMatchObject([{ pointer: "/header", hint: 'did you mean "headers"' }]);
    expect(refused({ method: "GET", url: "/", "a/b": 1 }).errors).toMatchObject([{ pointer: "/a~1b" }]);
    expect(refused({ method: "GET", url: "/", ["x".repeat(5_000)]: 1 }).message.length).toBeLessThan(200);
  });

  test("takes members from the object itself only", () => {
    const inherited = Object.create({ method: "GET", url: "/users" }) as object;
    expect(refused(inherited).errors.map(({ pointer }) => pointer)).toEqual(["/method", "/url"]);
  });
});

describe("the method", () => {
  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"])("%s is taken", (method) => {
    expect(read({ method, url: "/users" }).method).toBe(method);
  });

  test.each(["get", "Post", "HEAD", "OPTIONS", "TRACE", "CONNECT", "", " GET", "GET\r\n", 5, null, undefined, ["GET"]])("%j is refused", (method) => {
    const allowed = ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"];
    expect(refused({ method, url: "/users" })).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/method", allowed }] });
  });

  test("in lower case is met with a hint", () => {
    expect(refused({ method: "delete", url: "/users/1" }).errors[0]?.hint).toBe('did you mean "DELETE"');
  });
});

describe("the body", () => {
  test.each(["POST", "PUT", "PATCH", "DELETE", "QUERY"])("of a %s is any JSON value", (method) => {
    for (const body of [null, 0, "", [], { ids: [1] }]) expect(read({ method, url: "/users", body }).body).toBe(body);
  });

  test("does not stand in a GET, not even as null", () => {
    for (const body of [null, {}, []]) {
      expect(refused({ method: "GET", url: "/users", body })).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/body" }] });
    }
  });
});

describe("the name", () => {
  test.each(["a", "op1", "Create-user_2", "constructor", "x".repeat(64)])("%j is taken", (name) => {
    expect(read({ name, method: "GET", url: "/users" }).name).toBe(name);
    expect(suboperationName({ name })).toBe(name);
  });

  test.each(["", "1a", "_a", "__proto__", "a.b", "a b", "a\n", "é", "x".repeat(65), 5, null, {}])("%j is refused", (name) => {
    expect(refused({ name, method: "GET", url: "/users" })).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/name" }] });
    expect(suboperationName({ name })).toBeUndefined();
  });

  test("of what is no operation is none", () => {
    for (const value of [null, [], "op1", Object.create({ name: "op1" })]) expect(suboperationName(value)).toBeUndefined();
  });
});
