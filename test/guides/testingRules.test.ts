import { readFileSync } from "node:fs";
import { defineResource, extend, problem } from "restwright";
import { hooks } from "restwright/hooks";
import { explore, FakeClock, testService } from "restwright/testing";
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

const bookings = defineResource("bookings", {
  schema: z.object({ id: z.int(), show: z.int(), seat: z.int() }),
  generated: { id: "increment" },
  unique: [["show"]],
});

test("a show has one booking, whoever comes first", () =>
  explore({ runs: 200 }, async (t) => {
    const { asSystem } = t.testService([bookings]);
    const ended = await Promise.allSettled([1, 2, 3].map((seat) => asSystem().bookings.create({ show: 7, seat })));
    expect(ended.filter(({ status }) => status === "fulfilled").length).toBe(1);
  }));

test("the page shows what is printed if the rule is a count in a hook", async () => {
  const base = defineResource("bookings", { schema: bookings.schema, generated: { id: "increment" } });
  const counting = extend(base, {
    hooks: {
      async beforeWrite({ kind, next, tx }) {
        if (kind === "create" && (await tx.of(base).count({ where: { show: next.show } })) > 0) throw problem("TAKEN", 409, "The show is booked.");
      },
    },
  });
  const run = explore({ runs: 200 }, async (t) => {
    const { asSystem } = t.testService({ resources: [counting], use: [hooks()] });
    const ended = await Promise.allSettled([1, 2, 3].map((seat) => asSystem().bookings.create({ show: 7, seat })));
    expect(ended.filter(({ status }) => status === "fulfilled").length).toBe(1);
  });
  const page = readFileSync(new URL("../../docs/guides/testing-rules.md", import.meta.url), "utf8");
  const [, printed = ""] = /^```text\n([\s\S]*?)^```/m.exec(page) ?? [];
  await expect(run).rejects.toThrow(expect.objectContaining({ message: printed.trimEnd() }));
});
