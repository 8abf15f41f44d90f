import type { Context } from "../../../engine/operation/context.js";
import { type Faults, repeatedParameter } from "../../../language/query/fault.js";
import { decoderOf } from "../../../language/query/grammar/decode.js";
import { eachParameter } from "../../../language/query/grammar/parameters.js";
import { refuseFaults } from "../../../language/query/grammar/parse.js";
import { unknownParameter } from "../../../language/query/grammar/unknownParameter.js";

/** Parses the value of a parameter, `undefined` if it is missing. Adds its faults to the list. */
export type ReadParameter = (value: string | undefined, faults: Faults) => unknown;

/** The parsed parameters of a query. */
export type ReadParameters<Readers extends Readonly<Record<string, ReadParameter>>> = { readonly [name in keyof Readers]: ReturnType<Readers[name]> };

/**
 * Parses the query of a request. Parameters without a parser are rejected.
 *
 * @throws {ProblemError} UNKNOWN_FIELD, REPEATED_PARAMETER, MALFORMED_QUERY, QUERY_TOO_COMPLEX, and the faults of the parsers
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
