import { Retryable, type Storage } from "restwright";
import { describe, expect, test } from "vitest";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { boundStorage, transactionOf } from "../../../tools/storage/boundStorage.js";
import { openShop, outcomesOf, strict } from "../batchShop.js";

/** A store whose next transaction loses at its commit, after which something else comes in between. */
function losing(storage: Storage) {
  const inner = transactionOf(storage);
  let meanwhile: (() => Promise<unknown>) | undefined;
  const transaction: typeof inner = async (run, options) => {
    const between = meanwhile;
    if (between === undefined) return inner(run, options);
    meanwhile = undefined;
    try {
      return await inner(async (tx) => {
        await run(tx);
        throw new Retryable("The commit has lost.");
      }, options);
    } catch (error) {
      await between();
      throw error;
    }
  };
  return { storage: boundStorage(storage, { transaction }), loseOnce: (between: () => Promise<unknown>) => (meanwhile = between) };
}

const people = [
  { name: "Ada", email: "a@example.org" },
  { name: "Bob", email: "b@example.org" },
];

const requests = [
  { name: "creates", request: { method: "POST", target: "/users/batch", body: { items: people } } },
  {
    name: "operations of all kinds",
    request: { method: "POST", target: "/batch", body: { operations: people.map((body) => ({ method: "POST", url: "/users", body })) } },
  },
];

const keys: readonly (readonly [string, Record<string, string>])[] = [
  ["with", { "idempotency-key": "0123456789abcdef" }],
  ["without", {}],
];
const cases = requests.flatMap((one) => keys.map(([how, key]) => ({ ...one, how, headers: { ...strict, ...key }, isKeyed: how === "with" })));

describe.each(storagePlaces)("an atomic batch whose commit loses once on %s", (_, place) => {
  const setUp = async () => {
    const { storage, loseOnce } = losing((await place()).open());
    const shop = openShop({ storage });
    await shop.send({ target: "/users" });
    const stored = async () =>
      (await shop.send({ target: "/users?sort=id" })).json.data.map(({ id, name }: { id: number; name: string }) => [id, name]);
    return { ...shop, loseOnce, stored };
  };

  test.each(cases)(
    "$name, $how a key: 422 where an item fails at the second try, with nothing of it stored",
    async ({ request, headers, isKeyed }) => {
      const { send, service, loseOnce, stored } = await setUp();
      let winner: unknown;
      loseOnce(async () => {
        winner = (await send({ method: "POST", target: "/users", body: { name: "Eve", email: "b@example.org" } })).json.id;
      });
      const answer = await send({ ...request, headers });
      expect([answer.status, outcomesOf(answer)]).toEqual([422, ["424 ROLLED_BACK", "422 DUPLICATE_EMAIL"]]);
      expect(answer.json.summary).toEqual({ total: 2, succeeded: 0, failed: 2 });
      expect(await stored()).toEqual([[winner, "Eve"]]);
      if (isKeyed) {
        const again = await send({ ...request, headers });
        expect([again.status, again.text, again.headers["idempotent-replayed"]]).toEqual([422, answer.text, "true"]);
        expect(await stored()).toEqual([[winner, "Eve"]]);
      }
      await service.close();
    },
  );

  test.each(cases)("$name, $how a key: 200 with what the second try has stored", async ({ request, headers, isKeyed }) => {
    const { send, service, loseOnce, stored } = await setUp();
    let winner: unknown;
    loseOnce(async () => {
      winner = (await send({ method: "POST", target: "/users", body: { name: "Eve" } })).json.id;
    });
    const answer = await send({ ...request, headers });
    expect([answer.status, outcomesOf(answer)]).toEqual([200, ["201", "201"]]);
    const ids = answer.json.results.map(({ id }: { id: number }) => id);
    expect(await stored()).toEqual([
      [winner, "Eve"],
      [ids[0], "Ada"],
      [ids[1], "Bob"],
    ]);
    if (isKeyed) expect((await send({ ...request, headers })).text).toBe(answer.text);
    await service.close();
  });
});
