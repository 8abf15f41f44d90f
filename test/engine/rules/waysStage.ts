import { belongsTo, type CollectionModel, defineResource, hasMany, type Logger, type ScopeQuestion, type Storage, within } from "restwright";
import { respond } from "restwright/actions";
import { bearer } from "restwright/auth";
import { hooks } from "restwright/hooks";
import { memoryBlobs } from "restwright/memory";
import { z } from "zod";
import { Receiver } from "../../capabilities/webhooks/emissionStage.js";
import { clientOf, type Received, type Sent } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

/** What the scope of `notes` answers, whatever it is. */
export type Rule = (question: ScopeQuestion) => unknown;

/** What the hooks of `notes` do, if anything. */
export interface NoteHooks {
  before?: ((write: ComingNote) => Partial<NoteValues> | undefined) | undefined;
  after?: ((write: DoneNote) => void) | undefined;
}

/** What the tests need of a write that is about to happen. */
export interface ComingNote {
  readonly kind: "create" | "update" | "remove";
  readonly way: string;
  readonly before: { readonly id: string } | undefined;
  readonly next: { readonly id?: string; readonly text?: string } | undefined;
  readonly changes: object | undefined;
  readonly principal: { readonly id: string } | undefined;
  readonly operationId: string;
}

/** What the tests need of a write that has happened. */
export interface DoneNote extends Omit<ComingNote, "next"> {
  readonly row: { readonly id: string; readonly text: string };
}

/** The members of a note that a request writes. */
export interface NoteValues {
  readonly text: string;
  readonly slug: string;
  readonly ownerId: string;
  readonly projectId: string;
}

const noteValues = z.object({ text: z.string(), slug: z.string(), ownerId: z.string(), projectId: z.string() });

/** What the actions of `notes` do: change the row, answer with it, read it, or write rows with the rights of the caller. */
const noteActions = {
  rewrite: { on: "row", input: noteValues, batch: true, run: ({ input }: { input: object }) => input },
  look: { on: "row", run: ({ row }: { row: { text: string } }) => respond({ text: row.text }) },
  glance: { on: "row", method: "GET", run: ({ row }: { row: { text: string } }) => respond({ text: row.text }) },
  enter: {
    on: "collection",
    input: noteValues.extend({ id: z.string() }),
    run: async ({ tx, input }: { tx: { notes: { create(row: object): Promise<object> } }; input: object }) => tx.notes.create(input),
  },
};

/** The names of the actions on a row. */
export const rowActions: readonly string[] = ["rewrite", "look", "glance"];

/** Notes are below projects, whose scope is their owner; comments are below notes, and are seen with them. The scope of notes is set by each test. */
function resources(rules: { notes: Rule }, hooks?: NoteHooks) {
  const projects = defineResource("projects", {
    schema: z.object({ id: z.string(), ownerId: z.string() }),
    relations: { notes: hasMany("notes", "projectId") },
    scope: ({ principal }) => ({ ownerId: principal.id }),
  });
  const notes = defineResource("notes", {
    // The path of an action must not be that of a row.
    schema: noteValues.extend({ id: z.string().refine((id) => !Object.hasOwn(noteActions, id)) }),
    unique: ["slug"],
    search: ["text"],
    relations: { project: belongsTo("projects", "projectId"), comments: hasMany("comments", "noteId") },
    events: { "note.written": { on: ["create", "update", "remove"] } },
    scope: (question) => rules.notes(question) as boolean,
    actions: ({ action }) =>
      Object.fromEntries(Object.entries(noteActions).map(([name, options]) => [name, action(options as never)])) as Record<string, never>,
    hooks: hooks && { beforeWrite: (write) => hooks.before?.(write), afterWrite: (write) => hooks.after?.(write) },
  });
  const comments = defineResource("comments", {
    schema: z.object({ id: z.string(), body: z.string(), noteId: z.string() }),
    relations: { note: belongsTo("notes", "noteId", { filter: ["text"], onDelete: "cascade" }) },
    scope: () => within("note"),
  });
  return [projects, notes, comments] as const;
}

const models = new Map<string, CollectionModel>(resources({ notes: () => true }).map(({ name, model }) => [name, model]));

/** Who sends the requests of the tests. */
export const ann = { authorization: "Bearer ann", "x-request-id": "request-0123456789" };

/**
 * A service of everything.
 *
 * @param hooks those of `notes`, which has none without
 * @param tenantOf whose a person is; without it nobody has a tenant
 */
export function waysService(storage: Storage, noteHooks?: NoteHooks, tenantOf?: (who: string) => string) {
  const rules: { notes: Rule } = { notes: () => true };
  const faults: unknown[] = [];
  const note = (fields: unknown) => void faults.push(fields);
  const quiet = () => {};
  const logger: Logger = { error: note, warn: quiet, info: quiet, debug: quiet };
  const service = fullService({
    resources: resources(rules, noteHooks),
    storage,
    ...(noteHooks && { more: [hooks()] }),
    blobs: memoryBlobs(),
    auth: [bearer((token) => ({ id: token, tenant: tenantOf?.(token), claims: { filter: { ne: "nobody" } } }))],
    jobs: { pollMs: 5 },
    uploads: { types: "any" },
    webhooks: { transport: new Receiver(), work: false },
    secrets: ["a secret of the service itself"],
    probes: { health: "/health", ready: "/ready" },
    logger,
  });
  const send = clientOf(service);
  const rowsOf = (collection: string) => storage.collection(models.get(collection) as CollectionModel);
  const as = (who: string, sent: Sent) => send({ ...sent, headers: { ...ann, authorization: `Bearer ${who}`, ...sent.headers } });
  return {
    service,
    rules,
    faults,
    as,
    /** The row as it is stored. */
    stored: (collection: string, id: string) => rowsOf(collection).get(id, {}),
    /** Makes the projects of two people. */
    async begin() {
      await service.start();
      for (const who of ["ann", "bob"]) await as(who, { method: "POST", target: "/projects", body: { id: `p-${who}`, ownerId: who } });
    },
    /** Makes a note with a comment, as somebody who may. */
    async seed(id: string, { ownerId, projectId }: Pick<NoteValues, "ownerId" | "projectId">): Promise<void> {
      const before = rules.notes;
      rules.notes = () => true;
      const maker = projectId.slice(2);
      const made = await as(maker, {
        method: "POST",
        target: "/notes",
        body: { id, text: `text of ${id}`, slug: `slug of ${id}`, ownerId, projectId },
      });
      if (made.status !== 201) throw new Error(made.text);
      await as(maker, { method: "POST", target: "/comments", body: { id: `c-${id}`, body: `comment of ${id}`, noteId: id } });
      rules.notes = before;
    },
    /** Removes a note and its comments. */
    async forget(id: string): Promise<void> {
      for (const name of [`c-${id}`, `new-${id}`]) await rowsOf("comments").remove(name, {});
      await rowsOf("notes").remove(id, {});
    },
    /** Sends a request, and waits until the job that it may have become has ended or failed once: the answer, the job, its report and its file together. */
    async finish(sent: Sent): Promise<Received> {
      faults.length = 0;
      const answer = await as("ann", sent);
      if (answer.status !== 202) return answer;
      const target = String(answer.headers["location"]);
      const job = await endOf(
        (path, method) => as("ann", { method, target: path }),
        target,
        () => faults.length > 0,
      );
      const more = target.startsWith("/imports") ? "errors" : target.startsWith("/exports") ? "download" : undefined;
      const file = more && (await as("ann", { target: `${target}/${more}`, headers: { accept: "application/json" } }));
      const signed = file?.headers["location"] === undefined ? "" : (await as("ann", { target: String(file.headers["location"]) })).text;
      return { ...answer, text: `${job.text}${file?.text ?? ""}${signed}` };
    },
  };
}

async function endOf(send: (target: string, method: string) => Promise<Received>, target: string, hasFailed: () => boolean): Promise<Received> {
  for (let tries = 0; tries < 10_000; tries++) {
    const job = await send(target, "GET");
    const { status } = job.json;
    if (status === "completed" || status === "failed") return job;
    // A later attempt begins after a pause, and meets the same fault.
    if (hasFailed()) {
      await send(`${target}/cancel`, "POST");
      return job;
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`The job ${target} does not end.`);
}
