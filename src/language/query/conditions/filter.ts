import type { FieldModel } from "../../schema/field.js";
import { emptyValue, type Faults, singleValueRequired, tooComplex } from "../fault.js";
import { acceptPattern, acceptValue, isTooLong } from "../grammar/accept.js";
import type { Group } from "../grammar/collect.js";
import type { Decode } from "../grammar/decode.js";
import { overRelation } from "../grammar/related.js";
import type { FilterTree } from "../grammar/tree.js";
import type { Parsing } from "../parsing.js";
import { invalidPresence } from "../values/invalid.js";
import { type ConditionValue, parseBoolean, parseValue, withoutFormat } from "../values/value.js";
import { conditionOf } from "./condition.js";
import { holdsText, type OperatorTaking, takes } from "./operator.js";

/**
 * The condition of one field and operator of a query string.
 *
 * Faults are collected; the result is then `undefined`.
 */
export function parseGroup(group: Group, decode: Decode, parsing: Parsing): FilterTree | undefined {
  const { field, operator, place } = group;
  const { gate, settings, faults } = parsing;
  const { limits } = settings;
  const before = faults.length;
  const given = textsOf(group, decode, faults);
  const inList = given.length > 1;
  const texts = inList ? [...new Set(given)] : given;
  if (texts.length > limits.listValues) faults.push(tooComplex(`Values of "${field.key}"`, texts.length, limits.listValues, place));
  if (faults.length > before) return undefined;
  const [first = ""] = texts;
  if (takes(operator, "pattern")) return acceptPattern({ field, operator, place }, first, limits, faults);
  if (takes(operator, "presence")) return parsePresence(group, operator, first, faults);
  const secret = gate(field.root, "read") !== "allowed";
  const values: ConditionValue[] = [];
  for (const text of texts) {
    const value = parseOne(group, text, { inList, secret }, parsing);
    if (value !== undefined) values.push(value);
  }
  return faults.length > before ? undefined : overRelation(field, operator, conditionOf(field, operator, values));
}

function textsOf(group: Group, decode: Decode, faults: Faults): string[] {
  const texts: string[] = [];
  for (const part of group.parts) takeTexts(group, part, decode, texts, faults);
  return texts;
}

/**
 * Text may contain an encoded comma, so its lists are split before decoding; in every other type a comma always separates. Many clients encode each comma that they send:
 * after the operator of a list, an encoded one separates too if the request has nothing else that does.
 */
function takeTexts(
  { field, operator, place, parts }: Group,
  { raw, reading }: Group["parts"][number],
  decode: Decode,
  texts: string[],
  faults: Faults,
): void {
  const text = decode(raw);
  if (reading === "item" || !text.includes(",")) {
    texts.push(text);
    return;
  }
  const isText = holdsText(field.leaf);
  const isSplit = raw.includes(",");
  if (isText && !isSplit && !(takes(operator, "alternatives", "every") && parts.length === 1)) texts.push(text);
  else if (reading === "one") faults.push(singleValueRequired(operator, field, place, isText ? "a comma inside a value is written %2C" : undefined));
  else texts.push(...(isText && isSplit ? raw.split(",").map(decode) : text.split(",")));
}

function parsePresence({ field, place }: Group, operator: OperatorTaking<"presence">, text: string, faults: Faults): FilterTree | undefined {
  const parsed = parseBoolean(text);
  if ("value" in parsed) return overRelation(field, operator, conditionOf(field, operator, parsed.value === true));
  faults.push(text === "" ? emptyValue(field.key, place) : invalidPresence(field, text, place));
  return undefined;
}

interface TextRule {
  /** An empty text between commas is a mistake. */
  readonly inList: boolean;
  /** The principal may not read the field: a fault does not repeat the text. */
  readonly secret: boolean;
}

function parseOne(group: Group, text: string, { inList, secret }: TextRule, { settings, faults }: Parsing): ConditionValue | undefined {
  const { field, operator, place } = group;
  const { leaf } = field;
  if (text === "" && (inList || !holdsText(leaf))) {
    faults.push(emptyValue(field.key, place));
    return undefined;
  }
  if (isTooLong(field, text, settings.limits, place, faults)) return undefined;
  const parsed = parseValue(takes(operator, "bound") ? withoutFormat(leaf) : leaf, text, settings.readDay);
  const hint = "expected" in parsed && mayLackPlus(leaf, text) ? "a plus sign in a query is written %2B" : undefined;
  return acceptValue({ field, place, got: secret ? undefined : text, hint }, parsed, faults);
}

/** A `+` that was not encoded has become a space, which none of these has. */
function mayLackPlus({ kind }: FieldModel, text: string): boolean {
  return text.includes(" ") && (kind === "text" || kind === "uuid" || kind === "datetime");
}
