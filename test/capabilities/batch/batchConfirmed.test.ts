import { expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { sharedAccounts } from "./batchAccounts.js";

const both = [
  ["POST", "/accounts/bulk-update", { balance: 9 }],
  ["DELETE", "/accounts", undefined],
] as const;

describeStores("what stands in the way of a write by filter", ({ open }) => {
  const tenant = sharedAccounts(open);
  const three = [
    { name: "a", balance: 1 },
    { name: "b", balance: 2 },
    { name: "a b", balance: 1 },
  ];

  test("a deletion asks for the count first, and shows five of the rows", async () => {
    const { as, seed, rows } = tenant();
    const ids = await seed(...Array.from({ length: 7 }, () => ({ name: "a" })));
    const asked = await as("clerk", "DELETE", "/accounts?name=a");
    expect(asked.status).toBe(428);
    expect(asked.json).toMatchObject({ code: "CONFIRMATION_REQUIRED", matched: 7, sample: ids.slice(0, 5) });
    expect(asked.json.detail).toContain("confirm=7");
    expect(await rows()).toHaveLength(7);
    await seed({ name: "a" });
    const changed = await as("clerk", "DELETE", "/accounts?name=a&confirm=7");
    expect(changed.json).toMatchObject({ status: 409, code: "CONFIRMATION_MISMATCH", matched: 8 });
    expect(await rows()).toHaveLength(8);
    expect((await as("clerk", "DELETE", "/accounts?name=a&confirm=8")).json.summary.succeeded).toBe(8);
    await seed({ name: "a" });
    expect((await as("clerk", "DELETE", "/accounts?name=a&confirm=true")).json.summary.succeeded).toBe(1);
    expect((await as("clerk", "DELETE", "/accounts?name=a")).status).toBe(428);
    expect(await rows()).toEqual([]);
  });

  test("an update needs no confirmation, but keeps to one that is given", async () => {
    const { as, seed, rows } = tenant();
    await seed(...three);
    const before = await rows();
    expect((await as("clerk", "POST", "/accounts/bulk-update?name=a&confirm=2", { balance: 9 })).json.code).toBe("CONFIRMATION_MISMATCH");
    expect(await rows()).toEqual(before);
    expect((await as("clerk", "POST", "/accounts/bulk-update?name=a&confirm=1", { balance: 9 })).status).toBe(200);
  });

  test("a dry run changes nothing, whatever else is said", async () => {
    const { as, seed, rows } = tenant();
    const ids = await seed(...three);
    const before = await rows();
    for (const [method, target, body] of both) {
      for (const more of ["", "&confirm=true", "&confirm=77"]) {
        const answer = await as("clerk", method, `${target}?balance[gte]=1&dryRun=true${more}`, body, { prefer: "max-affected=1" });
        expect([answer.status, answer.json]).toEqual([200, { matched: 3, sample: ids }]);
      }
    }
    expect(await rows()).toEqual(before);
    expect((await as("clerk", "DELETE", "/accounts?balance[gte]=1&dryRun=false")).status).toBe(428);
  });

  test.each([
    ["max-affected=1", 400],
    ['max-affected="1"', 400],
    ["max-affected=0", 400],
    ["max-affected=1, max-affected=5", 400],
    ["handling=strict, max-affected=1", 400],
    ["max-affected=2", 200],
    ["max-affected=many", 200],
  ])("Prefer: %s with two rows that match is %i", async (prefer, status) => {
    const { as, seed, rows } = tenant();
    await seed(...three);
    const before = await rows();
    for (const [method, target, body] of both) {
      const answer = await as("clerk", method, `${target}?name[like]=a*&confirm=true`, body, { prefer });
      expect(answer.status).toBe(status);
      if (status === 400) expect(answer.json).toMatchObject({ code: "TOO_MANY_AFFECTED", matched: 2 });
    }
    if (status === 400) expect(await rows()).toEqual(before);
    else expect(await rows()).toHaveLength(1);
  });
});
