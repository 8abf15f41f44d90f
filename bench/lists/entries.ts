import { defineResource, type NewRow, type Resource } from "restwright";
import { z } from "zod";

/** Entries of a journal: each at an instant of its own, of one of 1,000 ranks and four states. */
export const entries: Resource = defineResource("entries", {
  schema: z.object({
    id: z.int(),
    at: z.date(),
    rank: z.int(),
    status: z.enum(["open", "held", "done", "void"]),
    title: z.string(),
    amount: z.number(),
  }),
  generated: { id: "increment" },
  index: ["at", "rank", ["status", "at"]],
});

const statuses = ["open", "held", "done", "void"];
const firstInstant = Date.UTC(2025, 0, 1);
const secondMs = 1_000;
const ranks = 1_000;
/** A prime above the largest number of rows: instants are all different, and in another order than ids. */
const instants = 10_000_019;
const stride = 7_919;

/** Rows from one number to another, the same every time. */
export function entryRows(from: number, to: number): NewRow[] {
  return Array.from({ length: to - from }, (_, offset) => entryRow(from + offset));
}

function entryRow(index: number): NewRow {
  const at = new Date(firstInstant + ((index * stride) % instants) * secondMs);
  return {
    at,
    rank: (index * stride) % ranks,
    status: statuses[index % statuses.length],
    title: `Entry ${index} of the journal`,
    amount: index / 4,
    _version: `01J0000000${String(index).padStart(16, "0")}`,
    _updatedAt: at,
  };
}
