import { setTimeout as sleep } from "node:timers/promises";
import type { Routed, Stage, WireAnswer, WireRequest } from "./stage.js";

/** A request without its method and target. */
type Content = Omit<WireRequest, "method" | "target"> & { readonly query?: string };

const json = (value: unknown, headers: Readonly<Record<string, string>> = {}): Content => ({
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});
const nothing: Content = { headers: {} };
const csv = { headers: { "content-type": "text/csv" }, body: 'name,tags,address.city\r\nAda,"[""a""]",Turin\r\n' };
const tus = { "tus-resumable": "1.0.0" };

/** A form with a field and a file. */
const form = [
  '--b\r\ncontent-disposition: form-data; name="title"\r\n\r\nhello\r\n',
  '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nhello\r\n--b--\r\n',
].join("");

let counter = 0;

/** New with every call, for what must be unique. */
const unique = () => `n${++counter}`;

/** What a request to one row, or to a collection, sends: by the last part of the operation's name. */
const ofCollections: Readonly<Record<string, (stage: Stage, collection: string, isBelow: boolean) => Content | Promise<Content>>> = {
  list: () => ({ headers: { accept: "application/json", prefer: "count=exact", "if-none-match": '"a"' }, query: "sort=id&perPage=2" }),
  query: (_, collection) => json({ filter: { id: { in: collection === "people" ? [1, 2] : ["a"] } }, fields: ["id"] }),
  create: (_, collection, isBelow) =>
    json(isBelow ? { id: unique(), text: "a" } : rowOf(collection), {
      "idempotency-key": `key-of-request-${unique()}`,
      prefer: "return=representation",
    }),
  read: () => ({ headers: { accept: "application/json", "if-none-match": '"a", W/"b"' } }),
  replace: (_, collection, isBelow) =>
    json(collection === "people" ? rowOf(collection) : { text: "b", ...(isBelow ? {} : { personId: 1 }) }, { "if-match": "*" }),
  update: (_, collection) =>
    json(collection === "people" ? { name: "Eve" } : { text: "b" }, { "content-type": "application/merge-patch+json", prefer: "return=minimal" }),
  remove: () => ({ headers: { "if-match": "*" } }),
  removeMany: async (stage, collection) => json({ ids: [await idOf(stage, collection)] }),
  batchCreate: (_, collection) => json({ items: [rowOf(collection), rowOf(collection)] }, { prefer: "handling=lenient" }),
  batchUpdate: async (stage, collection) => json({ items: [{ id: await idOf(stage, collection), changes: changesOf(collection) }] }),
  batchRemove: async (stage, collection) => json({ ids: [await idOf(stage, collection)] }),
  bulkUpdate: async (stage, collection) => ({ ...json(changesOf(collection)), query: `id=${await idOf(stage, collection)}` }),
  import: (_, collection) => (collection === "people" ? csv : { ...csv, body: `id,personId,text\r\n${unique()},1,a\r\n` }),
  export: () => ({ headers: { accept: "text/csv" }, query: "sort=id" }),
};

/** What other operations send. */
const others: Readonly<Record<string, (stage: Stage) => Content | Promise<Content>>> = {
  "searches.create": () => json({ collection: "people", filter: { name: { like: "A*" } }, sort: ["name"] }),
  "batch.create": () => json({ operations: [{ id: "a", method: "POST", path: "/people", body: rowOf("people") }] }),
  "batches.read": () => ({ headers: { accept: "application/json" } }),
  "batches.remove": () => nothing,
  "batches.cancel": () => nothing,
  "imports.create": () => ({ ...csv, query: "collection=people&onError=continue" }),
  "jobs.import": () => ({ ...csv, query: "collection=people&mode=insert" }),
  "imports.read": () => ({ headers: { accept: "application/json" } }),
  "imports.remove": () => nothing,
  "imports.cancel": () => nothing,
  "imports.resume": () => nothing,
  "imports.errors": () => ({ headers: { accept: "text/csv" } }),
  "exports.create": () => json({ collection: "people", format: "csv" }),
  "exports.read": () => nothing,
  "exports.remove": () => nothing,
  "exports.cancel": () => nothing,
  "exports.download": () => ({ headers: { range: "bytes=0-3" } }),
  "uploads.create": () => ({ headers: { ...tus, "upload-length": "5", "upload-metadata": "filename YS50eHQ=,filetype dGV4dC9wbGFpbg==" } }),
  "uploads.read": () => nothing,
  "uploads.append": () => ({ headers: { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" }, body: "hel" }),
  "uploads.appendByPost": () => ({
    headers: { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream", "x-http-method-override": "PATCH" },
    body: "hel",
  }),
  "uploads.terminate": () => ({ headers: tus }),
  "uploads.presign": () => json({ filename: "a.txt", contentType: "text/plain", size: 5 }),
  "uploads.putDirect": () => ({ headers: { "content-type": "text/plain" }, body: "hello" }),
  "uploads.complete": () => nothing,
  "uploads.listParts": () => nothing,
  "uploads.signParts": () => json({ partNumbers: [1] }),
  "files.read": () => ({ headers: { range: "bytes=0-1", "if-range": '"a"' } }),
  "files.readPublic": () => nothing,
  "avatars.create": () => ({ headers: { "content-type": "multipart/form-data; boundary=b" }, body: form }),
  "webhooks.list": () => ({ headers: {}, query: "perPage=1" }),
  "webhooks.create": () => json(webhook()),
  "webhooks.read": () => nothing,
  "webhooks.update": () => json({ events: ["*"] }),
  "webhooks.remove": () => nothing,
  "webhooks.rotateSecret": () => json({ secret: "a secret with more than 24 letters" }),
  "webhooks.test": () => nothing,
  "webhooks.recover": () => json({ since: new Date(Date.now() - 3_600_000).toISOString() }),
  "webhooks.listDeliveries": () => nothing,
  "webhooks.readDelivery": () => nothing,
  "webhooks.replay": () => nothing,
  "jobs.read": () => nothing,
  "jobs.remove": () => nothing,
  "jobs.cancel": () => nothing,
  health: () => nothing,
  ready: () => nothing,
};

/** Operations whose request needs a store that memory is not: parts are sent to S3 directly. */
export const withoutSuccess: ReadonlySet<string> = new Set(["uploads.listParts", "uploads.signParts"]);

/** What a value of a variable segment names, by the segments before it. */
const ids: Readonly<Record<string, (stage: Stage, routed: Routed) => Promise<string>>> = {
  people: (stage) => idOf(stage, "people"),
  notes: (stage) => idOf(stage, "notes"),
  batches: (stage) => jobOf(stage, "/people/batch", json({ items: [rowOf("people")] }, { prefer: "respond-async" })),
  imports: (stage, { name }) =>
    name === "imports.resume" ? failedImport(stage) : jobOf(stage, "/imports?collection=people", csv, name === "imports.errors"),
  exports: (stage, { name }) => jobOf(stage, "/exports", json({ collection: "people" }), name === "exports.download"),
  jobs: async (stage) => jobOf(stage, `/webhooks/${await webhookOf(stage)}/recover`, json({ since: new Date(Date.now() - 3_600_000).toISOString() })),
  uploads: (stage, { name }) => uploadOf(stage, name),
  files: async (stage) => fileOf(await post(stage, "/uploads", { headers: { "content-type": "text/plain" }, body: "hello" }), "url"),
  public: async (stage) =>
    fileOf(await post(stage, "/avatars", { headers: { "content-type": "multipart/form-data; boundary=b" }, body: form }), "url"),
  direct: async (stage) =>
    fileOf(await post(stage, "/uploads/presign", json({ filename: "a.txt", contentType: "text/plain", size: 5 })), "uploadUrl"),
  webhooks: (stage) => webhookOf(stage),
};

/**
 * A request to an operation that succeeds, with whatever has to exist for it.
 *
 * @throws {Error} for an operation that this file does not know: say here how its request is made
 */
export async function happyRequest(stage: Stage, routed: Routed): Promise<WireRequest> {
  const { name, operation, segments } = routed;
  const [collection = "", ...rest] = name.split(".");
  const last = rest.at(-1) ?? "";
  const isCollection = collection === "people" || collection === "notes";
  await seed(stage);
  const target = await targetOf(stage, routed);
  const make = others[name] ?? (isCollection ? ofCollections[last] : undefined);
  if (make === undefined)
    throw new Error(
      `No request is known for the operation "${name}", ${operation.method} /${segments.join("/")}; add it to test/corpora/requests.ts.`,
    );
  const { query, ...content } = await make(stage, rest.length > 1 ? "notes" : collection, rest.length > 1);
  const joined = query === undefined ? target : `${target}${target.includes("?") ? "&" : "?"}${query}`;
  return { method: operation.method, target: joined, ...content };
}

const seeded = new WeakSet<Stage>();

/** The person to whom notes belong, with id 1. */
async function seed(stage: Stage): Promise<void> {
  if (seeded.has(stage)) return;
  seeded.add(stage);
  await post(stage, "/people", json(rowOf("people")));
}

async function targetOf(stage: Stage, routed: Routed): Promise<string> {
  const parts: string[] = [];
  let before = "";
  for (const segment of routed.segments) {
    if (segment !== null) {
      parts.push(segment);
      before = segment;
    } else if (before === "deliveries") {
      parts.push(await deliveryOf(stage, parts[1] ?? ""));
    } else if (before === "notes" && parts.length > 1) {
      parts.push(await noteOf(stage, parts[1] ?? ""));
    } else {
      parts.push((await ids[before]?.(stage, routed)) ?? "1");
    }
  }
  return `/${parts.join("/")}`;
}

function rowOf(collection: string): object {
  if (collection === "people") return { name: "Ada", email: `${unique()}@example.com`, tags: ["a"], address: { city: "Turin" } };
  return { id: unique(), personId: 1, text: "a" };
}

function changesOf(collection: string): object {
  return collection === "people" ? { name: "Eve" } : { text: "b" };
}

function webhook(): object {
  return { url: "https://hooks.example.com/a", events: ["person.*"], filter: { name: "Ada" } };
}

async function post(stage: Stage, target: string, content: Content): Promise<WireAnswer> {
  const answer = await stage.send({ method: "POST", target, ...content });
  if (answer.status >= 300) throw new Error(`POST ${target} was answered with ${answer.status}: ${answer.body.toString()}`);
  return answer;
}

const parsed = ({ body }: WireAnswer) => JSON.parse(body.toString());
const lastSegment = (text: unknown) => String(text).split("/").at(-1) ?? "";

async function idOf(stage: Stage, collection: string): Promise<string> {
  return String(parsed(await post(stage, `/${collection}`, json(rowOf(collection)))).id);
}

async function noteOf(stage: Stage, personId: string): Promise<string> {
  return String(parsed(await post(stage, "/notes", json({ id: unique(), personId: Number(personId), text: "a" }))).id);
}

async function webhookOf(stage: Stage): Promise<string> {
  return parsed(await post(stage, "/webhooks", json(webhook()))).id;
}

async function deliveryOf(stage: Stage, id: string): Promise<string> {
  return parsed(await post(stage, `/webhooks/${id}/test`, nothing)).deliveryId;
}

/** The address of a file below its path, with its signature if it has one. */
function fileOf(answer: WireAnswer, member: "url" | "uploadUrl"): string {
  return lastSegment(parsed(answer)[member]);
}

async function jobOf(stage: Stage, target: string, content: Content, mustEnd = false): Promise<string> {
  const { headers } = await post(stage, target, content);
  const location = String(headers["location"]);
  for (let attempt = 0; mustEnd && attempt < 500; attempt += 1) {
    const { status } = parsed(await stage.send({ method: "GET", target: location, headers: {} }));
    if (status === "completed" || status === "failed") break;
    await sleep(5);
  }
  return lastSegment(location);
}

/** An import that stops at its second row. */
function failedImport(stage: Stage): Promise<string> {
  return jobOf(stage, "/imports?collection=people&onError=stop", { ...csv, body: `name\r\nAda\r\n${"x".repeat(501)}\r\n` }, true);
}

async function uploadOf(stage: Stage, name: string): Promise<string> {
  if (name !== "uploads.complete")
    return lastSegment((await post(stage, "/uploads", { headers: { ...tus, "upload-length": "5" } })).headers["location"]);
  const { id, uploadUrl } = parsed(await post(stage, "/uploads/presign", json({ filename: "a.txt", contentType: "text/plain", size: 5 })));
  await stage.send({ method: "PUT", target: uploadUrl, headers: { "content-type": "text/plain" }, body: "hello" });
  return id;
}
