// @slow

import { createService, defineResource } from "restwright";
import { docs } from "restwright/docs";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { expect, test } from "vitest";
import { z } from "zod";
import type { StartHost } from "../../../examples/shop/host.js";
import { attributesOf } from "./pageSite.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });

test.each(["express", "fastify", "hono", "koa"])("%s serves the page and its files below /v1", async (host) => {
  const service = createService({
    resources: [notes],
    storage: memoryStorage(),
    logger: false,
    use: [openapi({ info: { title: "Notes", version: "1" } }), docs()],
  });
  const { start }: { start: StartHost } = await import(`../../../examples/shop/${host}.ts`);
  const at = await start(service, { port: 0, address: "127.0.0.1", basePath: "/v1" });
  try {
    const address = `http://127.0.0.1:${at.port}/v1/docs`;
    const page = await fetch(address);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("require-trusted-types-for 'script'");
    const text = await page.text();
    const links = [...attributesOf(text, "href"), ...attributesOf(text, "src")]
      .map((link) => new URL(link, address))
      .filter(({ protocol, hash }) => protocol === "http:" && hash === "");
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      const response = await fetch(link, { headers: { "accept-encoding": "br" } });
      expect([link.pathname, response.status]).toEqual([link.pathname, 200]);
      if (link.pathname.includes("/assets/")) expect(response.headers.get("content-encoding")).toBe("br");
      await response.arrayBuffer();
    }
    const again = await fetch(address, { headers: { "if-none-match": page.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
  } finally {
    await at.close(() => service.close());
  }
});
