import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { RoutesStage, url } from "./routesStage.js";

const names = ["url", "events", "filter", "active", "secret", "apiVersion", "overlapSeconds", "since", "until", "statuses", "id", "createdAt"];
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(url, "*", "order.*", "whsec_", "2026-01-01T00:00:00Z"),
);
const body = fc.oneof(
  fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), fc.oneof(value, fc.array(value, { maxLength: 3 })), { maxKeys: 6 }),
  fc.jsonValue(),
);
const runs = { numRuns: propertyRuns(300), seed: 20_260_101 };

describe("whatever the body", () => {
  test.each([
    ["POST", ""],
    ["PATCH", "/ID"],
    ["POST", "/ID/rotate-secret"],
    ["POST", "/ID/recover"],
  ])("%s /webhooks%s does what it says or refuses it as a client's fault", async (method, path) => {
    const stage = new RoutesStage({ maxPerTenant: 100_000 });
    const { id } = await stage.register({ filter: { a: { eq: 1 } } });
    const target = `/webhooks${path.replace("ID", id)}`;
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const { status, json } = await stage.send({ method, target, body: given });
        expect([200, 201, 202, 409, 422, 429]).toContain(status);
        if (status === 422) expect(json.errors.length).toBeGreaterThan(0);
      }),
      runs,
    );
    expect((await stage.stored(id)).url).toMatch(/^https:/);
  });
});

test("whatever the query, the log is shown or the query refused as a client's fault", async () => {
  const stage = new RoutesStage();
  const { id } = await stage.register();
  const part = fc.oneof(fc.constantFrom("status=", "type=", "since=", "cursor=", "perPage=", "&", "dead", ",", "%"), fc.webQueryParameters());
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const { status } = await stage.send({ target: `/webhooks/${id}/deliveries?${parts.join("")}` });
      expect([200, 400]).toContain(status);
    }),
    runs,
  );
});
