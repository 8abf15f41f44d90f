import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const users = defineResource("users", {
  schema: z.object({
    id: z.int(),
    name: z.string().min(1),
    nick: z.string().nullable().default(null),
    tags: z.array(z.string()).default([]),
    address: z.object({ city: z.string(), zip: z.string() }).optional(),
    anything: z.json().optional(),
    born: z.date().optional(),
    rank: z.int().default(0),
    createdAt: z.date(),
  }),
  generated: { id: "increment", createdAt: "createdAt" },
  readOnly: ["rank"],
});

function openUsers() {
  const service = fullService({ resources: [users], storage: memoryStorage() });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  return (body: unknown, query = "id=999") =>
    send({ method: "POST", target: `/users/bulk-update?${query}`, body, headers: { "content-type": "application/json" } });
}

test.each([
  [{ nmae: "Ada" }, "/nmae"],
  [{ name: 5 }, "/name"],
  [{ name: "" }, "/name"],
  [{ name: null }, "/name"],
  [{ name: { first: "Ada" } }, "/name"],
  [{ tags: [1] }, "/tags/0"],
  [{ tags: { a: 1 } }, "/tags"],
  [{ address: { city: 5 } }, "/address/city"],
  [{ address: { town: "Ulm" } }, "/address/town"],
  [{ address: { city: null } }, "/address/city"],
  [{ born: "yesterday" }, "/born"],
])("a patch by filter that no row could take is refused when nothing matches: %j", async (body, pointer) => {
  const update = openUsers();
  for (const query of ["id=999", "id=999&dryRun=true"]) {
    const { status, json } = await update(body, query);
    expect([status, json.code, json.errors.map((error: { pointer: string }) => error.pointer)]).toEqual([422, "VALIDATION_FAILED", [pointer]]);
  }
});

test.each([
  { name: "Ada" },
  { nick: null },
  { address: { city: "Ulm" } },
  { address: null },
  { anything: { a: null } },
  { rank: 5 },
  { id: 3 },
  { createdAt: "2026-01-01T00:00:00.000Z" },
  { born: "2026-01-01T00:00:00.000Z" },
])("a patch by filter that some row could take is taken: %j", async (body) => {
  expect((await openUsers()(body)).status).toBe(200);
});
