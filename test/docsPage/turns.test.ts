import { createService, defineResource } from "restwright";
import { docs } from "restwright/docs";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { expect, test } from "vitest";
import { z } from "zod";

test("the page of a large collection is made in several turns of the event loop, and once for all who ask meanwhile", async () => {
  const inner = z.object(Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`inner${index}`, z.object({ a: z.string(), b: z.int() })])));
  const fields = Object.fromEntries(Array.from({ length: 75 }, (_, index) => [`field${index}`, inner.optional()]));
  const wide = defineResource("wide", { schema: z.object({ id: z.int(), ...fields }), generated: { id: "increment" } });
  const info = { title: "Wide", version: "1" };
  const service = createService({ resources: [wide], storage: memoryStorage(), use: [openapi({ info }), docs()] });
  const page = () => service.fetch(new Request("http://localhost/docs"));
  // The document is made, in turns of its own.
  await service.fetch(new Request("http://localhost/openapi.json"));
  let turns = 0;
  let isMaking = true;
  const count = () => {
    turns += 1;
    if (isMaking) setImmediate(count);
  };
  setImmediate(count);
  const [first, second] = await Promise.all([page(), page()]);
  isMaking = false;
  expect(turns).toBeGreaterThan(4);
  expect(first.headers.get("etag")).toBe(second.headers.get("etag"));
  expect(await first.text()).toContain("field74.inner4.b");
  await service.close();
});
