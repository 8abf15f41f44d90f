import { belongsTo, createService, defineResource, hasMany, type ScopeQuestion, type Storage, within } from "restwright";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { z } from "zod";
import { clientOf, type Received } from "../../tools/client.js";

/** Projects have an owner, tasks belong to projects. */
export function resourcesOf(asked: ScopeQuestion[] = []) {
  const projects = defineResource("projects", {
    schema: z.object({ id: z.int(), title: z.string(), slug: z.string().optional(), ownerId: z.string(), editedBy: z.string().nullable() }),
    generated: { id: "increment" },
    unique: ["slug"],
    relations: { tasks: hasMany("tasks", "projectId") },
    scope(question) {
      asked.push(question);
      const { principal } = question;
      return principal.claims?.["role"] === "admin" || { ownerId: principal.id };
    },
    stamp: { ownerId: ({ principal }) => principal.id, editedBy: { on: "write", set: ({ principal }) => principal.id } },
  });
  const tasks = defineResource("tasks", {
    schema: z.object({ id: z.int(), text: z.string(), projectId: z.int().nullable() }),
    generated: { id: "increment" },
    relations: { project: belongsTo("projects", "projectId", { filter: ["title"] }) },
    scope: () => within("project"),
  });
  return [projects, tasks] as const;
}

const principals = { ann: { id: "ann" }, bob: { id: "bob" }, root: { id: "root", claims: { role: "admin" } } };

export type Person = keyof typeof principals;

/** Sends a request as a person. */
export type SendAs = (who: Person, method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Received>;

/** A service of projects and tasks, each person with a token of the same name. */
export function rulesService(storage: Storage, asked: ScopeQuestion[] = []) {
  const service = createService({
    resources: [...resourcesOf(asked)],
    storage,
    use: [batch()],
    auth: [bearer((token) => principals[token as Person])],
  });
  const send = clientOf(service);
  const as: SendAs = (who, method, target, body, headers = {}) =>
    send({ method, target, body, headers: { authorization: `Bearer ${who}`, ...headers } });
  return { as, service, close: () => service.close() };
}
