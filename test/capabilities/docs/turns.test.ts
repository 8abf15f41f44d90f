import { pino } from "pino";
import { createService, defineResource } from "restwright";
import { docs } from "restwright/docs";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createShop } from "../../../examples/shop/api.js";
import { readSettings } from "../../../examples/shop/settings.js";

/** How many turns of the event loop pass while work goes on. */
async function turnsOf<R>(work: () => Promise<R>): Promise<readonly [turns: number, result: R]> {
  let turns = 0;
  let isWorking = true;
  const count = () => {
    turns += 1;
    if (isWorking) setImmediate(count);
  };
  setImmediate(count);
  const result = await work();
  isWorking = false;
  return [turns, result];
}

test("the page of a large collection is made in several turns of the event loop, and once for all who ask meanwhile", async () => {
  const inner = z.object(Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`inner${index}`, z.object({ a: z.string(), b: z.int() })])));
  const fields = Object.fromEntries(Array.from({ length: 75 }, (_, index) => [`field${index}`, inner.optional()]));
  const wide = defineResource("wide", { schema: z.object({ id: z.int(), ...fields }), generated: { id: "increment" } });
  const info = { title: "Wide", version: "1" };
  const service = createService({ resources: [wide], storage: memoryStorage(), use: [openapi({ info }), docs()] });
  const page = () => service.fetch(new Request("http://localhost/docs"));
  // The document is made, in turns of its own.
  await service.fetch(new Request("http://localhost/openapi.json"));
  const [turns, [first, second]] = await turnsOf(() => Promise.all([page(), page()]));
  expect(turns).toBeGreaterThan(4);
  expect(first.headers.get("etag")).toBe(second.headers.get("etag"));
  expect(await first.text()).toContain("field74.inner4.b");
  await service.close();
});

test("the document of the shop is read for its first page in turns: none reads more than a path or an operation if each takes long", async () => {
  const service = createShop(readSettings({ DATA_DIR: ":memory:" }), pino({ level: "silent" }));
  onTestFinished(() => service.close());
  const { paths } = (await (await service.fetch(new Request("http://localhost/openapi.json"))).json()) as { readonly paths: object };
  // Each look at the clock is ten milliseconds after the one before, so that a turn ends wherever it can.
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    nowMs += 10;
    return nowMs;
  });
  onTestFinished(() => clock.mockRestore());
  const [turns, page] = await turnsOf(() => service.fetch(new Request("http://localhost/docs")));
  expect(page.status).toBe(200);
  const operations = Object.values(paths).flatMap((item) => Object.keys(item).filter((key) => key !== "parameters"));
  // The paths are read, and the operations are searched for the schemas that they use.
  expect(turns).toBeGreaterThan(Object.keys(paths).length + operations.length);
});
