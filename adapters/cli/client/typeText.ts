import { CommandError } from "../commandError.js";

/** A JSON Schema as documents have it. */
export type Schema = Readonly<Record<string, unknown>> | boolean;

/** Returns the part of a document that a reference names. @throws {CommandError} if it does not exist */
export type Resolve = (reference: string) => Schema;

/** What `openapi()` writes of a bigint. */
const bigintPattern = "^-?(0|[1-9][0-9]*)$";

/** Writes the TypeScript types of JSON Schemas. Schemas that others refer to become named types. */
export class TypeTexts {
  readonly #resolve: Resolve;
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;
  readonly #named = new Map<string, string>();

  /** @param taken names that types must not have */
  constructor(resolve: Resolve, taken: Iterable<string>) {
    this.#resolve = resolve;
    this.#taken = new Set(taken);
  }

  /** The named types, in the order in which they were needed. */
  get named(): ReadonlyMap<string, string> {
    return this.#named;
  }

  /** A text of a date is a `Date` and one of a bigint a `bigint`: the client's types make of them what requests take, and what answers have. */
  of(schema: Schema): string {
    if (typeof schema === "boolean") return schema ? "unknown" : "never";
    if (typeof schema["$ref"] === "string") return this.#nameOf(schema["$ref"]);
    if ("const" in schema) return literal(schema["const"]);
    if (Array.isArray(schema["enum"])) return union(schema["enum"].map(literal));
    const choices = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(choices)) return union(choices.map((choice) => this.of(choice as Schema)));
    if (Array.isArray(schema["allOf"]) && schema["type"] === undefined) {
      return schema["allOf"].map((part) => inBrackets(this.of(part as Schema))).join(" & ");
    }
    const { type } = schema;
    return Array.isArray(type) ? union(type.map((each) => this.#ofType(String(each), schema))) : this.#ofType(String(type), schema);
  }

  /** An object type with the members of `properties`. */
  object(properties: Readonly<Record<string, Schema>>, required: readonly string[]): string {
    const members = Object.entries(properties).map(([name, schema]) => {
      const type = this.of(schema);
      return required.includes(name) ? `${key(name)}: ${type}` : `${key(name)}?: ${union([type, "undefined"])}`;
    });
    return `{ ${members.join("; ")} }`;
  }

  #ofType(type: string, schema: Readonly<Record<string, unknown>>): string {
    switch (type) {
      case "string":
        return schema["format"] === "date-time" ? "Date" : schema["pattern"] === bigintPattern ? "bigint" : "string";
      case "integer":
        return "number";
      case "number":
      case "boolean":
      case "null":
        return type;
      case "array":
        return this.#array(schema);
      case "object":
        return this.#object(schema);
      default:
        return "unknown";
    }
  }

  #array({ items, prefixItems }: Readonly<Record<string, unknown>>): string {
    const rest = items === undefined ? "unknown[]" : `${inBrackets(this.of(items as Schema))}[]`;
    if (!Array.isArray(prefixItems)) return rest;
    const parts = prefixItems.map((part) => this.of(part as Schema));
    return `[${[...parts, ...(items === undefined || items === false ? [] : [`...${rest}`])].join(", ")}]`;
  }

  #object({ properties = {}, required = [], additionalProperties = false }: Readonly<Record<string, unknown>>): string {
    const isEmpty = Object.keys(properties as object).length === 0;
    const others = additionalProperties === false ? undefined : `{ [member: string]: ${this.of(additionalProperties as Schema)} }`;
    if (isEmpty) return others ?? "{ [member: string]: unknown }";
    const known = this.object(properties as Readonly<Record<string, Schema>>, required as readonly string[]);
    return others === undefined ? known : `${known} & { [member: string]: unknown }`;
  }

  #nameOf(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const name = freeName(reference.slice(reference.lastIndexOf("/") + 1), this.#taken);
    this.#names.set(reference, name);
    // Reserves the place in the order for a type that refers to itself.
    this.#named.set(name, "unknown");
    this.#named.set(name, this.of(this.#resolve(reference)));
    return name;
  }
}

/** A name like `base` that is not taken yet; takes it. */
export function freeName(base: string, taken: Set<string>): string {
  const plain = base.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? "").replace(/^(?=\d|$)/, "Type");
  let name = plain;
  for (let count = 2; taken.has(name); count++) name = `${plain}${count}`;
  taken.add(name);
  return name;
}

/** A union of types, each once; `never` of none. */
export function union(types: readonly string[]): string {
  return types.length === 0 ? "never" : [...new Set(types)].join(" | ");
}

/** A value of JSON as a type. Separators of lines are escaped, so that no text ends a line of the file. */
export function literal(value: unknown): string {
  if (typeof value === "object" && value !== null) throw new CommandError(`The value ${JSON.stringify(value)} cannot be written as a type.`);
  return JSON.stringify(value).replaceAll(
    /[\u2028\u2029\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The name of a member, quoted if it has to be. */
export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function inBrackets(type: string): string {
  return /[|&]/.test(type) ? `(${type})` : type;
}
