// The code of docs/guides/change-a-column.md, which a test compares with the page.
import { defineResource } from "restwright";
import { z } from "zod";

const table = { name: "bookings", managed: false, version: "hash", tenant: "shared" } as const;

export const before = defineResource("bookings", {
  schema: z.object({ id: z.int(), room: z.string(), minutes: z.int() }),
  generated: { id: "database" },
  table,
});

export const now = defineResource("bookings", {
  schema: z.object({ id: z.int(), room: z.string(), minutes: z.int(), seconds: z.int() }),
  generated: { id: "database", minutes: "database" },
  table,
});

export const later = defineResource("bookings", {
  schema: z.object({ id: z.int(), room: z.string(), seconds: z.int() }),
  generated: { id: "database" },
  table,
});
