/** A member of the objects that a maker makes. */
export interface MadeMember {
  readonly name: string;
  /** The key of its value in the source, if it is not the name; the source may be an array. */
  readonly key?: number | undefined;
  /** Applied to values other than null and undefined. */
  readonly convert?: ((value: unknown) => unknown) | undefined;
}

/** An object, or an array whose elements the members name by `key`. */
type Source = Readonly<Record<string, unknown>> | readonly unknown[];
type Maker = (source: Source) => Record<string, unknown>;

/** After so many objects a maker is compiled: compiling takes as long as making some hundred objects in a loop. */
const compiledAfter = 64;

/**
 * Returns a function that makes objects with the given members, in their order, from the values of another object or of an array. Missing ones are null.
 *
 * An object that is filled in a loop soon becomes a dictionary, which takes four times as long to make, read and write as JSON. An object literal does not, so the
 * function is compiled to one, where the process allows it.
 */
export function objectMaker(members: readonly MadeMember[]): Maker {
  let made = 0;
  let make = looped(members);
  return (source) => {
    if (++made === compiledAfter) make = compiled(members) ?? make;
    return make(source);
  };
}

function looped(members: readonly MadeMember[]): Maker {
  return (source) => {
    const object: Record<string, unknown> = {};
    for (const { name, key = name, convert } of members) {
      const value = (source as Readonly<Record<string | number, unknown>>)[key] ?? null;
      object[name] = value === null || convert === undefined ? value : convert(value);
    }
    return object;
  };
}

/** @returns `undefined` in a process that compiles no text (`--disallow-code-generation-from-strings`) */
function compiled(members: readonly MadeMember[]): Maker | undefined {
  const parts = members.map(({ name, key = name, convert }, index) => {
    const value = `source[${JSON.stringify(key)}] ?? null`;
    return `${JSON.stringify(name)}: ${convert === undefined ? value : `(value = ${value}) === null ? null : members[${index}].convert(value)`}`;
  });
  try {
    return new Function("members", `"use strict"; let value; return (source) => ({ ${parts.join()} })`)(members) as Maker;
  } catch {
    return undefined;
  }
}
