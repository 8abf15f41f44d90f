import { belongsTo, createService, defineResource, type Storage, type Verifier, within } from "restwright";
import { z } from "zod";

/** The code of docs/guides/teams.md, which a test compares with the page. */
export function teamTasks(storage: Storage, auth: readonly Verifier[]) {
  const teams = defineResource("teams", {
    schema: z.object({ id: z.int(), name: z.string() }),
    generated: { id: "increment" },
    scope: async ({ principal, action }) => action === "read" && { id: await teamsOf(principal.id) },
  });
  const memberships = defineResource("memberships", {
    schema: z.object({ id: z.int(), teamId: z.int(), userId: z.string() }),
    generated: { id: "increment" },
    index: ["userId"],
    relations: { team: belongsTo("teams", "teamId") },
    scope: ({ action }) => action === "read" && within("team"),
  });
  const tasks = defineResource("tasks", {
    schema: z.object({ id: z.int(), title: z.string(), teamId: z.int() }),
    generated: { id: "increment" },
    relations: { team: belongsTo("teams", "teamId") },
    scope: () => within("team"),
  });

  const service = createService({ resources: [teams, memberships, tasks], storage, auth });

  async function teamsOf(userId: string): Promise<number[]> {
    const ids: number[] = [];
    for await (const { teamId } of service.asSystem().memberships.walk({ where: { userId } })) ids.push(teamId);
    return ids;
  }

  return service;
}
