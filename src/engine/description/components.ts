import { ConfigurationError } from "../../ground/problem/index.js";
import type { JsonSchema } from "../operation/description.js";

/** The kinds of parts that a document shares. */
export type ComponentKind = "schemas" | "parameters" | "headers" | "examples" | "requestBodies" | "responses";

export interface Reference {
  readonly $ref: string;
}

/** The kinds of parts that operations may also have in place. */
type SharedKind = "parameters" | "requestBodies" | "responses";

interface SharedPart {
  readonly kind: SharedKind;
  readonly base: string;
  readonly value: object;
  readonly text: string;
  /** Where it occurs. */
  readonly places: object[];
}

/** The parts that the operations of a document share. A part stands in the document if and only if something refers to it. */
export class Components {
  readonly #parts = new Map<ComponentKind, Map<string, unknown>>();
  readonly #shared = new Map<string, SharedPart>();
  readonly #known = new WeakMap<object, SharedPart>();
  readonly #numbers = new Map<string, Reference>();
  readonly #clashes = new Set<string>();
  readonly #made = new WeakMap<object, Map<string, unknown>>();
  readonly #isTaken: (name: string) => boolean;

  /** @param isTaken whether a name is that of a schema of a collection */
  constructor(isTaken: (name: string) => boolean = () => false) {
    this.#isTaken = isTaken;
  }

  /** What is made of an object once for the whole document. */
  once<T>(of: object, what: string, make: () => T): T {
    const known = this.#made.get(of) ?? new Map<string, unknown>();
    this.#made.set(of, known);
    if (!known.has(what)) known.set(what, make());
    return known.get(what) as T;
  }

  /**
   * A part with its own name.
   *
   * @param make called once; it may refer to the part itself
   */
  ref(kind: ComponentKind, name: string, make: () => unknown): Reference {
    const parts = this.#of(kind);
    if (!parts.has(name)) {
      // Reserves the name, and its place in the order, for parts that refer to themselves.
      parts.set(name, undefined);
      parts.set(name, make());
    }
    return reference(kind, name);
  }

  /** A schema of the library itself: the collections choose their names first, so `Problem` is `ApiProblem` beside a collection `problems`. */
  own(name: string, make: () => unknown): Reference {
    return this.#isTaken(name) ? this.own(`Api${name}`, make) : this.ref("schemas", name, make);
  }

  /** A schema with a name that only it may have: {@link complete} refuses two. */
  named(name: string, value: unknown): Reference {
    const known = this.#of("schemas").get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(value)) this.#clashes.add(name);
    return this.ref("schemas", name, () => value);
  }

  /** What a reference to a schema leads to; a schema that is none is returned as it is. */
  readonly resolve = (schema: JsonSchema = {}): JsonSchema => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema["$ref"]))?.[1];
    if (name === undefined) return schema;
    const { $ref: _, ...beside } = schema;
    return { ...(this.#of("schemas").get(name) as JsonSchema | undefined), ...beside };
  };

  /** A schema that is recognised by its content: equal ones are one, and different ones are numbered. */
  numbered(base: string, value: JsonSchema): Reference {
    return this.#numbered("schemas", base, value, JSON.stringify(value));
  }

  /**
   * A part that is recognised by its content. What is returned becomes a reference, or the part itself if nothing else has it: see {@link complete}.
   *
   * @param base of its name, which is numbered if different parts have it
   */
  shared(kind: SharedKind, base: string, value: object): object {
    let part = this.#known.get(value);
    if (part === undefined) {
      const text = JSON.stringify(value);
      part = this.#shared.get(`${kind} ${text}`) ?? { kind, base, value, text, places: [] };
      this.#shared.set(`${kind} ${text}`, part);
      this.#known.set(value, part);
    }
    const place = {};
    part.places.push(place);
    return place;
  }

  /**
   * Puts each shared part in its place, when all are known: a part that occurs once stands there, and others have a name.
   *
   * @throws {ConfigurationError} for names that two schemas have, all of them at once
   */
  complete(): void {
    if (this.#clashes.size > 0) {
      const names = [...this.#clashes].map((name) => `"${name}"`).join(", ");
      throw new ConfigurationError(`openapi: two different schemas are called ${names}; give one of them another name.`);
    }
    for (const { kind, base, value, text, places } of this.#shared.values()) {
      const written = places.length === 1 ? value : this.#numbered(kind, base, value, text);
      for (const place of places) Object.assign(place, written);
    }
  }

  /** All parts, as `components` of the document. */
  toJSON(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    const filled = [...this.#parts].filter(([, parts]) => parts.size > 0);
    return Object.fromEntries(filled.map(([kind, parts]) => [kind, Object.fromEntries(parts)]));
  }

  #numbered(kind: ComponentKind, base: string, value: object, text: string): Reference {
    const key = `${kind} ${text}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const taken = this.#of(kind);
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    taken.set(name, value);
    const made = reference(kind, name);
    this.#numbers.set(key, made);
    return made;
  }

  #of(kind: ComponentKind): Map<string, unknown> {
    let parts = this.#parts.get(kind);
    if (parts === undefined) {
      parts = new Map();
      this.#parts.set(kind, parts);
    }
    return parts;
  }
}

function reference(kind: ComponentKind, name: string): Reference & JsonSchema {
  return { $ref: `#/components/${kind}/${name}` };
}
