import type { Context } from "../operation/context.js";
import { decoderOf } from "../query/decode.js";
import { cut, type Faults, quoted, repeatedParameter } from "../query/fault.js";
import { closest } from "../query/hint.js";
import { eachParameter } from "../query/parameters.js";
import { refuseFaults } from "../query/parse.js";

/** Reads the value of a parameter, `undefined` where it is not there; what is wrong with it goes to the faults. */
export type ReadParameter = (value: string | undefined, faults: Faults) => unknown;

/** What readers have made of a query. */
export type ReadParameters<Readers extends Readonly<Record<string, ReadParameter>>> = { readonly [name in keyof Readers]: ReturnType<Readers[name]> };

/**
 * Reads the query of a request; there are no parameters but those that have a reader.
 *
 * @throws {ProblemError} UNKNOWN_FIELD, REPEATED_PARAMETER, MALFORMED_QUERY, QUERY_TOO_COMPLEX, and what the readers say
 */
export function readParameters<const Readers extends Readonly<Record<string, ReadParameter>>>(
  { request: { query }, environment: { lists } }: Context,
  readers: Readers,
): ReadParameters<Readers> {
  const { limits, ignores } = lists.query;
  const known = Object.keys(readers);
  const decode = decoderOf(query);
  const faults: Faults = [];
  const values = new Map<string, string>();
  eachParameter(query, limits.parameters, decode, (key, value) => {
    if (!known.includes(key)) {
      if (!ignores(key)) faults.push(unknownParameter(key, known));
    } else if (values.has(key)) faults.push(repeatedParameter(key));
    else values.set(key, decode(value));
  });
  const read = Object.fromEntries(known.map((name) => [name, readers[name]?.(values.get(name), faults)]));
  refuseFaults(faults);
  return read as ReadParameters<Readers>;
}

function unknownParameter(name: string, allowed: readonly string[]): Faults[number] {
  const near = closest(name, allowed);
  const hint = near === undefined ? {} : { hint: `did you mean "${near}"` };
  return { code: "UNKNOWN_FIELD", detail: `Unknown parameter ${quoted(name)}.`, ...cut({ parameter: name }), allowed, ...hint };
}
