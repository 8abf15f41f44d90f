// @slow

import { describe, expect, test } from "vitest";
import { withScope } from "../../../engine/rules/withScope.js";
import { endedJob, jobOf } from "../batchJobStage.js";
import { makeRows } from "../batchKinds.js";
import { openShop, shopOrders, shopUsers } from "../batchShop.js";

const count = 2_500;
const later = { prefer: "respond-async" };

/** A shop with rows whose ids from `first` to `last` are hidden from everybody. */
async function shopThatHides(first: number, last: number) {
  let hides = false;
  const isHidden = (id: unknown) => Number(id) >= first && Number(id) <= last;
  const users = withScope(shopUsers, () => !hides || { or: [{ id: { lt: first } }, { id: { gt: last } }] });
  const shop = openShop({ limits: { count: 100_000, batchItems: 5_000 }, resources: [users, shopOrders] });
  await makeRows(shop.send, count);
  hides = true;
  const visible = Array.from({ length: count }, (_, at) => at + 1).filter((id) => !isHidden(id));
  return { ...shop, visible, showAll: () => (hides = false) };
}

describe("a job by filter passes over rows that are hidden from who asked for it", () => {
  const ranges = [
    { name: "one row", first: 7, last: 7 },
    { name: "the whole first page", first: 1, last: 1_000 },
    { name: "a whole page and parts of its neighbours", first: 501, last: 2_100 },
    { name: "the whole last page", first: 1_990, last: count },
  ];

  test.each(ranges)("$name, when it updates", async ({ first, last }) => {
    const { send, service, visible, showAll } = await shopThatHides(first, last);
    const answer = await send({ method: "POST", target: "/users/bulk-update?quantity=0", body: { quantity: 1 }, headers: later });
    const job = await endedJob(send, jobOf(answer));
    expect(job).toMatchObject({ status: "completed", processedRows: visible.length, totalRows: visible.length, error: null });
    expect(job.summary).toEqual({ total: visible.length, succeeded: visible.length, failed: 0 });
    expect(job.results.map(({ index, status, id }) => [index, status, id])).toEqual(visible.map((id, index) => [index, 200, id]));
    showAll();
    expect((await send({ target: "/users?quantity=1&perPage=1" })).json.meta.total).toBe(visible.length);
    await service.close();
  });

  test.each(ranges)("$name, when it deletes", async ({ first, last }) => {
    const { send, service, visible, showAll } = await shopThatHides(first, last);
    const answer = await send({ method: "DELETE", target: `/users?quantity=0&confirm=${visible.length}`, headers: later });
    const job = await endedJob(send, jobOf(answer));
    expect(job.results.map(({ index, status, id }) => [index, status, id])).toEqual(visible.map((id, index) => [index, 204, id]));
    showAll();
    expect((await send({ target: "/users?perPage=1" })).json.meta.total).toBe(count - visible.length);
    await service.close();
  });
});
