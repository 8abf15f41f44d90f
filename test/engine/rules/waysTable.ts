import type { Sent } from "../../tools/client.js";
import { multipartRequest } from "./multipartRequest.js";
import type { NoteValues } from "./waysStage.js";

/** The note that a request is about. */
export interface About {
  readonly id: string;
  /** The project in the path, for ways below a parent. */
  readonly project: string;
  /** What a write sets. */
  readonly values: NoteValues;
}

/** A way to a row of `notes`. */
export interface Way {
  readonly name: string;
  /** Names of the operations of the router that it goes through. */
  readonly operations: readonly string[];
  /** What it does to the note: shows it or its comment, counts it, creates, changes or removes it, or writes a comment below it. */
  readonly does: "show" | "count" | "create" | "update" | "remove" | "comment";
  /** Creates a note that is missing, so that a missing one and a hidden one differ by rule. */
  readonly mayCreate?: true;
  /** Becomes a job. */
  readonly isJob?: true;
  request(about: About): Sent;
}

const csvType = { "content-type": "text/csv" };
const merge = { "content-type": "application/merge-patch+json" };
const later = { prefer: "respond-async" };
const strict = { prefer: "handling=strict" };
const strictLater = { prefer: "respond-async, handling=strict" };

const csv = ({ id, values: { text, slug, ownerId, projectId } }: About) =>
  `id,text,slug,ownerId,projectId\n${id},${text},${slug},${ownerId},${projectId}\n`;
const whole = ({ id, values }: About) => ({ id, ...values });

function show(
  name: string,
  operations: readonly string[],
  target: (about: About) => string,
  sent: (about: About) => Partial<Sent> = () => ({}),
): Way {
  return { name, operations, does: "show", request: (about) => ({ target: target(about), ...sent(about) }) };
}

function query(name: string, operation: string, target: (about: About) => string, field = "id"): Way {
  return show(name, [operation], target, ({ id }) => ({ method: "QUERY", body: { filter: { [field]: id }, count: "exact" } }));
}

const reads: readonly Way[] = [
  show("GET", ["notes.read"], ({ id }) => `/notes/${id}`),
  show("GET with relations", ["notes.read"], ({ id }) => `/notes/${id}?include=project,comments`),
  show("GET below a parent", ["projects.notes.read"], ({ id, project }) => `/projects/${project}/notes/${id}`),
  show("a list", ["notes.list"], ({ id }) => `/notes?id=${id}&count=exact`),
  show("a list with a search", ["notes.list"], ({ id }) => `/notes?q=${id}`),
  show("a list with a condition on a relation", ["comments.list"], ({ id }) => `/comments?note.text=${encodeURIComponent(`text of ${id}`)}`),
  show("a list with the row as a relation", ["comments.list"], ({ id }) => `/comments?noteId=${id}&include=note`),
  show("a list below a parent", ["projects.notes.list"], ({ id, project }) => `/projects/${project}/notes?id=${id}&count=exact`),
  show("the parent with its rows", ["projects.read"], ({ project }) => `/projects/${project}?include=notes`),
  show("a list below the row", ["notes.comments.list"], ({ id }) => `/notes/${id}/comments`),
  show("GET below the row", ["notes.comments.read"], ({ id }) => `/notes/${id}/comments/c-${id}`),
  show("a list below the row and its parent", ["projects.notes.comments.list"], ({ id, project }) => `/projects/${project}/notes/${id}/comments`),
  show(
    "GET below the row and its parent",
    ["projects.notes.comments.read"],
    ({ id, project }) => `/projects/${project}/notes/${id}/comments/c-${id}`,
  ),
  query("QUERY", "notes.query", () => "/notes"),
  query("QUERY below a parent", "projects.notes.query", ({ project }) => `/projects/${project}/notes`),
  query("QUERY below the row", "notes.comments.query", ({ id }) => `/notes/${id}/comments`, "noteId"),
  query(
    "QUERY below the row and its parent",
    "projects.notes.comments.query",
    ({ id, project }) => `/projects/${project}/notes/${id}/comments`,
    "noteId",
  ),
  show(
    "a search",
    ["searches.create"],
    () => "/searches",
    ({ id }) => ({ method: "POST", body: { collection: "notes", filter: { id }, count: "exact" } }),
  ),
  show("an export", ["notes.export"], ({ id }) => `/notes/export?id=${id}`),
  {
    ...show(
      "an export as a job",
      ["exports.create"],
      () => "/exports",
      ({ id }) => ({ method: "POST", body: { collection: "notes", filter: { id } } }),
    ),
    isJob: true,
  },
  { name: "HEAD", operations: ["notes.read"], does: "count", request: ({ id }) => ({ method: "HEAD", target: `/notes/${id}` }) },
  {
    name: "the count of a DELETE by filter",
    operations: ["notes.removeMany"],
    does: "count",
    request: ({ id }) => ({ method: "DELETE", target: `/notes?id=${id}&dryRun=true` }),
  },
  {
    name: "the count of an update by filter",
    operations: ["notes.bulkUpdate"],
    does: "count",
    request: ({ id }) => ({ method: "POST", target: `/notes/bulk-update?id=${id}&dryRun=true`, body: { text: "x" } }),
  },
  {
    name: "a dry run of an import",
    operations: ["notes.import"],
    does: "count",
    request: (about) => ({ method: "POST", target: "/notes/import?mode=update&key=id&dryRun=true", body: csv(about), headers: csvType }),
  },
];

type Inner = Pick<Way, "does" | "mayCreate"> & {
  readonly operation: string;
  request(about: About): Required<Pick<Sent, "method" | "target">> & Pick<Sent, "body">;
};

/** Requests that stand alone, and as operations of batches of all kinds. */
const single: readonly (Inner & { readonly name: string })[] = [
  { name: "GET", operation: "notes.read", does: "show", request: ({ id }) => ({ method: "GET", target: `/notes/${id}` }) },
  { name: "POST", operation: "notes.create", does: "create", request: (about) => ({ method: "POST", target: "/notes", body: whole(about) }) },
  {
    name: "PUT",
    operation: "notes.replace",
    does: "update",
    mayCreate: true,
    request: ({ id, values }) => ({ method: "PUT", target: `/notes/${id}`, body: values }),
  },
  {
    name: "PUT that creates",
    operation: "notes.replace",
    does: "create",
    request: ({ id, values }) => ({ method: "PUT", target: `/notes/${id}`, body: values }),
  },
  {
    name: "PATCH",
    operation: "notes.update",
    does: "update",
    request: ({ id, values }) => ({ method: "PATCH", target: `/notes/${id}`, body: values }),
  },
  {
    name: "an action",
    operation: "notes.rewrite",
    does: "update",
    request: ({ id, values }) => ({ method: "POST", target: `/notes/${id}/rewrite`, body: values }),
  },
  {
    name: "an action below a parent",
    operation: "projects.notes.rewrite",
    does: "update",
    request: ({ id, project, values }) => ({ method: "POST", target: `/projects/${project}/notes/${id}/rewrite`, body: values }),
  },
  {
    name: "an action that answers",
    operation: "notes.look",
    does: "show",
    request: ({ id }) => ({ method: "POST", target: `/notes/${id}/look` }),
  },
  {
    name: "an action that answers below a parent",
    operation: "projects.notes.look",
    does: "show",
    request: ({ id, project }) => ({ method: "POST", target: `/projects/${project}/notes/${id}/look` }),
  },
  {
    name: "an action that reads",
    operation: "notes.glance",
    does: "show",
    request: ({ id }) => ({ method: "GET", target: `/notes/${id}/glance` }),
  },
  {
    name: "an action that reads below a parent",
    operation: "projects.notes.glance",
    does: "show",
    request: ({ id, project }) => ({ method: "GET", target: `/projects/${project}/notes/${id}/glance` }),
  },
  { name: "DELETE", operation: "notes.remove", does: "remove", request: ({ id }) => ({ method: "DELETE", target: `/notes/${id}` }) },
  {
    name: "POST below a parent",
    operation: "projects.notes.create",
    does: "create",
    request: ({ id, project, values: { projectId: _, ...values } }) => ({
      method: "POST",
      target: `/projects/${project}/notes`,
      body: { id, ...values },
    }),
  },
  {
    name: "PUT below a parent",
    operation: "projects.notes.replace",
    does: "update",
    mayCreate: true,
    request: ({ id, project, values: { projectId: _, ...values } }) => ({ method: "PUT", target: `/projects/${project}/notes/${id}`, body: values }),
  },
  {
    name: "PATCH below a parent",
    operation: "projects.notes.update",
    does: "update",
    request: ({ id, project, values: { projectId: _, ...values } }) => ({
      method: "PATCH",
      target: `/projects/${project}/notes/${id}`,
      body: values,
    }),
  },
  {
    name: "DELETE below a parent",
    operation: "projects.notes.remove",
    does: "remove",
    request: ({ id, project }) => ({ method: "DELETE", target: `/projects/${project}/notes/${id}` }),
  },
  {
    name: "POST below the row",
    operation: "notes.comments.create",
    does: "comment",
    request: ({ id }) => ({ method: "POST", target: `/notes/${id}/comments`, body: { id: `new-${id}`, body: "new" } }),
  },
  {
    name: "PUT below the row",
    operation: "notes.comments.replace",
    does: "comment",
    request: ({ id }) => ({ method: "PUT", target: `/notes/${id}/comments/new-${id}`, body: { body: "new" } }),
  },
  {
    name: "POST with a foreign key",
    operation: "comments.create",
    does: "comment",
    request: ({ id }) => ({ method: "POST", target: "/comments", body: { id: `new-${id}`, body: "new", noteId: id } }),
  },
];

const alone: readonly Way[] = single.map(({ operation, request, ...way }) => ({
  ...way,
  operations: [operation],
  request: (about) => {
    const sent = request(about);
    return { ...sent, headers: sent.method === "PATCH" ? merge : {} };
  },
}));

const kinds: readonly (Pick<Way, "name" | "isJob"> & { send(operation: ReturnType<Inner["request"]>): Partial<Sent> })[] = [
  { name: "in /batch", send: ({ method, target, body }) => ({ body: { operations: [{ method, url: target, body }] } }) },
  { name: "in an atomic /batch", send: ({ method, target, body }) => ({ body: { operations: [{ method, url: target, body }] }, headers: strict }) },
  { name: "in a multipart /batch", send: (operation) => multipartRequest(operation) },
  {
    name: "in /batch as a job",
    isJob: true,
    send: ({ method, target, body }) => ({ body: { operations: [{ method, url: target, body }] }, headers: later }),
  },
  {
    name: "in an atomic /batch as a job",
    isJob: true,
    send: ({ method, target, body }) => ({ body: { operations: [{ method, url: target, body }] }, headers: strictLater }),
  },
];

const inBatch: readonly Way[] = kinds.flatMap(({ name, send, isJob }) =>
  single.map(
    ({ name: own, operation, does, mayCreate, request }): Way => ({
      name: `${own} ${name}`,
      operations: ["batch.create", operation],
      does,
      ...(mayCreate && { mayCreate }),
      ...(isJob && { isJob }),
      request: (about) => ({ method: "POST", target: "/batch", ...send(request(about)) }),
    }),
  ),
);

/** The same request at once, all or nothing, and as a job. */
function batches(name: string, operation: string, does: Way["does"], request: (about: About) => Sent): readonly Way[] {
  const way = { operations: [operation], does } as const;
  return [
    { ...way, name, request },
    { ...way, name: `${name}, all or nothing`, request: (about) => ({ ...request(about), headers: strict }) },
    { ...way, name: `${name}, as a job`, isJob: true, request: (about) => ({ ...request(about), headers: later }) },
  ];
}

const collectionBatches: readonly Way[] = [
  ...batches("a batch of creates", "notes.batchCreate", "create", (about) => ({
    method: "POST",
    target: "/notes/batch",
    body: { items: [whole(about)] },
  })),
  ...batches("a batch of updates", "notes.batchUpdate", "update", ({ id, values }) => ({
    method: "PATCH",
    target: "/notes/batch",
    body: { items: [{ id, changes: values }] },
  })),
  ...batches("a batch of removals", "notes.batchRemove", "remove", ({ id }) => ({
    method: "POST",
    target: "/notes/batch-delete",
    body: { items: [{ id }] },
  })),
  ...batches("a batch of actions", "notes.batchRewrite", "update", ({ id, values }) => ({
    method: "POST",
    target: "/notes/rewrite",
    body: { items: [{ id, input: values }] },
  })),
  ...batches("DELETE with ids", "notes.removeMany", "remove", ({ id }) => ({ method: "DELETE", target: "/notes", body: { ids: [id] } })),
  ...batches("DELETE by filter", "notes.removeMany", "remove", ({ id }) => ({ method: "DELETE", target: `/notes?id=${id}&confirm=true` })),
  ...batches("an update by filter", "notes.bulkUpdate", "update", ({ id, values }) => ({
    method: "POST",
    target: `/notes/bulk-update?id=${id}`,
    body: values,
  })),
  {
    name: "a JSON Patch",
    operations: ["notes.update"],
    does: "update",
    request: ({ id, values }) => ({
      method: "PATCH",
      target: `/notes/${id}`,
      headers: { "content-type": "application/json-patch+json" },
      body: Object.entries(values).map(([name, value]) => ({ op: "replace", path: `/${name}`, value })),
    }),
  },
];

const modes: readonly (Pick<Way, "does" | "mayCreate"> & { readonly name: string; readonly query: string })[] = [
  { name: "an import", query: "mode=insert", does: "create" },
  { name: "an import that upserts", query: "mode=upsert&key=id", does: "update", mayCreate: true },
  { name: "an import that creates by an upsert", query: "mode=upsert&key=id", does: "create" },
  { name: "an import that updates", query: "mode=update&key=id", does: "update" },
];

const imports: readonly Way[] = modes.flatMap(({ name, query: how, does, mayCreate }): readonly Way[] => {
  const to = (target: string) => (about: About) => ({ method: "POST", target, body: csv(about), headers: csvType });
  const way = { does, ...(mayCreate && { mayCreate }) };
  return [
    { ...way, name, operations: ["notes.import"], request: to(`/notes/import?${how}`) },
    { ...way, name: `${name}, all or nothing`, operations: ["notes.import"], request: to(`/notes/import?${how}&onError=stop`) },
    { ...way, name: `${name}, as a job`, operations: ["imports.create"], isJob: true, request: to(`/imports?collection=notes&${how}`) },
    {
      ...way,
      name: `${name}, as a job, all or nothing`,
      operations: ["jobs.import"],
      isJob: true,
      request: to(`/jobs/import?collection=notes&${how}&onError=stop`),
    },
  ];
});

const comments: readonly Way[] = [
  {
    name: "PATCH below the row",
    operations: ["notes.comments.update"],
    does: "comment",
    request: ({ id }) => ({ method: "PATCH", target: `/notes/${id}/comments/c-${id}`, body: { body: "new" }, headers: merge }),
  },
  {
    name: "DELETE below the row",
    operations: ["notes.comments.remove"],
    does: "comment",
    request: ({ id }) => ({ method: "DELETE", target: `/notes/${id}/comments/c-${id}` }),
  },
  {
    name: "POST below the row and its parent",
    operations: ["projects.notes.comments.create"],
    does: "comment",
    request: ({ id, project }) => ({ method: "POST", target: `/projects/${project}/notes/${id}/comments`, body: { id: `new-${id}`, body: "new" } }),
  },
  {
    name: "PUT below the row and its parent",
    operations: ["projects.notes.comments.replace"],
    does: "comment",
    request: ({ id, project }) => ({ method: "PUT", target: `/projects/${project}/notes/${id}/comments/c-${id}`, body: { body: "new" } }),
  },
  {
    name: "PATCH below the row and its parent",
    operations: ["projects.notes.comments.update"],
    does: "comment",
    request: ({ id, project }) => ({
      method: "PATCH",
      target: `/projects/${project}/notes/${id}/comments/c-${id}`,
      body: { body: "new" },
      headers: merge,
    }),
  },
  {
    name: "DELETE below the row and its parent",
    operations: ["projects.notes.comments.remove"],
    does: "comment",
    request: ({ id, project }) => ({ method: "DELETE", target: `/projects/${project}/notes/${id}/comments/c-${id}` }),
  },
];

/** All ways to a row of `notes`. */
export const ways: readonly Way[] = [...reads, ...alone, ...inBatch, ...collectionBatches, ...imports, ...comments];
