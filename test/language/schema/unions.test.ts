import { createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";

/** A service with one field, and what it answers. */
function stage(field: z.ZodType) {
  const things = defineResource("things", { schema: z.object({ id: z.int(), field }), generated: { id: "increment" } });
  const service = createService({ resources: [things], storage: memoryStorage(), logger: false });
  return async (method: string, path: string, value: unknown, type = "application/json") => {
    const init = { method, headers: { "content-type": type }, body: JSON.stringify({ field: value }) };
    const response = await service.fetch(new Request(`http://host.test${path}`, init));
    return { status: response.status, body: (await response.json()) as { id?: number; field?: unknown; errors?: object[] } };
  };
}

const payment = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("card"), last4: z.string().length(4) }),
  z.object({ kind: z.literal("iban"), iban: z.string(), at: z.date(), cents: z.bigint().optional() }),
]);

describe("Dates and bigints in unions", () => {
  const at = "2026-01-31T12:00:00.000Z";

  test.each<[string, z.ZodType, unknown]>([
    ["a date or null", z.union([z.date(), z.null()]), at],
    ["a date or a boolean", z.union([z.boolean(), z.date()]), at],
    ["the member that a discriminator names", payment, { kind: "iban", iban: "DE", at, cents: "12" }],
    ["the other one", payment, { kind: "card", last4: "1234" }],
    ["unions in lists", z.array(payment), [{ kind: "iban", iban: "DE", at }]],
    ["objects without a discriminator", z.union([z.object({ a: z.string() }), z.object({ at: z.date() })]), { at }],
    ["a text before a date", z.union([z.string(), z.date()]), "some text"],
  ])("%s: written, read, and written again", async (_, field, value) => {
    const send = stage(field);
    const made = await send("POST", "/things", value);
    expect(made).toMatchObject({ status: 201, body: { field: value } });
    expect(await send("PUT", "/things/1", made.body.field)).toMatchObject({ status: 200, body: { field: value } });
  });

  test("a merge patch changes a member of the union", async () => {
    const send = stage(payment);
    await send("POST", "/things", { kind: "iban", iban: "DE", at });
    const patched = await send("PATCH", "/things/1", { iban: "FR" }, "application/merge-patch+json");
    expect(patched).toMatchObject({ status: 200, body: { field: { iban: "FR", at } } });
  });

  test("only what is wrong is told", async () => {
    const { status, body } = await stage(payment)("POST", "/things", { kind: "iban", iban: 5, at });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer: "/field/iban" }]);
  });
});
