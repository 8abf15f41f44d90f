import { belongsTo, createService, defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { webhooks } from "restwright/webhooks";
import { expect, test } from "vitest";
import { z } from "zod";
import { Receiver } from "../../../capabilities/webhooks/emissionStage.js";
import { clientOf } from "../../../tools/client.js";
import { describeHooks } from "./hookStage.js";

describeHooks("a registration", (on) => {
  test(
    "is refused if the scope of a collection that it names has no row for the caller",
    on(async (stage) => {
      const open = await stage.listen("bob", { events: ["open.*", "report.ready"] });
      stage.rule = ({ principal }) => principal.id !== "bob";
      for (const events of [["note.*"], ["*"], ["open.*", "note.removed"]]) {
        const made = await stage.as("bob", "POST", "/webhooks", { url: "https://example.test/bob", events });
        expect([made.status, made.json.code, made.json.detail]).toEqual([403, "FORBIDDEN", `Not allowed to list "notes".`]);
        const changed = await stage.as("bob", "PATCH", `/webhooks/${open}`, { events });
        expect(changed.status).toBe(403);
      }
      expect((await stage.as("root", "GET", "/webhooks")).json.data.map(({ id }: { id: string }) => id)).toEqual([open]);
      await stage.listen("bob", { events: ["open.*"] });
      stage.rule = () => ({ ownerId: "nobody" });
      await stage.listen("bob");
    }),
  );

  test(
    "answers 500 and registers nothing if the scope fails",
    on(async (stage) => {
      stage.rule = ({ principal }) => principal.id === "root" || ({} as { id: number });
      expect((await stage.as("ann", "POST", "/webhooks", { url: "https://example.test/ann", events: ["note.*"] })).status).toBe(500);
      expect((await stage.as("root", "GET", "/webhooks")).json.data).toEqual([]);
    }),
  );
});

test("a filter names only fields that the owner of the webhook may read", async () => {
  const salary = { read: ({ id }: { readonly id: string }) => id === "root" };
  const people = defineResource("people", {
    schema: z.object({ id: z.int(), name: z.string(), salary: z.int(), grade: z.int(), bossId: z.int().nullable() }),
    generated: { id: "increment" },
    access: { salary },
    relations: { boss: belongsTo("people", "bossId") },
    scope: () => ({ id: { gte: 0 } }),
    events: { "person.created": { on: "create", data: ({ id, name, salary, grade }) => ({ id, name, salary, grade }) } },
  });
  const service = createService({
    resources: [people],
    storage: memoryStorage(),
    use: [webhooks({ transport: new Receiver(), isAdmin: ({ id }) => id === "root" })],
    auth: [bearer((id) => ({ id }))],
    authorize: ({ principal, collection }) => (principal.id === "root" || collection !== "people" ? true : { fields: ["id", "name", "salary"] }),
  });
  const send = clientOf(service);
  const as = (who: string, method: string, target: string, body: object) =>
    send({ method, target, body, headers: { authorization: `Bearer ${who}` } });
  const register = (who: string, filter: object) => as(who, "POST", "/webhooks", { url: "https://example.test/", events: ["person.*"], filter });

  const refused = await register("ann", { name: "x", salary: { gte: 5 }, "grade.a": 1 });
  expect([refused.status, refused.json.code]).toEqual([422, "INVALID_FILTER"]);
  expect(refused.json.errors.map(({ pointer, detail }: { pointer: string; detail: string }) => [pointer, detail])).toEqual([
    ["/filter/salary", `"salary" cannot be named in a filter.`],
    ["/filter/grade.a", `"grade" cannot be named in a filter.`],
  ]);
  const made = await register("ann", { name: "x", other: 1 });
  expect([made.status, (await register("root", { salary: 5 })).status]).toEqual([201, 201]);
  const path = `/webhooks/${made.json.id}`;
  expect((await as("ann", "PATCH", path, { filter: { salary: 1 } })).status).toBe(422);
  // An administrator changes it for its owner.
  expect((await as("root", "PATCH", path, { filter: { salary: 1 } })).status).toBe(422);
  expect((await as("root", "PATCH", path, { filter: { grade: 1 } })).status).toBe(200);
  await service.close();
});
