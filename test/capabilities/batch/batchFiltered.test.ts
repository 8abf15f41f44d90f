import { expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { isConsistent, scopedAccounts, sharedAccounts, statusesOf, strict } from "./batchAccounts.js";

const update = ["POST", "/accounts/bulk-update", { balance: 9 }] as const;
const remove = ["DELETE", "/accounts", undefined] as const;
const both = [update, remove];

/** Queries that are refused before the store is touched. */
const refused = [
  ["", "FILTER_REQUIRED"],
  ["dryRun=true", "FILTER_REQUIRED"],
  ["confirm=true", "FILTER_REQUIRED"],
  ["confirm=0&", "FILTER_REQUIRED"],
  ["stauts=open", "UNKNOWN_FIELD"],
  ["name=a&stauts=open", "UNKNOWN_FIELD"],
  ["name=a&confirm=true&dryRn=true", "UNKNOWN_FIELD"],
  ["internal=internal-value", "UNKNOWN_FIELD"],
  ["name=a&sort=name", "UNKNOWN_FIELD"],
  ["name=a&page=1", "UNKNOWN_FIELD"],
  ["name=a&perPage=1", "UNKNOWN_FIELD"],
  ["name=a&cursor=x", "UNKNOWN_FIELD"],
  ["name=a&fields=id", "UNKNOWN_FIELD"],
  ["name=a&fields[accounts]=id", "UNKNOWN_FIELD"],
  ["name=a&include=x", "UNKNOWN_FIELD"],
  ["name=a&confirm=", "INVALID_VALUE"],
  ["name=a&confirm=false", "INVALID_VALUE"],
  ["name=a&confirm=-1", "INVALID_VALUE"],
  ["name=a&confirm=1.0", "INVALID_VALUE"],
  ["name=a&confirm=1e3", "INVALID_VALUE"],
  ["name=a&confirm=9999999999999999", "INVALID_VALUE"],
  ["name=a&dryRun=1", "INVALID_VALUE"],
  ["name=a&dryRun", "INVALID_VALUE"],
  ["name=a&confirm=1&confirm=1", "REPEATED_PARAMETER"],
  ["name=a&dryRun=false&dryRun=true", "REPEATED_PARAMETER"],
  ["balance=x", "INVALID_VALUE"],
  ["balance=", "EMPTY_VALUE"],
  ["balance[like]=1", "OPERATOR_NOT_ALLOWED"],
  ["balance[near]=1", "UNKNOWN_OPERATOR"],
  ["q=", "FILTER_REQUIRED"],
  ["q=%20&confirm=true", "FILTER_REQUIRED"],
  ["name=%zz", "MALFORMED_QUERY"],
] as const;

describeStores("writes by filter", ({ open, hasTransactions }) => {
  const tenant = sharedAccounts(open, { resources: [scopedAccounts] });
  const three = [
    { name: "a", balance: 1 },
    { name: "b", balance: 2 },
    { name: "a b", balance: 1 },
  ];

  test.each(refused)("?%s is refused with %s, and no row changes", async (query, code) => {
    const { as, seed, rows } = tenant();
    await seed(...three);
    const before = await rows();
    for (const [method, target, body] of both) {
      const answer = await as("clerk", method, `${target}?${query}`, body);
      const codes = [answer.json.code, ...(answer.json.errors ?? []).map((error: { code: string }) => error.code)];
      expect([answer.status, codes.includes(code)], answer.text).toEqual([400, true]);
      expect(answer.text.includes("internal")).toBe(query.includes("internal"));
    }
    expect(await rows()).toEqual(before);
  });

  test("all rows that match are changed, in the order of their ids, and no others", async () => {
    const { as, seed, rows } = tenant();
    const [a, b, c] = await seed(...three);
    const answer = await as("clerk", "POST", "/accounts/bulk-update?balance=1", { balance: 5, pin: "1234" });
    expect([answer.status, isConsistent(answer, 2)]).toEqual([200, true]);
    expect(answer.json.results).toMatchObject([
      { index: 0, status: 200, id: a, data: { name: "a", balance: 5 } },
      { index: 1, status: 200, id: c, data: { name: "a b", balance: 5 } },
    ]);
    expect(answer.text).not.toMatch(/1234|internal/);
    expect((await rows()).map(({ id, balance, pin }) => [id, balance, pin ?? null])).toEqual([
      [a, 5, "1234"],
      [b, 2, null],
      [c, 5, "1234"],
    ]);
  });

  test.each([
    ["balance=1", 2],
    ["balance[gt]=1", 1],
    ["balance[gte]=1", 3],
    ["balance!=1", 1],
    ["balance[in]=1,2", 3],
    ["name[like]=a*", 2],
    ["name=a&balance=1", 1],
    ["q=b", 2],
    ["q=b&balance=1", 1],
    ["has=email", 0],
    ["has=name", 3],
    ["name=none", 0],
  ])("?%s chooses %i of three rows, as in a list", async (query, matched) => {
    const { as, seed, rows } = tenant();
    await seed(...three);
    const listed = (await as("clerk", "GET", `/accounts?${query}&sort=id`)).json.data.map(({ id }: { id: number }) => id);
    expect(listed).toHaveLength(matched);
    for (const [method, target, body] of both) {
      expect((await as("clerk", method, `${target}?${query}&dryRun=true`, body)).json).toEqual({ matched, sample: listed });
    }
    const updated = await as("clerk", "POST", `/accounts/bulk-update?${query}`, { role: undefined, pin: "1" });
    expect(updated.json.results.map(({ id }: { id: number }) => id)).toEqual(listed);
    expect(updated.status).toBe(200);
    const removed = await as("clerk", "DELETE", `/accounts?${query}&confirm=${matched}`);
    expect([removed.status, removed.json.summary]).toEqual([200, { total: matched, succeeded: matched, failed: 0 }]);
    expect(await rows()).toHaveLength(3 - matched);
  });

  test("each row fails for itself", async () => {
    const { as, seed, rows } = tenant();
    await seed({ name: "a" }, { name: "b" }, { name: "c" });
    const unique = await as("clerk", "POST", "/accounts/bulk-update?balance=0", { email: "x@example.com" });
    expect([unique.status, statusesOf(unique), isConsistent(unique, 3)]).toEqual([207, [200, 422, 422], true]);
    expect(unique.json.results[1].error).toMatchObject({ code: "DUPLICATE_EMAIL", errors: [{ pointer: "/email" }] });
    expect((await rows()).map(({ email }) => email)).toEqual(["x@example.com", null, null]);
    const narrow = await as("narrow", "POST", "/accounts/bulk-update?name=b", { balance: 5 });
    expect([narrow.status, narrow.json.results[0].error.code]).toEqual([207, "FORBIDDEN_FIELD"]);
  });

  if (hasTransactions)
    test("or all together, where it is to be atomic", async () => {
      const { as, seed, rows } = tenant();
      await seed({ name: "a" }, { name: "locked" }, { name: "b" });
      const before = await rows();
      const updated = await as("clerk", "POST", "/accounts/bulk-update?balance=0", { email: "x@example.com" }, strict);
      expect([updated.status, statusesOf(updated)]).toEqual([422, [424, 422]]);
      expect(await rows()).toEqual(before);
      const done = await as("clerk", "DELETE", "/accounts?balance=0&confirm=2", undefined, strict);
      expect([done.status, done.headers["preference-applied"], (await rows()).length]).toEqual([200, "handling=strict", 1]);
    });

  test("rows that may be read only do not match", async () => {
    const { as, seed, rows } = tenant();
    const [a, , b] = await seed({ name: "a" }, { name: "locked" }, { name: "b" });
    expect((await as("clerk", "GET", "/accounts?balance=0")).json.meta.total).toBe(3);
    for (const [method, target, body] of both) {
      expect((await as("clerk", method, `${target}?balance=0&dryRun=true`, body)).json).toEqual({ matched: 2, sample: [a, b] });
    }
    const updated = await as("clerk", "POST", "/accounts/bulk-update?balance=0", { balance: 5 }, { prefer: "max-affected=2" });
    expect([updated.status, statusesOf(updated)]).toEqual([200, [200, 200]]);
    expect((await rows()).map(({ balance }) => balance)).toEqual([5, 0, 5]);
    expect((await as("clerk", "DELETE", "/accounts?balance[gte]=0&confirm=3")).json).toMatchObject({ status: 409, matched: 2 });
    const removed = await as("clerk", "DELETE", "/accounts?balance[gte]=0&confirm=2");
    expect([removed.status, statusesOf(removed)]).toEqual([200, [204, 204]]);
    expect((await rows()).map(({ name }) => name)).toEqual(["locked"]);
  });

  test("rows that are hidden, and those of others, do not match: nothing counts, shows or changes them", async () => {
    const [mine, theirs] = [tenant(), tenant()];
    const [a] = await mine.seed({ name: "a" }, { name: "ghost" });
    await theirs.seed({ name: "a" });
    const foreign = await theirs.rows();
    for (const [method, target, body] of both) {
      expect((await mine.as("clerk", method, `${target}?balance=0&dryRun=true`, body)).json).toEqual({ matched: 1, sample: [a] });
    }
    expect((await mine.as("clerk", "DELETE", "/accounts?name=ghost")).json).toMatchObject({ matched: 0, sample: [] });
    const updated = await mine.as("clerk", "POST", "/accounts/bulk-update?balance=0", { balance: 5 });
    expect(updated.json.results.map(({ id }: { id: number }) => id)).toEqual([a]);
    await mine.as("clerk", "DELETE", "/accounts?balance[gte]=0&confirm=1");
    expect((await mine.rows()).map(({ name, balance }) => [name, balance])).toEqual([["ghost", 0]]);
    expect(await theirs.rows()).toEqual(foreign);
  });

  test("a filter over a field that is hidden answers as one over a field that does not exist", async () => {
    const { as, seed } = tenant();
    await seed({ name: "a" });
    for (const field of ["internal", "pin"]) {
      for (const [method, target, body] of both) {
        for (const [operator, value] of [
          ["", "x"],
          ["[like]", "*"],
          ["[gt]", "a"],
          ["!", "x"],
        ]) {
          const hidden = await as("clerk", method, `${target}?name=a&${field}${operator}=${value}&confirm=true`, body);
          const absent = await as("clerk", method, `${target}?name=a&${"z".repeat(field.length)}${operator}=${value}&confirm=true`, body);
          expect([hidden.status, hidden.text]).toEqual([absent.status, absent.text.replaceAll("z".repeat(field.length), field)]);
        }
      }
    }
  });

  test.each([
    ["a list", [], 422],
    ["null", "null", 422],
    ["an empty patch", {}, 422],
    ["nothing", undefined, 415],
    ["no JSON", "{", 400],
  ])("a bulk update with %s is %s as a whole", async (_, body, status) => {
    const { as, seed, rows } = tenant();
    await seed(...three);
    const before = await rows();
    expect((await as("clerk", "POST", "/accounts/bulk-update?balance=1", body)).status).toBe(status);
    expect(await rows()).toEqual(before);
  });

  test("a patch that fits no row is refused as a whole", async () => {
    const { as, seed, rows } = tenant();
    await seed(...three);
    const before = await rows();
    const answer = await as("clerk", "POST", "/accounts/bulk-update?balance=1", { name: "", nmae: 1, internal: "x" });
    expect([answer.status, answer.json.code]).toEqual([422, "VALIDATION_FAILED"]);
    expect(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(["/nmae", "/internal", "/name"]);
    expect(await rows()).toEqual(before);
  });

  test("a DELETE whose body was lost on its way points to the POST that keeps it", async () => {
    const { as, seed, rows } = tenant();
    await seed(...three);
    for (const [body, headers] of [
      [undefined, {}],
      ["", {}],
      ["", { "content-type": "application/json" }],
      [undefined, { "content-type": "application/json", "content-length": "0" }],
    ] as const) {
      const answer = await as("clerk", "DELETE", "/accounts", body, headers);
      expect([answer.status, answer.json.code]).toEqual([400, "FILTER_REQUIRED"]);
      expect(answer.json.detail).toContain("POST /accounts/batch-delete");
    }
    expect(await rows()).toHaveLength(3);
    const filtered = await as("clerk", "DELETE", "/accounts?name=a&confirm=1", "", { "content-type": "application/json" });
    expect([filtered.status, (await rows()).length]).toEqual([200, 2]);
  });

  test("ids in the body together with a query are refused, whatever the query says", async () => {
    const { as, seed, rows } = tenant();
    const ids = await seed(...three);
    for (const query of ["name=a", "confirm=true", "dryRun=true", "x", "name=none&confirm=true"]) {
      const answer = await as("clerk", "DELETE", `/accounts?${query}`, { ids });
      expect([answer.status, answer.json.code]).toEqual([400, query === "x" ? "UNKNOWN_FIELD" : "INVALID_BATCH"]);
    }
    expect(await rows()).toHaveLength(3);
  });

  test("whoever may change rows but not list them cannot choose them by a filter", async () => {
    const { as, seed, rows } = tenant();
    await seed(...three);
    const before = await rows();
    for (const [method, target, body] of both) expect((await as("reader", method, `${target}?name=a&confirm=true`, body)).status).toBe(403);
    expect(await rows()).toEqual(before);
  });

  test("results show no data with return=minimal, and what was deleted with return=representation", async () => {
    const { as, seed } = tenant();
    const [a] = await seed({ name: "a", pin: "1234" });
    const updated = await as("clerk", "POST", "/accounts/bulk-update?name=a", { balance: 1 }, { prefer: "return=minimal" });
    expect(updated.json.results).toEqual([{ index: 0, status: 200, id: a, etag: expect.any(String) }]);
    const removed = await as("clerk", "DELETE", "/accounts?name=a&confirm=1", undefined, { prefer: "return=representation" });
    expect(removed.json.results).toEqual([
      { index: 0, status: 200, id: a, data: { id: a, name: "a", email: null, balance: 1, role: "user", rank: 0 } },
    ]);
  });
});
