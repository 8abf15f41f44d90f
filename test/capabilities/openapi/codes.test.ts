import { gzipSync } from "node:zlib";
import { codes } from "restwright";
import type { OpenApiCalls } from "restwright/openapi";
import { expect, onTestFinished, test } from "vitest";
import { createShop } from "../../../examples/shop/api.js";
import { readSettings } from "../../../examples/shop/settings.js";

/** Codes that no answer has as its own. */
const elsewhere: Readonly<Record<string, string>> = {
  DUPLICATE: "of a unique key of several fields of an existing table; the shop has none, and its keys have codes of their own",
  EVENT_TOO_LARGE: "of service.emit(), which no client calls",
  FAILED_DEPENDENCY: "of an item of a batch",
  ROLLED_BACK: "of an item of a batch",
  WORKER_CRASHED: "of a job that failed",
};

test("the document of the shop is not large", async () => {
  const shop = createShop(readSettings({ DATA_DIR: ":memory:" })) as ReturnType<typeof createShop> & OpenApiCalls;
  onTestFinished(() => shop.close({ graceMs: 0 }));
  const { paths, components, ...rest } = await shop.document();
  const text = JSON.stringify({ ...rest, paths, components });
  expect(text.length).toBeLessThan(334_500);
  expect(gzipSync(text).length).toBeLessThan(31_500);
  expect(Object.keys(components["responses"] ?? {}).length).toBeLessThan(70);
  expect(Object.keys(paths).length).toBeGreaterThan(70);
});

test("each code of the registry is that of some answer in the document of a service with everything", async () => {
  const switches = { SHOP_AUTH: "on", RATE_LIMIT: "100", CORS_ORIGINS: "https://pages.example", TRUST_METHOD_OVERRIDE: "on", TENANT_HEADER: "on" };
  const shop = createShop(readSettings({ DATA_DIR: ":memory:", ...switches })) as ReturnType<typeof createShop> & OpenApiCalls;
  onTestFinished(() => shop.close({ graceMs: 0 }));
  const { components, paths } = await shop.document();
  const documented = new Set(
    [...JSON.stringify({ responses: components["responses"], paths }).matchAll(/"x-problem-codes":(\[[^\]]*\])/g)].flatMap(
      ([, list = "[]"]) => JSON.parse(list) as string[],
    ),
  );
  expect(documented.size).toBeGreaterThan(100);
  expect(Object.keys(codes).filter((code) => !documented.has(code) && !(code in elsewhere))).toEqual([]);
  expect(Object.keys(elsewhere).filter((code) => documented.has(code))).toEqual([]);
});
