import { expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { isConsistent, sharedAccounts, statusesOf, strict } from "./batchAccounts.js";

const valid = { name: "Ada", email: "ada@example.com" };
const before = { name: "before", email: "before@example.com" };
const after = { name: "after", email: "after@example.com" };

/** Items that fail, with what their results say. */
const faults = [
  ["null", null, 422, "VALIDATION_FAILED", ""],
  ["a list", [], 422, "VALIDATION_FAILED", ""],
  ["no members", {}, 422, "VALIDATION_FAILED", "/name"],
  ["an invalid value", { name: "" }, 422, "VALIDATION_FAILED", "/name"],
  ["a value of another type", { name: "x", balance: "1" }, 422, "VALIDATION_FAILED", "/balance"],
  ["an unknown member", { name: "x", nmae: "x" }, 422, "VALIDATION_FAILED", "/nmae"],
  ["a member that is hidden", { name: "x", internal: "x" }, 422, "VALIDATION_FAILED", "/internal"],
  ["a generated member", { name: "x", id: 7 }, 422, "VALIDATION_FAILED", "/id"],
  ["a read-only member", { name: "x", rank: 7 }, 422, "VALIDATION_FAILED", "/rank"],
  ["an integer beyond the range of its field", { name: "x", balance: 2 ** 53 }, 422, "VALIDATION_FAILED", "/balance"],
  ["a duplicate of the store", { name: "x", email: "TAKEN@example.com" }, 422, "DUPLICATE_EMAIL", "/email"],
  ["a duplicate of an earlier item", { name: "x", email: "Before@Example.com" }, 422, "DUPLICATE_EMAIL", "/email"],
  ["a member that authorize refuses", { name: "x", role: "boss" }, 403, "FORBIDDEN", undefined],
] as const;

describeStores("POST of a batch", ({ open, hasTransactions }) => {
  const tenant = sharedAccounts(open);

  test("makes rows in order, with their defaults, and says where they are", async () => {
    const { as, rows } = tenant();
    const answer = await as("clerk", "POST", "/accounts/batch", { items: [valid, { name: "Bob", pin: "1234" }] });
    expect(answer.status).toBe(200);
    expect(isConsistent(answer, 2)).toBe(true);
    expect(answer.headers).toMatchObject({ "content-type": "application/json" });
    expect(String(answer.headers["vary"])).toContain("Prefer");
    const [first, second] = answer.json.results;
    expect(first).toEqual({
      index: 0,
      status: 201,
      id: first.id,
      location: `/accounts/${first.id}`,
      etag: expect.stringMatching(/^"/),
      data: { id: first.id, ...valid, balance: 0, role: "user", rank: 0 },
    });
    expect(second.data).toEqual({ id: second.id, name: "Bob", email: null, balance: 0, role: "user", rank: 0 });
    expect((await rows()).map(({ name, pin }) => [name, pin ?? null])).toEqual([
      ["Ada", null],
      ["Bob", "1234"],
    ]);
    const single = await as("clerk", "GET", first.location);
    expect([single.json, single.headers["etag"]]).toEqual([first.data, first.etag]);
  });

  test.each(faults)("%s fails alone in best effort", async (_, item, status, code, where) => {
    const { as, rows, seed } = tenant();
    await seed({ name: "taken", email: "taken@example.com" });
    const answer = await as("clerk", "POST", "/accounts/batch", { items: [before, item, after] });
    expect(answer.status).toBe(207);
    expect(statusesOf(answer)).toEqual([201, status, 201]);
    expect(isConsistent(answer, 3)).toBe(true);
    const { error, ...rest } = answer.json.results[1];
    expect(rest).toEqual({ index: 1, status });
    expect(error).toMatchObject({ code, status, requestId: "r" });
    expect(error).not.toHaveProperty("instance");
    if (where !== undefined) expect(error.errors).toMatchObject([{ pointer: where }]);
    expect((await rows()).map(({ name }) => name)).toEqual(["taken", "before", "after"]);
    expect(answer.text).not.toContain("internal-value");
  });

  if (hasTransactions)
    test.each(faults)("%s takes all with it in an atomic batch", async (_, item, status, code) => {
      const { as, rows, seed } = tenant();
      await seed({ name: "taken", email: "taken@example.com" });
      const found = await rows();
      const answer = await as("clerk", "POST", "/accounts/batch", { items: [before, item, after] }, strict);
      expect(answer.status).toBe(422);
      expect(statusesOf(answer)).toEqual([424, status, 424]);
      expect(isConsistent(answer, 3)).toBe(true);
      expect(answer.json.summary).toEqual({ total: 3, succeeded: 0, failed: 3 });
      expect(answer.json.results.map(({ error }: { error: { code: string } }) => error.code)).toEqual(["ROLLED_BACK", code, "ROLLED_BACK"]);
      for (const result of answer.json.results) expect(Object.keys(result).toSorted()).toEqual(["error", "index", "status"]);
      expect(await rows()).toEqual(found);
    });

  test("all items may fail", async () => {
    const { as, rows } = tenant();
    const answer = await as("clerk", "POST", "/accounts/batch", { items: [{}, { name: "" }, 7] });
    expect([answer.status, answer.json.summary]).toEqual([207, { total: 3, succeeded: 0, failed: 3 }]);
    expect(await rows()).toEqual([]);
  });

  test("of many items with one key only the first is written", async () => {
    const { as, rows } = tenant();
    const items = Array.from({ length: 60 }, (_, index) => ({ name: `n${index}`, email: `${index % 20}@example.com` }));
    const answer = await as("clerk", "POST", "/accounts/batch", { items });
    expect(isConsistent(answer, 60)).toBe(true);
    expect(statusesOf(answer)).toEqual(items.map((_, index) => (index < 20 ? 201 : 422)));
    expect((await rows()).map(({ name }) => name)).toEqual(items.slice(0, 20).map(({ name }) => name));
  });

  test("a key of another tenant is no duplicate", async () => {
    const [mine, theirs] = [tenant(), tenant()];
    await theirs.seed(valid);
    expect(statusesOf(await mine.as("clerk", "POST", "/accounts/batch", { items: [valid] }))).toEqual([201]);
  });

  test("1,000 items get 1,000 results, and with return=minimal no data", async () => {
    const { as, rows } = tenant();
    const items = Array.from({ length: 1_000 }, (_, index) => ({ name: `n${index}` }));
    const answer = await as("clerk", "POST", "/accounts/batch", { items }, { prefer: "return=minimal" });
    expect(isConsistent(answer, 1_000)).toBe(true);
    expect(answer.headers["preference-applied"]).toBe("return=minimal");
    expect(Object.keys(answer.json.results[999]).toSorted()).toEqual(["etag", "id", "index", "location", "status"]);
    expect((await rows()).map(({ name }) => name)).toEqual(items.map(({ name }) => name));
  });
});

describeStores(
  "who may POST a batch",
  ({ open }) => {
    const tenant = sharedAccounts(open, {
      authorize: ({ principal }) => (principal.id === "clerk" ? { fields: ["id", "name"] } : principal.id === "admin"),
    });

    test.each([
      ["", 401, "UNAUTHENTICATED"],
      ["stranger", 403, "FORBIDDEN"],
    ])("%j is refused as a whole, before the items are looked at", async (who, status, code) => {
      const { as, rows } = tenant();
      for (const body of [{ items: [valid] }, { items: [] }, "{"]) {
        const answer = await as(who, "POST", "/accounts/batch", body);
        expect([answer.status, answer.json.code]).toEqual([status, code]);
      }
      expect(await rows()).toEqual([]);
    });

    test("an item that names a field outside the caller's rights is 403, and results show no more than the rights allow", async () => {
      const { as } = tenant();
      const answer = await as("clerk", "POST", "/accounts/batch", { items: [{ name: "a" }, valid] });
      expect(statusesOf(answer)).toEqual([201, 403]);
      expect(Object.keys(answer.json.results[0].data)).toEqual(["id", "name"]);
      expect(answer.json.results[1].error).toMatchObject({ code: "FORBIDDEN_FIELD", errors: [{ pointer: "/email" }] });
    });
  },
  ({ name }) => name === "memory",
);
