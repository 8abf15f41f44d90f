import { describe, expect, test } from "vitest";
import { rows } from "./errorRows.js";
import { admin, parse, problemFrom, refusal, search, tableOf } from "./language.js";

describe("an error", () => {
  test.each(rows)("of %s is %i", (query, status, item) => {
    const problem = refusal(query);
    expect(problem.errors).toEqual([item]);
    expect([problem.status, problem.code, problem.message]).toEqual([status, item.code, item.detail]);
    expect(problem.extensions).toEqual(item.maximum === undefined ? {} : { maximum: item.maximum });
  });

  test("of a sort lists what can be sorted by", () => {
    const { code, errors } = refusal("sort=tags");
    expect([code, errors[0]?.detail, errors[0]?.parameter]).toEqual(["SORT_NOT_ALLOWED", 'Cannot sort by "tags".', "sort"]);
    expect(errors[0]?.allowed).toEqual([
      ..."id name email status level total quantity big active day createdAt".split(" "),
      ...["address.city", "address.opened", "address.geo.lat", "address.geo.at.zone"],
    ]);
    expect(refusal("sort=total", { table: tableOf({ sort: ["id", "name"] }) }).errors).toMatchObject([
      { code: "SORT_NOT_ALLOWED", allowed: ["id", "name"] },
    ]);
  });

  test("of the administrator's is none", () => {
    expect(() => parse("ssn=1&plan=1&sort=ssn,plan&has=plan", { gate: admin })).not.toThrow();
    expect(refusal("secret=1", { gate: admin }).code).toBe("UNKNOWN_FIELD");
  });
});

describe("bad encoding", () => {
  test.each([
    ["name=%zz", 5, "%zz"],
    ["name=%41&quantity=%4", 18, "%4"],
    ["name=a%C3%28", 6, "a%C3%28"],
    ["%C3%A9=1&b%FF=1", 10, "b%FF"],
    ["name=%F0%9F%98", 5, "%F0%9F%98"],
    ["name=a%00", 6, "a%00"],
    ["name=a\0", 6, "a\0"],
    ["name=a,\udc00", 7, "a,\udc00"],
  ])("of %j is found at position %i", (query, position, part) => {
    const problem = refusal(query);
    expect([problem.status, problem.code, problem.extensions]).toEqual([400, "MALFORMED_QUERY", { position }]);
    expect(problem.message).toMatch(/^The query (?:is not percent-encoded UTF-8|contains NUL|contains half of a surrogate pair) at position /);
    expect(problem.message).toContain(`at position ${position}, in ${JSON.stringify(part)}.`);
  });
});

describe("several errors", () => {
  test("are all told, in the order in which they are found", () => {
    const { status, code, message, errors } = refusal("quantity=x&statos=1&page=0&sort=tags&has=nome");
    expect(errors.map((item) => [item.code, item.parameter])).toEqual([
      ["UNKNOWN_FIELD", "statos"],
      ["INVALID_VALUE", "quantity"],
      ["UNKNOWN_FIELD", "has"],
      ["SORT_NOT_ALLOWED", "sort"],
      ["INVALID_VALUE", "page"],
    ]);
    expect([status, code, message]).toEqual([400, "UNKNOWN_FIELD", "5 problems were found."]);
  });

  test("are at most twenty", () => {
    expect(refusal(Array.from({ length: 60 }, (_, index) => `x${index}=1`).join("&")).errors).toHaveLength(20);
    expect(refusal(`total=${Array.from({ length: 60 }, (_, index) => `x${index}`).join(",")}`).errors).toHaveLength(20);
    expect(problemFrom(() => search({ filter: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x${index}`, 1])) })).errors).toHaveLength(
      20,
    );
  });

  test("are 403 only where every one of them is FORBIDDEN_FIELD", () => {
    expect(refusal("ssn=1&sort=ssn&has=ssn")).toMatchObject({ status: 403, code: "FORBIDDEN_FIELD", errors: [{}, {}, {}] });
    expect(refusal("ssn=1&quantity=x")).toMatchObject({ status: 400, code: "INVALID_VALUE" });
    expect(refusal("ssn=1&plan=x")).toMatchObject({ status: 400, code: "UNKNOWN_FIELD" });
  });
});

describe("parameters that are ignored", () => {
  const settings = { ignores: (name: string) => name.startsWith("utm_") || name === "plan" || name === "name" };

  test("mean nothing, whatever they are", () => {
    expect(parse("utm_source=%zz&utm_x[gte]=1", { settings }).filter).toBeUndefined();
    expect(refusal("utm=1", { settings }).code).toBe("UNKNOWN_FIELD");
  });

  test("are not the fields that the principal may know of, but those that it may not", () => {
    expect(parse("name=a", { settings }).filter).toEqual({ op: "eq", path: ["name"], value: "a" });
    expect(parse("plan=a", { settings }).filter).toBeUndefined();
    expect(parse("plan=a", { settings, gate: admin }).filter).toEqual({ op: "eq", path: ["plan"], value: "a" });
  });
});
