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
type Maker<Made> = (source: Source) => Made;

/** After so many objects a maker is compiled: compiling takes as long as making some hundred objects in a loop. */
const compiledAfter = 64;

/**
 * Returns a function that makes objects with the given members, in their order, from the values of another object or of an array. Missing ones are null.
 *
 * An object that is filled in a loop soon becomes a dictionary, which takes four times as long to make, read and write as JSON. An object literal does not, so the
 * function is compiled to one, where the process allows it.
 */
export function objectMaker(members: readonly MadeMember[]): Maker<Record<string, unknown>> {
  const looped = (source: Source) => {
    const object: Record<string, unknown> = {};
    for (const member of members) object[member.name] = valueIn(source, member);
    return object;
  };
  return compiledLater(
    looped,
    members,
    (values) => `({ ${values.map((value, index) => `${JSON.stringify(members[index]?.name)}: ${value}`).join()} })`,
  );
}

/** Returns a function that makes lists of the same values as the objects of {@link objectMaker} have. */
export function listMaker(members: readonly MadeMember[]): Maker<unknown[]> {
  return compiledLater(
    (source) => members.map((member) => valueIn(source, member)),
    members,
    (values) => `[${values.join()}]`,
  );
}

function compiledLater<Made>(looped: Maker<Made>, members: readonly MadeMember[], write: (values: readonly string[]) => string): Maker<Made> {
  let made = 0;
  let make = looped;
  return (source) => {
    if (++made === compiledAfter) make = compiled(members, write) ?? make;
    return make(source);
  };
}

function valueIn(source: Source, { name, key, convert }: MadeMember): unknown {
  const place = key ?? name;
  const value = isInherited(place) && !Object.hasOwn(source, place) ? null : ((source as Readonly<Record<string | number, unknown>>)[place] ?? null);
  return value === null || convert === undefined ? value : convert(value);
}

/** Whether objects have a value of this name that is not theirs. */
function isInherited(key: string | number): boolean {
  return key in Object.prototype;
}

/** @returns `undefined` in a process that compiles no text (`--disallow-code-generation-from-strings`) */
function compiled<Made>(members: readonly MadeMember[], write: (values: readonly string[]) => string): Maker<Made> | undefined {
  const values = members.map(({ name, key, convert }, index) => {
    const place = key ?? name;
    const text = JSON.stringify(place);
    const value = isInherited(place) ? `(Object.hasOwn(source, ${text}) ? source[${text}] : null) ?? null` : `source[${text}] ?? null`;
    return convert === undefined ? value : `(value = ${value}) === null ? null : members[${index}].convert(value)`;
  });
  try {
    return new Function("members", `"use strict"; let value; return (source) => ${write(values)}`)(members) as Maker<Made>;
  } catch {
    return undefined;
  }
}
