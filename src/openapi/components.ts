import type { JsonSchema } from "../operation/description.js";
import { ConfigurationError } from "../problem/index.js";

/** The kinds of parts that a document shares. */
export type ComponentKind = "schemas" | "parameters" | "headers" | "examples" | "requestBodies" | "responses";

export interface Reference {
  readonly $ref: string;
}

/** The parts that the operations of a document share. A part stands in the document if and only if something refers to it. */
export class Components {
  readonly #parts = new Map<ComponentKind, Map<string, unknown>>();
  readonly #shared = new Map<string, string>();
  readonly #names = new WeakMap<object, string>();
  readonly #keyed = new Map<string, Reference>();
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

  /** A part with a name that only it may have. @throws {ConfigurationError} if another part has the name */
  named(kind: ComponentKind, name: string, value: unknown): Reference {
    const known = this.#of(kind).get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(value)) {
      throw new ConfigurationError(`openapi: two different schemas are called "${name}"; give one of them another name.`);
    }
    return this.ref(kind, name, () => value);
  }

  /** A part that is recognised by its content: equal parts are one, and different ones are numbered. */
  shared(kind: ComponentKind, base: string, value: object): Reference {
    const same = this.#names.get(value);
    if (same !== undefined) return reference(kind, same);
    const key = `${kind} ${JSON.stringify(value)}`;
    let name = this.#shared.get(key);
    if (name === undefined) {
      const taken = this.#of(kind);
      name = base;
      for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
      this.#shared.set(key, name);
      taken.set(name, value);
    }
    this.#names.set(value, name);
    return reference(kind, name);
  }

  /** Like {@link shared}, with a key of the content: for a known key the part is not made and compared again. */
  keyed(kind: ComponentKind, base: string, content: string, make: () => object): Reference {
    const key = `${kind} ${base} ${content}`;
    const known = this.#keyed.get(key) ?? this.shared(kind, base, make());
    this.#keyed.set(key, known);
    return known;
  }

  /** All parts, as `components` of the document. */
  toJSON(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    const filled = [...this.#parts].filter(([, parts]) => parts.size > 0);
    return Object.fromEntries(filled.map(([kind, parts]) => [kind, Object.fromEntries(parts)]));
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
