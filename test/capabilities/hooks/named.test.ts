import { createService, defineResource } from "restwright";
import { hooks } from "restwright/hooks";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";

const row = { id: "a", total: 5, note: "x" };
const merge = { "content-type": "application/merge-patch+json" };
const steps = { "content-type": "application/json-patch+json" };

test.each([
  ["a merge patch", { method: "PATCH", body: { note: "y", total: 5 }, headers: merge }, { note: "y", total: 5 }],
  [
    "a JSON Patch",
    {
      method: "PATCH",
      body: [
        { op: "replace", path: "/total", value: 5 },
        { op: "replace", path: "/note", value: "y" },
      ],
      headers: steps,
    },
    { note: "y", total: 5 },
  ],
  [
    "a JSON Patch that only tests a field",
    {
      method: "PATCH",
      body: [
        { op: "test", path: "/total", value: 5 },
        { op: "remove", path: "/note" },
      ],
      headers: steps,
    },
    { note: undefined },
  ],
  ["a PUT", { method: "PUT", body: { total: 5, note: "y" } }, { note: "y", total: 5 }],
])("%s names its fields in `changes`, also those whose value stays", async (_, sent, named) => {
  const seen: unknown[] = [];
  const notes = defineResource("notes", {
    schema: z.object({ id: z.string(), total: z.number(), note: z.string().optional(), kept: z.string().optional() }),
    hooks: { beforeWrite: ({ kind, changes }) => void (kind === "update" && seen.push({ ...changes })) },
  });
  const send = clientOf(createService({ resources: [notes], storage: memoryStorage(), use: [hooks()] }));
  await send({ method: "POST", target: "/notes", body: { ...row, kept: "k" } });
  expect((await send({ target: "/notes/a", ...sent })).status).toBe(200);
  expect(seen).toEqual([{ ...named, ...("id" in (seen[0] as object) ? { id: "a" } : {}) }]);
});
