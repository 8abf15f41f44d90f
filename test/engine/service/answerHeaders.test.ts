import { createService, defineResource } from "restwright";
import { cors } from "restwright/cors";
import { memoryStorage } from "restwright/memory";
import { type OpenApiCalls, openapi } from "restwright/openapi";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createShop } from "../../../examples/shop/api.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { describedHeaders } from "../../../src/capabilities/openapi/headers.js";
import { headersWith } from "../../../src/ground/http/headers/answerHeaders.js";
import { clientOf } from "../../tools/client.js";

/*
 * The recorder (test/tools/recorder) compares the headers of the answers of all tests with the table: those of every answer are there, and each header has a row. Here is what is made of
 * the table.
 */

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const ofEvery = headersWith(({ on }) => on === "every");

function start() {
  const service = createService({
    resources: [notes],
    storage: memoryStorage(),
    logger: false,
    notFound: "problem",
    use: [cors({ origins: "*" }), openapi({ info: { title: "Notes", version: "1" } })],
  });
  onTestFinished(() => service.close());
  return { service, send: clientOf(service) };
}

test.each([
  ["a new row", { method: "POST", target: "/notes", body: { text: "a" } }, 201],
  ["a list", { target: "/notes" }, 200],
  ["a HEAD", { method: "HEAD", target: "/notes" }, 200],
  ["an OPTIONS", { method: "OPTIONS", target: "/notes" }, 204],
  ["a row that does not exist", { target: "/notes/7" }, 404],
  ["a path that does not exist", { target: "/other" }, 404],
  ["a method that the path does not have", { method: "PUT", target: "/notes" }, 405],
  ["a body that cannot be parsed", { method: "POST", target: "/notes", headers: { "content-type": "application/json" }, body: "{" }, 400],
  ["the document", { target: "/openapi.json" }, 200],
] as const)("the answer to %s has each header of every answer", async (_, request, status) => {
  const answer = await start().send(request);
  expect(answer.status).toBe(status);
  expect(ofEvery.filter((name) => answer.headers[name.toLowerCase()] === undefined)).toEqual([]);
});

test("the table names what every answer has", () => {
  expect(ofEvery).toEqual(["X-Request-ID", "X-Content-Type-Options", "Cache-Control"]);
});

test("scripts of other origins may read the headers whose rows say so", async () => {
  const { headers } = await start().send({ target: "/notes", headers: { origin: "https://pages.example" } });
  expect(String(headers["access-control-expose-headers"]).split(", ")).toEqual(headersWith(({ isExposed }) => isExposed === true));
});

test("the default answer of each operation lists the headers of every and of any answer", async () => {
  const { paths, components } = await (start().service as OpenApiCalls & object).document();
  const defaults = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(
      (operation) => (operation as { readonly responses?: Readonly<Record<string, { readonly $ref: string }>> }).responses?.["default"] ?? [],
    ),
  );
  expect(defaults.length).toBeGreaterThan(5);
  for (const { $ref } of defaults) {
    const response = components["responses"]?.[$ref.slice($ref.lastIndexOf("/") + 1)] as { readonly headers: object };
    expect(Object.keys(response.headers)).toEqual(expect.arrayContaining(headersWith(({ on }) => on !== undefined)));
  }
});

test("each header of the document of a service with everything has a row", async () => {
  const switches = { SHOP_AUTH: "on", RATE_LIMIT: "100", CORS_ORIGINS: "https://pages.example", TRUST_METHOD_OVERRIDE: "on", TENANT_HEADER: "on" };
  const shop = createShop(readSettings({ DATA_DIR: ":memory:", ...switches })) as ReturnType<typeof createShop> & OpenApiCalls;
  onTestFinished(() => shop.close({ graceMs: 0 }));
  const { components } = await shop.document();
  const described = Object.entries(components["headers"] ?? {});
  expect(described.length).toBeGreaterThan(30);
  for (const [name, header] of described)
    expect(header, name).toMatchObject({ description: describedHeaders[name as keyof typeof describedHeaders]?.text });
});
