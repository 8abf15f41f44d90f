import { createService, type Principal, type Service } from "restwright";
import { bearerJwt } from "restwright/jwt";
import { live } from "restwright/live";
import { memoryStorage } from "restwright/memory";
import { type SubscriberApi, subscribers } from "restwright/subscribers";
import { notesResources } from "./resources.js";

/** The teams, and who is a member. */
const members = { Garden: ["ann", "bob"], Kitchen: ["ann"] };

/** Those who can log in. Cem is in no team. */
export const people: readonly string[] = ["ann", "bob", "cem"];

/** A service of notes with two teams. @param secret signs the tokens, at least 32 characters */
export async function createNotes(secret: string): Promise<Service & SubscriberApi> {
  const { teams, memberships, notes, reminders } = notesResources(teamsOf);
  const service = createService({
    resources: [teams, memberships, notes, reminders],
    storage: memoryStorage(),
    auth: [bearerJwt({ key: secret, issuer: "notes", audience: "notes" })],
    use: [subscribers(), live()],
  });
  // Runs again for the same event if it fails or its process ends. By their operation ids, the reminders that exist are not created again.
  service.on("note.shared", { name: "remind-members" }, async ({ id, data: { noteId, teamId, ownerId } }) => {
    await service.asSystem().transaction(async (tx) => {
      // The note may be removed, or of another team, by now.
      if (teamId === null || (await tx.notes.count({ where: { id: noteId, teamId } })) === 0) return;
      const { name } = await tx.teams.get(teamId);
      for await (const { personId } of tx.memberships.walk({ where: { teamId } })) {
        if (personId === ownerId) continue;
        await tx.reminders.create({ personId, noteId, text: `${ownerId} shared a note with ${name}` }, { operationId: `${id}:${personId}` });
      }
    });
  });

  /** A row that the system reads has no scope, so this does not ask itself. */
  async function teamsOf({ id }: Principal): Promise<number[]> {
    const ids: number[] = [];
    for await (const { teamId } of service
      .asSystem()
      .of(memberships)
      .walk({ where: { personId: id } }))
      ids.push(Number(teamId));
    return ids;
  }

  const system = service.asSystem();
  for (const [name, persons] of Object.entries(members)) {
    const team = await system.teams.create({ name });
    for (const personId of persons) await system.memberships.create({ teamId: team.id, personId });
  }
  return service;
}
