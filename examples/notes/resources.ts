import { anonymous, belongsTo, defineResource, type Principal, within } from "restwright";
import { z } from "zod";

/** Returns the ids of the teams that a person is a member of. */
export type TeamsOf = (person: Principal) => Promise<number[]>;

/** The collections, and which rows of them each person may see and change. Teams and their members are changed by code only. */
export function notesResources(teamsOf: TeamsOf) {
  const teams = defineResource("teams", {
    schema: z.object({ id: z.int(), name: z.string() }),
    generated: { id: "increment" },
    // Notes, which anyone may read, have a relation to teams. Who is in no team sees none.
    anonymous: "read",
    scope: async ({ principal, action }) => action === "read" && { id: await teamsOf(principal) },
  });

  const memberships = defineResource("memberships", {
    schema: z.object({ id: z.int(), teamId: z.int(), personId: z.string() }),
    generated: { id: "increment" },
    relations: { team: belongsTo("teams", "teamId") },
    // Whoever sees a team sees its members.
    scope: ({ action }) => action === "read" && within("team"),
  });

  const notes = defineResource("notes", {
    schema: z.object({
      id: z.uuid(),
      text: z.string().trim().min(1).max(1_000),
      isPublic: z.boolean().default(false),
      teamId: z.int().nullable().default(null),
      ownerId: z.string(),
      createdAt: z.date(),
    }),
    generated: { id: "uuid", createdAt: "createdAt" },
    relations: { team: belongsTo("teams", "teamId") },
    anonymous: "read",
    stamp: { ownerId: ({ principal }) => principal.id },
    live: true,
    events: {
      "note.shared": {
        on: ["create", "update"],
        when: (note, before) => note.teamId !== null && note.teamId !== before?.teamId,
        data: ({ id, teamId, ownerId }) => ({ noteId: id, teamId, ownerId }),
      },
    },
    async scope({ principal, action }) {
      if (principal === anonymous) return { isPublic: true };
      if (action !== "read") return { ownerId: principal.id };
      return { or: [{ ownerId: principal.id }, { isPublic: true }, { teamId: await teamsOf(principal) }] };
    },
  });

  const reminders = defineResource("reminders", {
    schema: z.object({ id: z.uuid(), personId: z.string(), noteId: z.uuid(), text: z.string(), createdAt: z.date() }),
    generated: { id: "uuid", createdAt: "createdAt" },
    relations: { note: belongsTo("notes", "noteId", { onDelete: "cascade" }) },
    live: true,
    // Written by code only; whoever is reminded may remove it.
    operations: ["list", "read", "remove"],
    scope: ({ principal, action }) => (action === "read" || action === "remove") && { personId: principal.id },
  });

  return { teams, memberships, notes, reminders };
}
