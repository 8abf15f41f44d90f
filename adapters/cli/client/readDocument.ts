import { readFile } from "node:fs/promises";
import { z } from "zod";
import { CommandError } from "../commandError.js";
import { readText, sendRequest } from "../request/sendRequest.js";
import type { Session } from "../request/session.js";

const schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
const names = z.array(z.string());

/** What the command reads of a collection; see `components["x-restwright-collections"]` in docs/openapi.md. */
const collection = z.object({
  schema: z.string(),
  operations: names,
  id: names,
  views: z.object({ full: names, compact: names }),
  optional: names,
  files: names.default([]),
  restricted: names,
  relations: z.record(z.string(), z.object({ collection: z.string(), many: z.boolean() })),
  actions: z.record(z.string(), z.enum(["row", "collection"])),
  events: names,
  filter: z.record(z.string(), z.unknown()).default({}),
  sort: names.default([]),
});

const document = z.object({
  info: z.object({ title: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ "x-restwright-collections": z.record(z.string(), collection), schemas: z.record(z.string(), schema).default({}) }),
});

/** A document of `openapi()`, as far as the command reads it. */
export type ServiceDocument = z.output<typeof document>;

/** What a document says of a collection. */
export type DocumentedCollection = z.output<typeof collection>;

/** Fetches a document. @throws {CommandError} */
export async function fetchDocument(session: Session, url: URL): Promise<ServiceDocument> {
  const response = await sendRequest(session, url, { headers: { accept: "application/json" } });
  return parseDocument(await readText(session, url, response), url.href);
}

/** Reads a document from a file. @throws {CommandError} */
export async function readDocumentFile(file: string): Promise<ServiceDocument> {
  return parseDocument(await readFile(file, "utf8"), file);
}

function parseDocument(text: string, place: string): ServiceDocument {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`"${place}" is not JSON.`, { cause: error });
  }
  return checkDocument(json, place);
}

/** @throws {CommandError} if it is not a document of `openapi()` */
export function checkDocument(json: unknown, place: string): ServiceDocument {
  const { data, error } = document.safeParse(json);
  if (data !== undefined) return data;
  const path = error.issues[0]?.path.join(".") ?? "";
  throw new CommandError(`"${place}" is not an OpenAPI document of a restwright service of this version: "${path}" is missing or invalid.`);
}
