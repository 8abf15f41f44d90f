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

/** Reads a document and decides what is on which page. */
export function openBook(spec: Spec): Book {
  const tags = readTags(spec);
  const isSplit = tags.reduce((count, { operations }) => count + operations.length, 0) > maxOnOnePage;
  return {
    spec,
    tags,
    webhooks: readWebhooks(spec),
    isSplit,
    pageOfSchema: isSplit ? placeSchemas(spec, tags) : new Map(namesOf(spec).map((name) => [name, ""])),
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
function placeSchemas(spec: Spec, tags: readonly ShownTag[]): Book["pageOfSchema"] {
  const usersOf = new Map<string, Set<string>>();
  for (const { name, operations } of tags) {
    for (const schema of reachedFrom(spec, operations)) {
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

/** The names of the schemas that values refer to, also through one another. */
function reachedFrom({ components }: Spec, values: unknown): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting: unknown[] = [values];
  for (let value = waiting.pop(); value !== undefined || waiting.length > 0; value = waiting.pop()) {
    if (typeof value === "object" && value !== null) waiting.push(...Object.values(value));
    if (typeof value !== "string" || !value.startsWith("#/components/")) continue;
    const [, , kind = "", name = ""] = value.split("/");
    const key = `${kind}/${name}`;
    if (reached.has(key)) continue;
    reached.add(key);
    waiting.push(components?.[kind]?.[name]);
  }
  return new Set([...reached].filter((key) => key.startsWith("schemas/")).map((key) => key.slice("schemas/".length)));
}
