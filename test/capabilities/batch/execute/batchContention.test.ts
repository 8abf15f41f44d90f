// @slow

import type { Row } from "restwright";
import { beforeEach, expect, test } from "vitest";
import { describeStores } from "../../../tools/storage/batchStores.js";
import { isConsistent, scopedAccounts, sharedAccounts, statusesOf, strict } from "../batchAccounts.js";
import { watchedReads } from "./watchedReads.js";

type Meanwhile = (row: Row) => Promise<void>;

describeStores("a row that changes between the judgement of its item and the write", ({ open, hasTransactions }) => {
  let meanwhile: Meanwhile | undefined;
  // Items are judged with their rows outside of any transaction, so whoever writes here comes between.
  const openWatched = async () => {
    const opened = await open();
    return { ...opened, storage: watchedReads(opened.storage, async (row) => meanwhile?.(row)) };
  };
  const tenant = sharedAccounts(openWatched, { resources: [scopedAccounts], limits: { writeRetries: 1 } });
  beforeEach(() => {
    meanwhile = undefined;
  });

  /** Runs once for each row. */
  const onceEach = (write: (id: number) => Promise<void>): Meanwhile => {
    const seen = new Set<unknown>();
    return async ({ id }) => {
      if (typeof id !== "number" || seen.has(id)) return;
      seen.add(id);
      await write(id);
    };
  };
  const always =
    (write: (id: number) => Promise<void>): Meanwhile =>
    async ({ id }) =>
      write(Number(id));

  const modes = hasTransactions ? (["lenient", "strict"] as const) : (["lenient"] as const);

  test.each(modes)("with handling=%s its item is judged again, and loses nothing of what was written", async (handling) => {
    const { as, seed, rows, touch } = tenant();
    const ids = await seed({ name: "a" }, { name: "b" }, { name: "c" });
    meanwhile = onceEach((id) => (id === ids[1] ? touch(id, { balance: 7 }) : Promise.resolve()));
    const items = ids.map((id) => ({ id, changes: { name: "new" } }));
    const answer = await as("clerk", "PATCH", "/accounts/batch", { items }, { prefer: `handling=${handling}` });
    expect([answer.status, isConsistent(answer, 3)], answer.text).toEqual([200, true]);
    expect(answer.json.results[1].data).toMatchObject({ name: "new", balance: 7 });
    expect(await rows()).toMatchObject([
      { name: "new", balance: 0 },
      { name: "new", balance: 7 },
      { name: "new", balance: 0 },
    ]);
  });

  test("its deletion is judged again too", async () => {
    const { as, seed, rows, touch } = tenant();
    const ids = await seed({ name: "a" }, { name: "b" });
    meanwhile = onceEach((id) => (id === ids[0] ? touch(id, { balance: 7 }) : Promise.resolve()));
    expect(statusesOf(await as("clerk", "POST", "/accounts/batch-delete", { ids }))).toEqual([204, 204]);
    expect(await rows()).toEqual([]);
  });

  test("with a tag it is 412, with the tag that it has now", async () => {
    const { as, seed, rows, touch } = tenant();
    const ids = await seed({ name: "a" }, { name: "b" });
    const tags = await Promise.all(ids.map(async (id) => (await as("clerk", "GET", `/accounts/${id}`)).headers["etag"]));
    meanwhile = onceEach((id) => (id === ids[0] ? touch(id, { balance: 7 }) : Promise.resolve()));
    const items = ids.map((id, index) => ({ id, changes: { name: "new" }, ifMatch: tags[index] }));
    const answer = await as("clerk", "PATCH", "/accounts/batch", { items });
    expect(statusesOf(answer)).toEqual([412, 200]);
    expect(answer.json.results[0].etag).toBe((await as("clerk", "GET", `/accounts/${ids[0]}`)).headers["etag"]);
    expect(await rows()).toMatchObject([
      { name: "a", balance: 7 },
      { name: "new", balance: 0 },
    ]);
  });

  test("one that is locked meanwhile is refused, and one that vanishes is missing", async () => {
    const { as, seed, rows, touch } = tenant();
    const ids = await seed({ name: "a" }, { name: "b" });
    const vanishing = await as("admin", "POST", "/accounts/batch", { items: [{ name: "c" }] });
    const gone: number = vanishing.json.results[0].id;
    meanwhile = onceEach(async (id) => {
      if (id === ids[0]) await touch(id, { name: "locked" });
      else if (id === gone) await as("admin", "DELETE", `/accounts/${id}`);
    });
    const items = [...ids, gone].map((id) => ({ id, changes: { balance: 1 } }));
    expect(statusesOf(await as("clerk", "PATCH", "/accounts/batch", { items }))).toEqual([403, 200, 404]);
    expect(await rows()).toMatchObject([
      { name: "locked", balance: 0 },
      { name: "b", balance: 1 },
    ]);
  });

  test("all rows of a batch may have changed, and all items succeed", async () => {
    const { as, seed, rows, touch } = tenant();
    const ids = await seed({ name: "a" }, { name: "b" }, { name: "c" });
    meanwhile = onceEach((id) => touch(id, { balance: id }));
    const items = ids.map((id) => ({ id, changes: { name: "new" } }));
    expect(statusesOf(await as("clerk", "PATCH", "/accounts/batch", { items }))).toEqual([200, 200, 200]);
    expect(await rows()).toMatchObject(ids.map((id) => ({ name: "new", balance: id })));
  });

  test("a row that changes under every try is 409, and its neighbours succeed", async () => {
    const { as, seed, rows, touch } = tenant();
    const ids = await seed({ name: "a" }, { name: "b" }, { name: "c" });
    meanwhile = always((id) => (id === ids[1] ? touch(id, { balance: 7 }) : Promise.resolve()));
    const items = ids.map((id) => ({ id, changes: { name: "new" } }));
    const answer = await as("clerk", "PATCH", "/accounts/batch", { items });
    expect(statusesOf(answer)).toEqual([200, 409, 200]);
    expect(answer.json.results[1].error.code).toBe("WRITE_CONFLICT");
    expect((await rows()).map(({ name }) => name)).toEqual(["new", "b", "new"]);
  });

  if (hasTransactions)
    test("in an atomic batch it takes all with it", async () => {
      const { as, seed, rows, touch } = tenant();
      const ids = await seed({ name: "a" }, { name: "b" }, { name: "c" });
      meanwhile = always((id) => (id === ids[1] ? touch(id, { balance: 7 }) : Promise.resolve()));
      const items = ids.map((id) => ({ id, changes: { name: "new" } }));
      const answer = await as("clerk", "PATCH", "/accounts/batch", { items }, strict);
      expect([answer.status, statusesOf(answer)]).toEqual([422, [424, 409, 424]]);
      expect((await rows()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    });

  test("a filter that its row matches no more leaves it alone", async () => {
    const { as, seed, rows, touch } = tenant();
    const ids = await seed({ name: "a", balance: 1 }, { name: "b", balance: 1 });
    let seen = 0;
    // The rows that match are read first, and those of the items second.
    meanwhile = async ({ id }) => {
      if (id === ids[0] && ++seen === 2) await touch(ids[0] ?? 0, { balance: 2 });
    };
    const answer = await as("clerk", "POST", "/accounts/bulk-update?balance=1", { name: "new" });
    expect(statusesOf(answer)).toEqual([404, 200]);
    expect(await rows()).toMatchObject([
      { name: "a", balance: 2 },
      { name: "new", balance: 1 },
    ]);
  });

  if (hasTransactions)
    test.each(["strict", "lenient"])("batches that meet from both ends harm none, with handling=%s", async (handling) => {
      const { as, seed, rows } = tenant();
      const ids = await seed({ name: "a" }, { name: "b" }, { name: "c" });
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => {
          const order = n % 2 === 0 ? ids : ids.toReversed();
          const items = order.map((id) => ({ id, changes: { balance: n + 1 } }));
          return as("clerk", "PATCH", "/accounts/batch", { items }, { prefer: `handling=${handling}` });
        }),
      );
      const found = await rows();
      const balances = new Set(found.map(({ balance }) => balance));
      expect(answers.filter(({ status }) => ![200, 207, 422].includes(status)).map(({ text }) => text)).toEqual([]);
      for (const answer of answers) expect(isConsistent(answer, 3), answer.text).toBe(true);
      if (handling === "strict") expect([balances.size, answers[Number([...balances][0]) - 1]?.status]).toEqual([1, 200]);
      const failures = answers.flatMap(({ json }) => json.results).filter(({ status }: { status: number }) => status >= 400);
      expect(failures.filter(({ error }: { error: { code: string } }) => !["WRITE_CONFLICT", "ROLLED_BACK"].includes(error.code))).toEqual([]);
    });
});
