import { mapInTurns, turnIsOver, yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { readTags, readWebhooks, type ShownOperation, type ShownTag } from "./operations.js";
import type { Spec } from "./spec.js";

/** Documents with more operations have a page for each tag. */
const maxOnOnePage = 40;

/** One page: `""` is the first one, `reference` has what all tags share. */
export type PageName = "" | "reference" | `tags/${string}`;

/** A document, prepared for its pages. */
export interface Book {
  readonly spec: Spec;
  readonly tags: readonly ShownTag[];
  readonly webhooks: readonly ShownOperation[];
  /** Whether there is a page for each tag; otherwise everything is on the first. */
  readonly isSplit: boolean;
  /** Where each schema is shown. */
  readonly pageOfSchema: ReadonlyMap<string, PageName>;
}

/**
 * Reads a document and decides what is on which page, in turns of the event loop.
 *
 * @param text the document as JSON
 */
export async function openBook(text: string): Promise<Book> {
  // Parsing a large document takes a turn of its own.
  await yieldToEventLoop();
  const spec = JSON.parse(text) as Spec;
  await yieldToEventLoop();
  const tags = await readTags(spec);
  const isSplit = tags.reduce((count, { operations }) => count + operations.length, 0) > maxOnOnePage;
  return {
    spec,
    tags,
    webhooks: readWebhooks(spec),
    isSplit,
    pageOfSchema: isSplit ? await placeSchemas(spec, tags) : new Map(namesOf(spec).map((name) => [name, ""])),
  };
}

/** Whether a document has a page of this name. */
export function hasPage({ isSplit, tags }: Book, page: PageName): boolean {
  return page === "" || (isSplit && (page === "reference" || tags.some(({ name }) => page === `tags/${name}`)));
}

/** The page on which an operation is shown. */
export function pageOfTag({ isSplit }: Book, tag: string): PageName {
  return isSplit ? `tags/${tag}` : "";
}

const namesOf = ({ components }: Spec) => Object.keys(components?.schemas ?? {});

/** A schema that one tag alone uses is shown with it, all others on the page that they share. */
async function placeSchemas(spec: Spec, tags: readonly ShownTag[]): Promise<Book["pageOfSchema"]> {
  const usersOf = new Map<string, Set<string>>();
  const reachedFrom = schemasReached(spec);
  for (const { name, operations } of tags) {
    for (const schema of await reachedFrom(operations)) {
      const users = usersOf.get(schema) ?? new Set();
      usersOf.set(schema, users.add(name));
    }
  }
  return new Map(
    namesOf(spec).map((schema): [string, PageName] => {
      const [tag, ...others] = usersOf.get(schema) ?? [];
      return [schema, tag !== undefined && others.length === 0 ? `tags/${tag}` : "reference"];
    }),
  );
}

/** Finds the names of the schemas that operations refer to, also through one another. Each part of the document is searched once for all operations. */
function schemasReached({ components }: Spec): (operations: readonly ShownOperation[]) => Promise<readonly string[]> {
  const known = new Map<unknown, ReadonlySet<string>>();
  const referencesOf = (value: unknown) => {
    const references = known.get(value) ?? referencesIn(value);
    known.set(value, references);
    return references;
  };
  return async (operations) => {
    const reached = new Set<string>();
    const reach = (value: unknown) => {
      for (const next of referencesOf(value)) reached.add(next);
    };
    await mapInTurns(operations, ({ parameters, body, answers }) => [...parameters, body, ...answers.map(([, answer]) => answer)].forEach(reach));
    // A set that grows while it is walked is walked to its new end.
    for (const part of reached) {
      const [kind = "", name = ""] = part.split("/");
      reach(components?.[kind]?.[name]);
      if (turnIsOver()) await yieldToEventLoop();
    }
    return [...reached].filter((part) => part.startsWith("schemas/")).map((part) => part.slice("schemas/".length));
  };
}

/** The parts that a value refers to itself, as `schemas/User`. */
function referencesIn(values: unknown): Set<string> {
  const references = new Set<string>();
  const waiting: unknown[] = [values];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "object" && value !== null) waiting.push(...Object.values(value));
    else if (typeof value === "string" && value.startsWith("#/components/")) references.add(value.split("/").slice(2, 4).join("/"));
  }
  return references;
}
