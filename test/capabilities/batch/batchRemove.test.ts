import { expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { isConsistent, scopedAccounts, sharedAccounts, statusesOf, strict, type Tenant } from "./batchAccounts.js";

interface Ids {
  readonly [name: string]: number;
}

const rowNames = ["first", "last", "locked", "ghost", "plain"] as const;

async function seeded(tenant: Tenant, other: Tenant): Promise<Ids> {
  const ids = await tenant.seed(...rowNames.map((name) => ({ name })));
  const [foreign = 0] = await other.seed({ name: "foreign" });
  return { ...Object.fromEntries(rowNames.map((name, index) => [name, ids[index] ?? 0])), foreign, absent: 2_000_000_000 };
}

/** An item that fails, and what its result says. */
type Fault = readonly [name: string, item: (ids: Ids) => unknown, status: number, code: string, where?: string];

const named = ([name, item, status, code, where]: Fault) => ({ name, item, status, code, where });

/** Items that fail, bare ids among them, with what their results say. */
const faults: readonly Fault[] = [
  ["no id", () => ({}), 422, "VALIDATION_FAILED", "/id"],
  ["null", () => null, 422, "VALIDATION_FAILED", ""],
  ["an id of another type", () => ({ id: "1" }), 422, "VALIDATION_FAILED", "/id"],
  ["a member that items do not have", (ids) => ({ id: ids["plain"], changes: {} }), 422, "VALIDATION_FAILED", "/changes"],
  ["a missing row", (ids) => ({ id: ids["absent"] }), 404, "NOT_FOUND"],
  ["a row of another tenant", (ids) => ({ id: ids["foreign"] }), 404, "NOT_FOUND"],
  ["a hidden row", (ids) => ({ id: ids["ghost"] }), 404, "NOT_FOUND"],
  ["a row that may be read only", (ids) => ({ id: ids["locked"] }), 403, "FORBIDDEN"],
  ["another tag", (ids) => ({ id: ids["plain"], ifMatch: '"other"' }), 412, "PRECONDITION_FAILED"],
  ["a tag that is none", (ids) => ({ id: ids["plain"], ifMatch: "other" }), 400, "MALFORMED_HEADER"],
  ["a tag that is a list", (ids) => ({ id: ids["plain"], ifMatch: [] }), 422, "VALIDATION_FAILED", "/ifMatch"],
  ["the row of an earlier item", (ids) => ({ id: ids["first"] }), 404, "NOT_FOUND"],
];

const bareFaults: readonly Fault[] = [
  ["null", () => null, 422, "VALIDATION_FAILED", ""],
  ["an object", (ids) => ({ id: ids["plain"] }), 422, "VALIDATION_FAILED", ""],
  ["an id of another type", () => "1", 422, "VALIDATION_FAILED", ""],
  ["a fraction", () => 1.5, 422, "VALIDATION_FAILED", ""],
  ["a missing row", (ids) => ids["absent"], 404, "NOT_FOUND"],
  ["a row of another tenant", (ids) => ids["foreign"], 404, "NOT_FOUND"],
  ["a hidden row", (ids) => ids["ghost"], 404, "NOT_FOUND"],
  ["a row that may be read only", (ids) => ids["locked"], 403, "FORBIDDEN"],
  ["the row of an earlier item", (ids) => ids["first"], 404, "NOT_FOUND"],
];

const ways = [
  ["POST", "/accounts/batch-delete", "items", faults],
  ["POST", "/accounts/batch-delete", "ids", bareFaults],
  ["DELETE", "/accounts", "items", faults],
  ["DELETE", "/accounts", "ids", bareFaults],
] as const;

describeStores("deletion of a batch", ({ open, hasTransactions }) => {
  const tenant = sharedAccounts(open, { resources: [scopedAccounts] });

  for (const [method, target, member, table] of ways) {
    const itemOf = (id: number | undefined) => (member === "ids" ? id : { id });

    test.each(table.map(named))(`${method} ${target} with ${member}: $name fails alone in best effort`, async ({ item, status, code, where }) => {
      const [mine, theirs] = [tenant(), tenant()];
      const ids = await seeded(mine, theirs);
      const [before, foreign] = [await mine.rows(), await theirs.rows()];
      const answer = await mine.as("clerk", method, target, { [member]: [itemOf(ids["first"]), item(ids), itemOf(ids["last"])] });
      expect([answer.status, statusesOf(answer)], answer.text).toEqual([207, [204, status, 204]]);
      expect(isConsistent(answer, 3)).toBe(true);
      expect(answer.json.results[0]).toEqual({ index: 0, status: 204, id: ids["first"] });
      expect(answer.json.results[1].error).toMatchObject({ code, status, ...(where === undefined ? {} : { errors: [{ pointer: where }] }) });
      expect(await mine.rows()).toEqual(before.slice(2));
      expect(await theirs.rows()).toEqual(foreign);
    });

    if (hasTransactions)
      test.each(table.map(named))(
        `${method} ${target} with ${member}: $name takes all with it in an atomic batch`,
        async ({ item, status, code }) => {
          const [mine, theirs] = [tenant(), tenant()];
          const ids = await seeded(mine, theirs);
          const before = await mine.rows();
          const answer = await mine.as("clerk", method, target, { [member]: [itemOf(ids["first"]), item(ids), itemOf(ids["last"])] }, strict);
          expect([answer.status, statusesOf(answer)], answer.text).toEqual([422, [424, status, 424]]);
          expect(answer.json.results[1].error.code).toBe(code);
          expect(await mine.rows()).toEqual(before);
        },
      );
  }

  test('all succeed: 200; a tag or "*" is judged for each', async () => {
    const { as, seed, rows } = tenant();
    const [a = 0, b = 0] = await seed({ name: "a" }, { name: "b" });
    const tag = (await as("clerk", "GET", `/accounts/${a}`)).headers["etag"];
    const items = [
      { id: a, ifMatch: tag },
      { id: b, ifMatch: "*" },
    ];
    const answer = await as("clerk", "POST", "/accounts/batch-delete", { items });
    expect([answer.status, statusesOf(answer), answer.json.summary]).toEqual([200, [204, 204], { total: 2, succeeded: 2, failed: 0 }]);
    expect(await rows()).toEqual([]);
  });

  test("return=representation shows what was deleted, hidden fields left out", async () => {
    const { as, seed } = tenant();
    const ids = await seed({ name: "a", pin: "1234" }, { name: "b" });
    const answer = await as("clerk", "DELETE", "/accounts", { ids: ids.slice(0, 1) }, { prefer: "return=representation" });
    expect(answer.json.results).toEqual([
      { index: 0, status: 200, id: ids[0], data: { id: ids[0], name: "a", email: null, balance: 0, role: "user", rank: 0 } },
    ]);
    const narrow = await as("narrow", "DELETE", "/accounts", { ids: ids.slice(1) }, { prefer: "return=representation" });
    expect(narrow.json.results).toEqual([{ index: 0, status: 200, id: ids[1], data: { id: ids[1], name: "b" } }]);
    expect(answer.headers["preference-applied"]).toBe("return=representation");
    expect(answer.text).not.toMatch(/1234|internal/);
  });

  if (hasTransactions)
    test("a value that a deletion sets free is another row's", async () => {
      const { as, seed } = tenant();
      const [a = 0, b = 0] = await seed({ name: "a", email: "x@example.com" }, { name: "b" });
      await as("clerk", "POST", "/accounts/batch-delete", { ids: [a] }, strict);
      expect(
        (await as("clerk", "PATCH", `/accounts/${b}`, { email: "x@example.com" }, { "content-type": "application/merge-patch+json" })).status,
      ).toBe(200);
    });

  test.each([
    ["reader", 403],
    ["", 401],
  ])("%j may delete nothing, and the whole request says so", async (who, status) => {
    const { as, seed, rows } = tenant();
    const ids = await seed({ name: "a" });
    const before = await rows();
    for (const [method, target] of ways) expect((await as(who, method, target, { ids })).status).toBe(status);
    expect(await rows()).toEqual(before);
  });
});
