import { belongsTo, defineResource, type Service, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs } from "restwright/memory";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import { clientOf, type Received, type Sent } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import type { OpenedStore } from "../../../tools/storage/batchStores.js";
import { endedJob, jobOf, type ShownJob } from "../../batch/batchJobStage.js";

const isAdmin = ({ id }: { readonly id: string }) => id === "admin";

/** Two unique keys, one of which folds case; what may be null, what has a default, what is nested; what the server sets, and what not everybody may. */
export const people = defineResource("people", {
  schema: z.object({
    id: z.int(),
    email: z.email(),
    badge: z.string().nullable().default(null),
    name: z.string().min(1).max(20),
    age: z.int().min(0).nullable().default(null),
    vip: z.boolean().default(false),
    tags: z.array(z.string()).default([]),
    address: z.object({ city: z.string(), zip: z.string().nullable().optional() }).optional(),
    teamId: z.string().nullable().default(null),
    salary: z.number().optional(),
    pin: z.string().optional(),
    createdAt: z.date(),
    updatedAt: z.date(),
  }),
  generated: { id: "increment", createdAt: "createdAt", updatedAt: "updatedAt" },
  unique: ["badge", "email", "pin"],
  import: { generated: ["createdAt"] },
  access: {
    salary: { write: isAdmin, onForbidden: "403" },
    pin: { read: isAdmin, write: isAdmin, onForbidden: "hide" },
    createdAt: { write: ({ id }) => id !== "temp" },
  },
  relations: { team: belongsTo("teams", "teamId") },
  events: {
    "person.created": { on: "create", data: ({ email }) => ({ email }) },
    "person.updated": { on: "update", data: ({ email }) => ({ email }) },
  },
});

const teams = defineResource("teams", { schema: z.object({ id: z.string(), name: z.string().default("") }) });

/** Rows that name others of their own collection, which files may name themselves. */
const nodes = defineResource("nodes", {
  schema: z.object({ id: z.string(), parentId: z.string().nullable().default(null), size: z.int().optional() }),
  generated: { id: "ulid" },
  import: { generated: ["id"] },
  relations: { parent: belongsTo("nodes", "parentId") },
});

export const importTables = [people, teams, nodes];

/** A file as it is sent. */
export interface SentFile {
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export const csv = (body: string | Uint8Array, headers: SentFile["headers"] = {}): SentFile => ({ type: "text/csv", body, headers });
export const ndjson = (...rows: readonly unknown[]): SentFile => ({
  type: "application/x-ndjson",
  body: rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n"),
});

/** More than a chunk has room for. White space in front of a row belongs to no row. */
const filler = " ".repeat(525_000);

/** NDJSON of which these rows are a chunk each. */
export const ndjsonChunks = (...chunks: readonly (readonly unknown[])[]): SentFile =>
  ndjson(...chunks.flatMap((rows) => rows.map((row, index) => (index === rows.length - 1 ? filler : "") + JSON.stringify(row))));

export const json = (value: unknown): SentFile => ({ type: "application/json", body: typeof value === "string" ? value : JSON.stringify(value) });

/** What came of an import, however it was done. */
export interface Outcome {
  /** Why it ended before its time. */
  readonly code: string | undefined;
  readonly row: number | undefined;
  /** Created, updated, skipped, failed. */
  readonly counts: readonly number[] | undefined;
  /** Row, line, and each fault with its field. */
  readonly errors: readonly unknown[] | undefined;
}

/** One tenant's side of a service. */
export interface ImportSide {
  readonly storage: Storage;
  readonly tenant: string;
  send(sent: Sent, who?: string): Promise<Received>;
  /** POST to the collection. */
  now(query: string, file: SentFile, who?: string): Promise<Received>;
  /** POST of a job. */
  submit(query: string, file: SentFile, who?: string): Promise<Received>;
  /** A job as it ended. */
  ended(accepted: Received | string, who?: string): Promise<ShownJob>;
  /** What came of an import at once. */
  outcomeNow(query: string, file: SentFile, who?: string): Promise<Outcome>;
  /** What came of an import as a job. */
  outcomeLater(query: string, file: SentFile, who?: string): Promise<Outcome>;
  seed(collection: string, ...rows: readonly object[]): Promise<void>;
  /** Members of all rows, without what differs from run to run. */
  rows(collection?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

let tenants = 0;

/** A service of these tables on a storage, with files in memory. */
export function importService(storage: Storage, options: Partial<FullServiceOptions> = {}): Service {
  const auth = [bearer((token) => ({ tenant: token.split("/", 1)[0], id: token.slice(token.indexOf("/") + 1) }))];
  return fullService({ resources: importTables, storage, auth, blobs: memoryBlobs(), ...options });
}

/** A new tenant of a service. */
export function importSide(service: Service, storage: Storage, tenant = `tenant-${++tenants}`): ImportSide {
  const client = clientOf(service);
  const send: ImportSide["send"] = (sent, who = "ada") => client({ ...sent, headers: { authorization: `Bearer ${tenant}/${who}`, ...sent.headers } });
  const post = (target: string, { type, body, headers }: SentFile, who?: string) =>
    send({ method: "POST", target, body, headers: { "content-type": type, ...headers } }, who);
  const [submit, now]: ImportSide["submit"][] = [
    (query, file, who) => post(`/imports?${query.includes("collection=") ? "" : "collection=people&"}${query}`, file, who),
    (query, file, who) => {
      const collection = /(?:^|&)collection=(\w+)&?/.exec(query)?.[1] ?? "people";
      return post(`/${collection}/import?${query.replace(/collection=\w+&?/, "")}`, file, who);
    },
  ];
  const side: ImportSide = {
    storage,
    tenant,
    send,
    now: now as ImportSide["now"],
    submit: submit as ImportSide["submit"],
    ended: (accepted, who) => endedJob((sent) => send(sent, who), typeof accepted === "string" ? accepted : jobOf(accepted)),
    async outcomeNow(query, file, who) {
      const answer = await side.now(query, file, who);
      if (answer.status === 200) return { code: undefined, row: undefined, ...shown(answer.json.result, answer.json.errors) };
      const { code, row, result, errors } = answer.json;
      return { code, row, ...(result === undefined ? { counts: undefined, errors: undefined } : shown(result, errors)) };
    },
    async outcomeLater(query, file, who) {
      const accepted = await side.submit(query, file, who);
      if (accepted.status !== 202) return { code: accepted.json.code, row: undefined, counts: undefined, errors: undefined };
      const { error, document } = await side.ended(accepted, who);
      const report = await send({ target: `${jobOf(accepted)}/errors`, headers: { accept: "application/json" } }, who);
      const { code, row } = { code: undefined, row: undefined, ...(error ?? {}) };
      return { code, row, ...shown(document["result"] as Counts, report.json.errors) };
    },
    async seed(collection, ...rows) {
      const answer = await send({ method: "POST", target: `/${collection}/batch`, body: { items: rows } }, "admin");
      if (answer.status !== 200) throw new Error(answer.text);
    },
    async rows(collection = "people") {
      const answer = await send({ target: `/${collection}?fields=*&perPage=100&count=none&sort=id` }, "admin");
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json.data.map(({ id, createdAt, updatedAt: _, ...row }: Record<string, unknown>) => ({
        ...(collection === "people" ? {} : { id }),
        ...(String(createdAt).startsWith("2001") ? { createdAt } : {}),
        ...row,
      }));
    },
  };
  return side;
}

/** A service that all tests of a block share; each test takes a tenant of its own. */
export function sharedImports(open: () => Promise<OpenedStore>, options: Partial<FullServiceOptions> = {}): () => ImportSide {
  let opened: OpenedStore;
  let service: Service;
  beforeAll(async () => {
    opened = await open();
    service = importService(opened.storage, options);
    await service.start();
  });
  afterAll(async () => {
    await service.close();
    await opened.end();
  });
  return () => importSide(service, opened.storage);
}

type Counts = Readonly<Record<"created" | "updated" | "skipped" | "failed", number>>;

interface ShownFault {
  readonly code: string;
  readonly field?: string;
}

function shown({ created, updated, skipped, failed }: Counts, errors: readonly { row: number; line: number; errors: readonly ShownFault[] }[]) {
  return {
    counts: [created, updated, skipped, failed],
    errors: errors.map(({ row, line, errors: faults }) => [
      row,
      line,
      ...faults.map(({ code, field }) => (field === undefined ? code : `${code} ${field}`)),
    ]),
  };
}
