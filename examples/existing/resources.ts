import { belongsTo, defineResource, hasMany, type Principal, within } from "restwright";
import { z } from "zod";

/** What all tables have in common: nothing is added to them, and a name such as `fullName` is the column `full_name`. */
const table = { managed: false, casing: "snake_case", tenant: "shared" } as const;

const teamsOf = ({ claims }: Principal) => claims?.["teamIds"] as readonly number[];

/** Accounts are made by the sign-up of the application, which also makes the token: no field shows it. */
export const users = defineResource("users", {
  schema: z.object({ id: z.int(), email: z.email().max(120), fullName: z.string().min(1).max(80), createdAt: z.date(), updatedAt: z.date() }),
  generated: { id: "database", createdAt: "database", updatedAt: "updatedAt" },
  unique: ["email"],
  operations: ["list", "read", "update", "remove"],
  scope: ({ principal, action }) => action === "read" || { id: Number(principal.id) },
  table: { ...table, name: "users", version: "hash", updatedAt: "updated_at", softDelete: { column: "deleted_at" } },
});

export const teams = defineResource("teams", {
  schema: z.object({ id: z.int(), name: z.string().min(1).max(60), createdAt: z.date() }),
  generated: { id: "database", createdAt: "database" },
  unique: ["name"],
  operations: ["list", "read", "update"],
  relations: { memberships: hasMany("memberships", "teamId") },
  scope: ({ principal }) => ({ id: [...teamsOf(principal)] }),
  table: { ...table, name: "teams", version: "hash" },
});

export const memberships = defineResource("memberships", {
  schema: z.object({ id: z.int(), teamId: z.int(), userId: z.int(), role: z.enum(["owner", "member"]).default("member") }),
  generated: { id: "database" },
  unique: [["teamId", "userId"]],
  relations: { team: belongsTo("teams", "teamId", { onDelete: "cascade" }), user: belongsTo("users", "userId") },
  scope: () => within("team"),
  table: { ...table, name: "memberships", version: "xmin" },
});

export const invoices = defineResource("invoices", {
  schema: z.object({
    id: z.int(),
    teamId: z.int(),
    number: z.string().min(1).max(20),
    total: z.number(),
    issuedOn: z.iso.date(),
    paidAt: z.date().nullable().default(null),
    createdAt: z.date(),
  }),
  generated: { id: "database", createdAt: "database" },
  // Set by the payment route only.
  readOnly: ["paidAt"],
  unique: [["teamId", "number"]],
  relations: { team: belongsTo("teams", "teamId") },
  filter: ["teamId", "number", "total", "issuedOn", "paidAt"],
  sort: ["issuedOn", "total", "number"],
  scope: () => within("team"),
  table: {
    ...{ ...table, name: "invoices", version: { column: "lock_version" }, softDelete: { column: "deleted_at" } },
    constraints: { invoices_total_positive: { field: "total", detail: "Must be above 0." } },
  },
});

export const resources = [users, teams, memberships, invoices] as const;
