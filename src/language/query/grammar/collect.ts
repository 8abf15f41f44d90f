import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import { quote } from "../../../ground/problem/quote.js";
import type { QueryField } from "../conditions/field.js";
import type { Operator } from "../conditions/operator.js";
import { type Faults, forbiddenField, operatorNotAllowed, repeatedParameter } from "../fault.js";
import type { Parsing } from "../parsing.js";
import { claimFor, type FilterKey } from "./claim.js";
import { type Decode, decoderOf } from "./decode.js";
import { eachParameter } from "./parameters.js";
import { unknownKey } from "./unknownKey.js";
import { isTypeKey, takeControl, takeType, type Words } from "./words.js";

/** One condition as written: a field, an operator, and all their values. */
export interface Group {
  readonly field: QueryField;
  readonly operator: Operator;
  /** The parameter name as the client first wrote it. */
  readonly place: FaultLocation & { readonly parameter: string };
  readonly parts: RawPart[];
}

/** A value, still encoded, and how to parse it. */
interface RawPart {
  readonly raw: string;
  readonly reading: FilterKey["reading"];
}

/** The parameters of a query, grouped by meaning. */
export interface Collected {
  readonly decode: Decode;
  readonly words: Readonly<Words>;
  readonly groups: readonly Group[];
}

/**
 * Splits the query string and looks every key up. The value of a key that is unknown to the principal is not read.
 *
 * @throws {ProblemError} MALFORMED_QUERY, QUERY_TOO_COMPLEX
 */
export function collectParameters(raw: string, parsing: Parsing): Collected {
  const { table, gate, settings, faults } = parsing;
  const words: Words = { controls: {}, types: undefined };
  const groups: Group[] = [];
  const decode = decoderOf(raw);
  eachParameter(raw, settings.limits.parameters, decode, (key, value) => {
    const parameter = table.keys.get(key);
    if (parameter?.kind === "control") return takeControl(words, parameter.name, decode(value), faults);
    const claim = claimFor(parameter, gate);
    if (claim !== undefined) {
      if (gate(claim.field.root, "filter") === "allowed") collectCondition(claim, key, value, groups, faults);
      else faults.push(forbiddenField(claim.field.key, "filter", { parameter: key }));
    } else if (isTypeKey(key)) takeType(words, key, decode(value));
    else if (!settings.ignores(key)) unknownKey(key, parsing);
  });
  return { decode, words, groups };
}

function collectCondition(
  { field, operator: named, reading, star }: FilterKey,
  parameter: string,
  raw: string,
  groups: Group[],
  faults: Faults,
): void {
  const isStar = star && raw === "*";
  const operator = isStar ? "exists" : named;
  const part: RawPart = isStar ? { raw: named === "eq" ? "true" : "false", reading: "one" } : { raw, reading };
  const place = { parameter };
  if (!field.operators.includes(operator)) {
    faults.push(operatorNotAllowed(operator, field, place));
    return;
  }
  const known = findGroup(groups, field, operator);
  if (known === undefined) groups.push({ field, operator, place, parts: [part] });
  // Repeated parameters form one list.
  else if (part.reading !== "one") known.parts.push(part);
  else {
    const first = known.place.parameter;
    const names = first === parameter ? quote(first) : `${quote(first)} and ${quote(parameter)}`;
    faults.push(repeatedParameter(parameter, `${names}: "${operator}" of "${field.key}" may be given once.`));
  }
}

function findGroup(groups: readonly Group[], field: QueryField, operator: Operator): Group | undefined {
  for (const group of groups) if (group.field === field && group.operator === operator) return group;
  return undefined;
}
