import { expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { type Item, isConsistent, scopedAccounts, sharedAccounts, statusesOf, strict, type Tenant } from "./batchAccounts.js";

/** The rows that items speak of. */
interface Ids {
  readonly [name: string]: number;
}

const rowNames = ["first", "last", "taken", "locked", "ghost", "plain"] as const;

async function seeded(tenant: Tenant, other: Tenant): Promise<Ids> {
  const ids = await tenant.seed(...rowNames.map((name) => ({ name, email: `${name}@example.com` })));
  const [foreign = 0] = await other.seed({ name: "foreign" });
  return { ...Object.fromEntries(rowNames.map((name, index) => [name, ids[index] ?? 0])), foreign, absent: 2_000_000_000 };
}

const to =
  (name: string, changes: unknown, more: Item = {}) =>
  (ids: Ids) => ({ id: ids[name], changes, ...more });

/** An item that fails, and what its result says. */
type Fault = readonly [name: string, item: (ids: Ids) => unknown, status: number, code: string, where?: string];

const named = ([name, item, status, code, where]: Fault) => ({ name, item, status, code, where });

/** Items that fail, with what their results say. */
const faults: readonly Fault[] = [
  ["null", () => null, 422, "VALIDATION_FAILED", ""],
  ["a bare id", (ids) => ids["plain"], 422, "VALIDATION_FAILED", ""],
  ["no id", () => ({ changes: {} }), 422, "VALIDATION_FAILED", "/id"],
  ["an id of another type", () => ({ id: "1", changes: {} }), 422, "VALIDATION_FAILED", "/id"],
  ["an id beyond what binary64 holds", () => ({ id: 2 ** 53, changes: {} }), 422, "VALIDATION_FAILED", "/id"],
  ["a member that items do not have", to("plain", {}, { ifmatch: "x" }), 422, "VALIDATION_FAILED", "/ifmatch"],
  ["no changes", to("plain", undefined), 422, "VALIDATION_FAILED", "/changes"],
  ["changes that are a list", to("plain", []), 422, "VALIDATION_FAILED", "/changes"],
  ["changes that are null", to("plain", null), 422, "VALIDATION_FAILED", "/changes"],
  ["an invalid value", to("plain", { name: "" }), 422, "VALIDATION_FAILED", "/changes/name"],
  ["a required field that is removed", to("plain", { name: null }), 422, "VALIDATION_FAILED", "/changes/name"],
  ["an unknown member", to("plain", { nmae: "x" }), 422, "VALIDATION_FAILED", "/changes/nmae"],
  ["a member that is hidden", to("plain", { internal: "internal-value" }), 422, "VALIDATION_FAILED", "/changes/internal"],
  ["another id", to("plain", { id: 7 }), 422, "VALIDATION_FAILED", "/changes/id"],
  ["a duplicate of the store", to("plain", { email: "TAKEN@example.com" }), 422, "DUPLICATE_EMAIL", "/changes/email"],
  ["a duplicate of an earlier item", to("plain", { email: "New@example.com" }), 422, "DUPLICATE_EMAIL", "/changes/email"],
  ["a missing row", to("absent", { name: "x" }), 404, "NOT_FOUND"],
  ["a row of another tenant", to("foreign", { name: "x" }), 404, "NOT_FOUND"],
  ["a hidden row", to("ghost", { name: "x" }), 404, "NOT_FOUND"],
  ["a row that may be read only", to("locked", { name: "x" }), 403, "FORBIDDEN"],
  ["a field that authorize refuses", to("plain", { role: "boss" }), 403, "FORBIDDEN"],
  ["another tag", to("plain", { name: "x" }, { ifMatch: '"other"' }), 412, "PRECONDITION_FAILED"],
  ["a weak tag", to("plain", { name: "x" }, { ifMatch: 'W/"other"' }), 412, "PRECONDITION_FAILED"],
  ["a tag that is none", to("plain", { name: "x" }, { ifMatch: "no quotes" }), 400, "MALFORMED_HEADER"],
  ["a tag with a line break", to("plain", { name: "x" }, { ifMatch: '"a"\r\nb: c' }), 422, "VALIDATION_FAILED", "/ifMatch"],
  ["a tag that is a number", to("plain", { name: "x" }, { ifMatch: 5 }), 422, "VALIDATION_FAILED", "/ifMatch"],
  ["any tag of a missing row", to("absent", { name: "x" }, { ifMatch: "*" }), 404, "NOT_FOUND"],
];

describeStores("PATCH of a batch", ({ open, hasTransactions }) => {
  const tenant = sharedAccounts(open, { resources: [scopedAccounts] });
  const emails = async ({ rows }: Tenant) => (await rows()).map(({ email }) => email);

  test("changes rows and shows them as they are now", async () => {
    const { as, seed } = tenant();
    const [a = 0, b = 0] = await seed({ name: "a" }, { name: "b", email: "b@example.com" });
    const items = [
      { id: b, changes: { email: null, balance: 5 } },
      { id: a, changes: { name: "A" } },
      { id: a, changes: {} },
    ];
    const answer = await as("clerk", "PATCH", "/accounts/batch", { items });
    expect([answer.status, isConsistent(answer, 3)]).toEqual([200, true]);
    expect(answer.json.results).toMatchObject([
      { status: 200, id: b, data: { id: b, name: "b", email: null, balance: 5 } },
      { status: 200, id: a, data: { id: a, name: "A", email: null, balance: 0 } },
      { status: 200, id: a, data: { name: "A" } },
    ]);
    for (const { id, etag, data } of answer.json.results) {
      const single = await as("clerk", "GET", `/accounts/${id}`);
      expect([single.headers["etag"], single.json]).toEqual([etag, data]);
    }
    expect(answer.text).not.toContain("internal");
  });

  test.each(faults.map(named))("$name fails alone in best effort", async ({ item, status, code, where }) => {
    const [mine, theirs] = [tenant(), tenant()];
    const ids = await seeded(mine, theirs);
    const items = [to("first", { email: "new@example.com" })(ids), item(ids), to("last", { balance: 1 }, { ifMatch: "*" })(ids)];
    const [before, foreign] = [await mine.rows(), await theirs.rows()];
    const answer = await mine.as("clerk", "PATCH", "/accounts/batch", { items });
    expect([answer.status, statusesOf(answer)]).toEqual([207, [200, status, 200]]);
    expect(isConsistent(answer, 3)).toBe(true);
    const { error } = answer.json.results[1];
    expect(error).toMatchObject({ code, status });
    if (where !== undefined) expect(error.errors).toMatchObject([{ pointer: where }]);
    expect((await mine.rows()).slice(2)).toEqual(before.slice(2));
    expect((await mine.rows()).slice(0, 2)).toMatchObject([{ email: "new@example.com" }, { balance: 1 }]);
    expect(await theirs.rows()).toEqual(foreign);
    expect(answer.text).not.toContain("internal-value");
  });

  if (hasTransactions)
    test.each(faults.map(named))("$name takes all with it in an atomic batch", async ({ item, status, code }) => {
      const [mine, theirs] = [tenant(), tenant()];
      const ids = await seeded(mine, theirs);
      const items = [to("first", { email: "new@example.com" })(ids), item(ids), to("last", { balance: 1 })(ids)];
      const [before, foreign] = [await mine.rows(), await theirs.rows()];
      const answer = await mine.as("clerk", "PATCH", "/accounts/batch", { items }, strict);
      expect([answer.status, statusesOf(answer)]).toEqual([422, [424, status, 424]]);
      expect(isConsistent(answer, 3)).toBe(true);
      expect(answer.json.results[1].error.code).toBe(code);
      expect([await mine.rows(), await theirs.rows()]).toEqual([before, foreign]);
    });

  test("a field outside the rights of the principal fails its item, and results show no more than the rights allow", async () => {
    const { as, seed } = tenant();
    const [a = 0, b = 0] = await seed({ name: "a" }, { name: "b" });
    const items = [
      { id: a, changes: { balance: 1 } },
      { id: b, changes: { name: "c" } },
    ];
    const { json } = await as("narrow", "PATCH", "/accounts/batch", { items });
    expect(json.results[0].error).toMatchObject({ status: 403, code: "FORBIDDEN_FIELD", errors: [{ pointer: "/changes/balance" }] });
    expect(json.results[1].data).toEqual({ id: b, name: "c" });
  });

  test("a hidden row answers as one that is missing", async () => {
    const [mine, theirs] = [tenant(), tenant()];
    const ids = await seeded(mine, theirs);
    const about = async (name: string) => {
      const answer = await mine.as("clerk", "PATCH", "/accounts/batch", { items: [to(name, { nmae: 1 }, { ifMatch: '"x"' })(ids)] });
      return answer.text.replaceAll(String(ids[name]), "X");
    };
    expect(await about("ghost")).toBe(await about("absent"));
    expect(await about("foreign")).toBe(await about("absent"));
  });

  test("the right tag lets through, and a wrong one is answered with the right one", async () => {
    const { as, seed } = tenant();
    const [id = 0] = await seed({ name: "a" });
    const tag = (await as("clerk", "GET", `/accounts/${id}`)).headers["etag"];
    const wrong = await as("clerk", "PATCH", "/accounts/batch", { items: [{ id, changes: { name: "b" }, ifMatch: '"x"' }] });
    expect(wrong.json.results[0]).toMatchObject({ status: 412, etag: tag });
    const right = await as("clerk", "PATCH", "/accounts/batch", { items: [{ id, changes: { name: "b" }, ifMatch: `"x", ${tag}` }] });
    expect(right.json.results[0]).toMatchObject({ status: 200, data: { name: "b" } });
    expect(right.json.results[0].etag).not.toBe(tag);
  });

  test("headers of the request hold for no item", async () => {
    const { as, seed } = tenant();
    const [id = 0] = await seed({ name: "a" });
    const answer = await as("clerk", "PATCH", "/accounts/batch", { items: [{ id, changes: { name: "b" } }] }, { "if-match": '"x"' });
    expect(statusesOf(answer)).toEqual([200]);
  });

  const modes = hasTransactions ? (["lenient", "strict"] as const) : (["lenient"] as const);

  test.each(modes)("with handling=%s items of one row are done in order, each on what the last one left", async (handling) => {
    const { as, seed, rows } = tenant();
    const [id = 0] = await seed({ name: "a" });
    const items = [
      { id, changes: { name: "b", balance: 1 } },
      { id, changes: { balance: 2 } },
      { id, changes: { name: "c" } },
    ];
    const answer = await as("clerk", "PATCH", "/accounts/batch", { items }, { prefer: `handling=${handling}` });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.results).toMatchObject([
      { data: { name: "b", balance: 1 } },
      { data: { name: "b", balance: 2 } },
      { data: { name: "c", balance: 2 } },
    ]);
    expect(await rows()).toMatchObject([{ name: "c", balance: 2 }]);
  });

  test.each(modes)("with handling=%s a value moves from one row to the next within a batch", async (handling) => {
    const { as, seed, ...mine } = tenant();
    const [a = 0, b = 0] = await seed({ name: "a", email: "x@example.com" }, { name: "b" });
    const items = [
      { id: a, changes: { email: null } },
      { id: b, changes: { email: "x@example.com" } },
    ];
    const answer = await as("clerk", "PATCH", "/accounts/batch", { items }, { prefer: `handling=${handling}` });
    expect(answer.status, answer.text).toBe(200);
    expect(await emails({ as, seed, ...mine })).toEqual([null, "x@example.com"]);
  });

  test("the other way round the taker comes too early, and only it fails", async () => {
    const mine = tenant();
    const [a = 0, b = 0] = await mine.seed({ name: "a", email: "x@example.com" }, { name: "b" });
    const items = [
      { id: b, changes: { email: "x@example.com" } },
      { id: a, changes: { email: null } },
    ];
    expect(statusesOf(await mine.as("clerk", "PATCH", "/accounts/batch", { items }))).toEqual([422, 200]);
    expect(await emails(mine)).toEqual([null, null]);
  });

  test("an item behind one of the same row that failed sees the row as it is", async () => {
    const mine = tenant();
    const [a = 0] = await mine.seed({ name: "a" }, { name: "b", email: "x@example.com" });
    const items = [
      { id: a, changes: { email: "x@example.com", balance: 9 } },
      { id: a, changes: { name: "c" } },
    ];
    const answer = await mine.as("clerk", "PATCH", "/accounts/batch", { items });
    expect(statusesOf(answer)).toEqual([422, 200]);
    expect(answer.json.results[1].data).toMatchObject({ name: "c", email: null, balance: 0 });
    expect((await mine.rows())[0]).toMatchObject({ name: "c", email: null, balance: 0 });
  });

  test("a row that an earlier item locks is refused to a later one", async () => {
    const mine = tenant();
    const [id = 0] = await mine.seed({ name: "a" });
    const items = [
      { id, changes: { name: "locked" } },
      { id, changes: { name: "b" } },
    ];
    expect(statusesOf(await mine.as("clerk", "PATCH", "/accounts/batch", { items }))).toEqual([200, 403]);
    expect(await mine.rows()).toMatchObject([{ name: "locked" }]);
  });

  test("read-only and unchanged members may come back, as in a request of their own", async () => {
    const { as, seed } = tenant();
    const [id = 0] = await seed({ name: "a" });
    const { role: _, ...got } = (await as("clerk", "GET", `/accounts/${id}`)).json;
    const answer = await as("clerk", "PATCH", "/accounts/batch", { items: [{ id, changes: { ...got, rank: 9, name: "b" } }] });
    expect(answer.json.results).toMatchObject([{ status: 200, data: { name: "b", rank: 0 } }]);
  });

  test("return=minimal keeps id, status and tag", async () => {
    const { as, seed } = tenant();
    const [id = 0] = await seed({ name: "a" });
    const answer = await as("clerk", "PATCH", "/accounts/batch", { items: [{ id, changes: { name: "b" } }] }, { prefer: "return=minimal" });
    expect(answer.json.results).toEqual([{ index: 0, status: 200, id, etag: expect.any(String) }]);
    expect(answer.headers["preference-applied"]).toBe("return=minimal");
  });

  test.each([
    ["reader", 403, "FORBIDDEN"],
    ["", 401, "UNAUTHENTICATED"],
  ])("%j may change nothing, and the whole request says so", async (who, status, code) => {
    const { as, seed, rows } = tenant();
    const [id = 0] = await seed({ name: "a" });
    const before = await rows();
    const answer = await as(who, "PATCH", "/accounts/batch", { items: [{ id, changes: { name: "b" } }] });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(await rows()).toEqual(before);
  });
});
