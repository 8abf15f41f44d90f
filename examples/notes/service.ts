import { createService, type Principal, type Service } from "restwright";
import { bearerJwt } from "restwright/jwt";
import { memoryStorage } from "restwright/memory";
import { notesResources } from "./resources.js";

/** The teams, and who is a member. */
const members = { Garden: ["ann", "bob"], Kitchen: ["ann"] };

/** Those who can log in. Cem is in no team. */
export const people: readonly string[] = ["ann", "bob", "cem"];

/** A service of notes with two teams. @param secret signs the tokens, at least 32 characters */
export async function createNotes(secret: string): Promise<Service> {
  const { teams, memberships, notes } = notesResources(teamsOf);
  const service = createService({
    resources: [teams, memberships, notes],
    storage: memoryStorage(),
    auth: [bearerJwt({ key: secret, issuer: "notes", audience: "notes" })],
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
