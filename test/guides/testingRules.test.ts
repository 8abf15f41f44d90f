import { defineResource } from "restwright";
import { FakeClock, testService } from "restwright/testing";
import { expect, test } from "vitest";
import { z } from "zod";

// The code of docs/guides/testing-rules.md, which guides.test.ts compares with the page.

/** Others read a note from its publication on. @param now the time in milliseconds since the epoch */
const notesAt = (now: () => number) =>
  defineResource("notes", {
    schema: z.object({ id: z.int(), text: z.string(), ownerId: z.string(), publishAt: z.date() }),
    generated: { id: "increment" },
    stamp: { ownerId: ({ principal }) => principal.id },
    scope({ principal, action }) {
      const own = { ownerId: principal.id };
      return action === "read" ? { or: [own, { publishAt: { lte: new Date(now()) } }] } : own;
    },
  });

const [ann, bob] = [{ id: "ann" }, { id: "bob" }];

test("others read a note after its publication, and never change it", async () => {
  const clock = new FakeClock(); // 2026-01-01T00:00:00Z
  const notes = notesAt(() => clock.now());
  const service = testService({ resources: [notes], clock });
  await service.as(ann).notes.create({ text: "Soon", publishAt: new Date("2026-01-01T01:00:00Z") });

  expect((await service.fetch("/notes/1", { as: bob })).status).toBe(404);
  clock.advance(3_600_000);
  expect((await service.fetch("/notes/1", { as: bob })).status).toBe(200);

  const refused = await service.fetch("/notes/1", { as: bob, method: "PATCH", json: { text: "Mine" } });
  expect(await refused.json()).toMatchObject({ status: 403, code: "FORBIDDEN" });
  await expect(service.as(bob).notes.remove(1)).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(service.errors).toEqual([]);
  await service.close();
});
