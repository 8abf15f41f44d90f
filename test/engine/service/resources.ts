import { belongsTo, defineResource, type Service } from "restwright";
import { memoryStorage } from "restwright/memory";
import { z } from "zod";
import { FakeClock } from "../../../src/testing/clock.js";
import { clientOf } from "../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";

/** Every kind of field once. */
export const things = defineResource("things", {
  schema: z.object({
    id: z.int(),
    createdAt: z.date(),
    updatedAt: z.date(),
    name: z.string().min(1).max(20),
    email: z.email().optional(),
    status: z.enum(["open", "paid", "void"]).default("open"),
    note: z.string().nullable().default(null),
    nick: z.string().optional(),
    quantity: z.int().default(1),
    big: z.bigint().optional(),
    due: z.iso.datetime({ offset: true }).optional(),
    at: z.date().optional(),
    tags: z.array(z.string()).default([]),
    address: z.object({ city: z.string(), zip: z.string().nullable().optional(), geo: z.object({ lat: z.number() }).optional() }).optional(),
    settings: z.object({ theme: z.string().default("light"), size: z.int().default(3) }).default({ theme: "light", size: 3 }),
    extra: z.record(z.string(), z.unknown()).optional(),
    bio: z.string().optional(),
    rank: z.int().default(0),
    ssn: z.string().optional(),
    salary: z.number().optional(),
    password: z.string().optional(),
  }),
  generated: { id: "increment", createdAt: "createdAt", updatedAt: "updatedAt" },
  unique: ["email", ["name", "status"]],
  compact: ["name", "id"],
  heavy: ["bio"],
  readOnly: ["rank"],
  access: {
    ssn: { read: (principal) => principal.claims?.["role"] === "admin", onForbidden: "403" },
    salary: {
      read: (principal) => principal.claims?.["role"] === "admin",
      write: (principal) => principal.claims?.["role"] === "admin",
      onForbidden: "hide",
    },
    password: { read: false },
  },
});

/** Rows whose ids the client chooses. */
export const pages = defineResource("pages", {
  schema: z.object({ slug: z.string().regex(/^[a-z-]+$/), title: z.string(), thing: z.int().optional() }),
  id: "slug",
  relations: { owner: belongsTo("things", "thing", { enforce: false }) },
});

/** Rows that are only changed by who has seen them. */
export const guarded = defineResource("guarded", {
  schema: z.object({ id: z.string(), name: z.string() }),
  generated: { id: "ulid" },
  requireIfMatch: true,
  strictPatchTypes: true,
  missingDelete: 204,
});

/** A rule over the whole object. */
export const ranges = defineResource("ranges", {
  schema: z
    .object({ id: z.string(), from: z.int(), to: z.int(), label: z.string().trim().default("") })
    .refine(({ from, to }) => from <= to, { path: ["to"], error: "Must not be below from." }),
  generated: { id: "uuid" },
});

export const clock = () => new FakeClock(Date.parse("2026-01-31T12:00:00.500Z"));

/** A service over a fresh memory store, and a client of it. */
export function setUp(options: Partial<FullServiceOptions> = {}): { service: Service; send: ReturnType<typeof clientOf> } {
  const service = fullService({ resources: [things, pages, guarded, ranges], storage: memoryStorage(), ...options });
  return { service, send: clientOf(service) };
}
