import { ConfigurationError } from "../../ground/problem/index.js";
import { singular } from "../../language/schema/singular.js";

/** What the schemas of a collection are called after its own name. */
const kinds = ["", "Listed", "List", "Create", "Replace", "Patch", "FieldName", "PresentField", "SortKey"];

/** The names of the schemas of collections: `User` for `users`. */
export class SchemaNames {
  readonly #names = new Map<string, string>();
  /** The names that are schemas of a collection, with the collection. */
  readonly #owners = new Map<string, string>();

  /**
   * @param given names by collection, where the singular is another
   * @throws {ConfigurationError} for collections whose schemas would have one name, all of them at once
   */
  constructor(collections: Iterable<string>, given: Readonly<Record<string, string>>) {
    /** One of each two collections. */
    const clashes = new Map<string, string>();
    for (const collection of collections) {
      const base = Object.hasOwn(given, collection) ? (given[collection] ?? "") : pascalCase(singular(collection));
      for (const kind of kinds) {
        const name = base + kind;
        const owner = this.#owners.get(name);
        const pair = `"${owner}" and "${collection}"`;
        if (owner === undefined) this.#owners.set(name, collection);
        else if (!clashes.has(pair)) clashes.set(pair, name);
      }
      this.#names.set(collection, base);
    }
    if (clashes.size > 0) {
      const told = [...clashes].map(([pair, name]) => `of ${pair} would both be called "${name}"`);
      throw new ConfigurationError(`openapi: the schemas ${told.join(", and those ")}; give one of them another name with "names".`);
    }
  }

  /** Whether a schema of a collection has the name. */
  readonly isTaken = (name: string): boolean => this.#owners.has(name);

  of(collection: string): string {
    return this.#names.get(collection) ?? pascalCase(singular(collection));
  }
}

/** `order-lines` → `OrderLines`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** `order-lines` → `orderLines`. */
export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}
