import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../../src/testing/clock.js";
import { clientOf } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { withoutTransactions } from "../../../tools/storage/batchStores.js";
import { accounts, statusesOf } from "../batchAccounts.js";

/** A service without jobs, where each question about the fields of an item takes ten seconds. */
async function setUp(storage: Storage, options: Partial<FullServiceOptions> = {}) {
  const clock = new FakeClock();
  let isSlow = false;
  const authorize: FullServiceOptions["authorize"] = ({ fields }) => {
    if (isSlow && fields !== undefined) clock.advance(10_000);
    return true;
  };
  const send = clientOf(fullService({ resources: [accounts], storage, clock, authorize, jobs: false, ...options }));
  await send({ method: "POST", target: "/accounts/batch", body: { items: ["a", "b", "c", "d", "e"].map((name) => ({ name })) } });
  isSlow = true;
  const balances = async () => {
    isSlow = false;
    return (await send({ target: "/accounts?sort=id" })).json.data.map(({ balance }: { balance: number }) => balance);
  };
  return { send, balances };
}

const items = [1, 2, 3, 4, 5].map((id) => ({ id, changes: { balance: 9 } }));

describe("a batch that takes longer than it may, where nothing goes on behind a request", () => {
  test("leaves what was not begun in 30 seconds, and says so of each item", async () => {
    const { send, balances } = await setUp(withoutTransactions(memoryStorage()));
    const answer = await send({ method: "PATCH", target: "/accounts/batch", body: { items } });
    expect([answer.status, statusesOf(answer)]).toEqual([207, [200, 200, 200, 503, 503]]);
    expect(answer.json.results[3]).toMatchObject({ index: 3, error: { code: "NOT_PROCESSED", status: 503 } });
    expect(answer.json.summary).toEqual({ total: 5, succeeded: 3, failed: 2 });
    expect(await balances()).toEqual([9, 9, 9, 0, 0]);
  });

  test("does so too if the time of the machine is set back meanwhile", async () => {
    let ms = 0;
    const clock = { now: () => 1e12 - 360 * ms, monotonic: () => ms };
    const authorize: FullServiceOptions["authorize"] = ({ fields }) => {
      if (fields?.includes("balance") === true) ms += 10_000;
      return true;
    };
    const storage = withoutTransactions(memoryStorage());
    const send = clientOf(fullService({ resources: [accounts], storage, clock, authorize, jobs: false }));
    await send({ method: "POST", target: "/accounts/batch", body: { items: ["a", "b", "c", "d", "e"].map((name) => ({ name })) } });
    ms = 0;
    const answer = await send({ method: "PATCH", target: "/accounts/batch", body: { items } });
    expect([answer.status, statusesOf(answer)]).toEqual([207, [200, 200, 200, 503, 503]]);
  });

  test("has done nothing where it is atomic: 503, try again later", async () => {
    const { send, balances } = await setUp(memoryStorage());
    const answer = await send({ method: "PATCH", target: "/accounts/batch", body: { items }, headers: { prefer: "handling=strict" } });
    expect([answer.status, answer.json.code]).toEqual([503, "NOT_PROCESSED"]);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(await balances()).toEqual([0, 0, 0, 0, 0]);
  });

  test("does not heed respond-async, and says nothing of it", async () => {
    const { send, balances } = await setUp(memoryStorage(), { limits: { batchMs: 1_000_000 } });
    const answer = await send({ method: "PATCH", target: "/accounts/batch", body: { items }, headers: { prefer: "respond-async" } });
    expect([answer.status, answer.headers["preference-applied"], await balances()]).toEqual([200, undefined, [9, 9, 9, 9, 9]]);
  });
});
