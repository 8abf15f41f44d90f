import { z } from "zod";
import { isObject } from "../../ground/http/isObject.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { isFinerThanRows } from "./dateTimeForm.js";
import { dateTimeText } from "./dateTimeText.js";
import type { FieldModel } from "./field.js";
import { undeclaredIn } from "./undeclared.js";
import { foldUuid } from "./uuid.js";
import { type Convert, compileWalk, same, type Walk, whole } from "./walk.js";

export type { Convert } from "./walk.js";

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i;
const decimalInteger = /^-?(?:0|[1-9]\d*)$/;

/**
 * The instant of an RFC 3339 date-time, with or without seconds; `undefined` if the text is not one.
 *
 * `Date.parse` alone accepts almost anything and turns 30 February into March; the pattern and the day check prevent that.
 */
export function parseDateTime(text: string): Date | undefined {
  if (text.length > 40 || !dateTime.test(text)) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return undefined;
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const year = date.getUTCFullYear();
  // An offset can move the instant out of the years that four digits can express.
  return day.getUTCDate() === Number(text.slice(8, 10)) && year >= 0 && year <= 9_999 ? date : undefined;
}

/**
 * Body value → zod input, if the two differ: `z.date()` reads date-time text, `z.bigint()` reads digits. `undefined` if no conversion is needed.
 * An invalid text stays unchanged, so that zod reports the fault.
 *
 * @param readDateTime {@link givenDateTime} for values that no row holds
 */
export function inputConverter(field: FieldModel, readDateTime = rowDateTime): Convert | undefined {
  return compileWalk(field, {
    convert(part) {
      if (part.readsDate) return (value) => readDate(value, part.nullable);
      if (part.kind === "datetime") return (value) => (typeof value === "string" ? readDateTime(part, value) : value);
      if (part.kind === "uuid") return foldUuid;
      return part.kind === "bigint" ? readBigInt : undefined;
    },
    choose: chooserOf,
  });
}

/** An alternative of a union, and how a value is tried as one. */
interface Alternative {
  readonly member: FieldModel;
  /** Leaves out what the alternative does not declare: a record by an enum would refuse it. */
  readonly declared: Convert | undefined;
  readonly toInput: Convert | undefined;
  /** The values of the members that tell the alternatives of a union apart. */
  readonly tags: readonly (readonly [name: string, values: ReadonlySet<unknown>])[];
}

/**
 * Compiles the choice of a union's alternative for a value as bodies and stored JSON have it: of those whose types accept the value, the first that declares most of its
 * members. If none accepts it, the only one that its discriminator allows, so that its faults are told.
 */
export function chooserOf(members: readonly FieldModel[]): Choose {
  const choose = choosers.get(members) ?? compileChooser(members);
  choosers.set(members, choose);
  return choose;
}

/** The part of a value that its type declares. */
export const onlyDeclared: Walk = {
  convert: () => undefined,
  choose: chooserOf,
  declaredOnly: true,
};

type Choose = (value: unknown) => FieldModel | undefined;

/** The models of a schema are walked several times. */
const choosers = new WeakMap<readonly FieldModel[], Choose>();

function compileChooser(members: readonly FieldModel[]): Choose {
  // A text of no format accepts UUIDs too. Filters read it last as well.
  const texts = members.some(({ kind }) => kind === "uuid") ? members.filter(({ kind }) => kind === "text") : [];
  const ordered = [...members.filter((member) => !texts.includes(member)), ...texts];
  const alternatives = ordered.map(
    (member): Alternative => ({ member, declared: compileWalk(member, onlyDeclared), toInput: inputConverter(member), tags: tagsOf(whole(member)) }),
  );
  return (value) => {
    const possible = alternatives.filter(({ member, tags }) => {
      if (tags.length === 0) return mayBe(whole(member), value);
      return isObject(value) && tags.every(([name, values]) => values.has(value[name]));
    });
    const [only] = possible;
    if (possible.length < 2) return only?.member;
    const accepting = possible.filter(({ member, declared = same, toInput = same }) => accepts(member.schema, toInput(declared(value))));
    return leastUndeclared(accepting, value)?.member;
  };
}

function tagsOf(member: FieldModel): Alternative["tags"] {
  return [...(member.children?.values() ?? [])].flatMap(({ name, kind, values, nullable, optional, hasDefault, transforms }) => {
    if (kind !== "enum" || values === undefined || optional || hasDefault || transforms) return [];
    return [[name, new Set<unknown>(nullable ? [...values, null] : values)] as const];
  });
}

/** Whether a value of JSON may be one of the type, as far as its form tells. */
function mayBe({ kind, nullable }: FieldModel, value: unknown): boolean {
  if (value === null) return nullable;
  if (kind === "object" || kind === "record") return isObject(value);
  if (kind === "array" || kind === "tuple") return Array.isArray(value);
  return kind === "unknown" || kind === "union" || typeof value !== "object" || value instanceof Date;
}

function leastUndeclared(alternatives: readonly Alternative[], value: unknown): Alternative | undefined {
  let best: { readonly alternative: Alternative; readonly count: number } | undefined;
  for (const alternative of alternatives) {
    const count = alternatives.length === 1 ? 0 : undeclaredIn(alternative.member, value, []).length;
    if (best === undefined || count < best.count) best = { alternative, count };
    if (count === 0) break;
  }
  return best?.alternative;
}

/** Asynchronous checks are left to the validation. */
function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  try {
    return z.safeParse(schema, value).success;
  } catch {
    return true;
  }
}

/** Validated value → row value: a top-level date-time is a Date, everything inside JSON is JSON. `undefined` if no conversion is needed. */
export function rowConverter(field: FieldModel): Convert | undefined {
  if (field.kind === "datetime") return (value) => (typeof value === "string" ? toInstant(field, value) : value);
  return field.kind === "bigint" ? undefined : jsonConverter(field);
}

/** Validated value → JSON, as it stands inside of a row's value. */
export function jsonConverter(field: FieldModel): Convert | undefined {
  return compileWalk(field, stored);
}

const stored: Walk = {
  convert(field) {
    if (field.kind === "datetime") return (value) => utcText(field, value);
    if (field.kind === "bigint") return bigintText;
    if (field.kind === "uuid") return foldUuid;
    const fold = field.members && compileWalk(field, uuids);
    if (fold) return (value) => plainJson(fold(value));
    const isUntyped = field.kind === "union" || (field.kind === "unknown" && field.below === undefined);
    return field.scalar?.toRow ?? (isUntyped ? plainJson : undefined);
  },
};

/** Folds UUIDs only: what a default, a transform or a hook made has not been a body. */
const uuids: Walk = {
  convert: ({ kind }) => (kind === "uuid" ? foldUuid : undefined),
  choose: chooserOf,
};

/** Row value → JSON value. Dates become text here: `JSON.stringify` would call `toJSON` of each, which takes ten times as long. */
export function outputConverter(field: FieldModel): Convert | undefined {
  if (field.kind === "datetime") {
    const { text = dateTimeText } = field.dateTime ?? {};
    return (value) => (value instanceof Date ? text(value) : value);
  }
  return field.kind === "bigint" ? bigintText : undefined;
}

/** One spelling for every instant inside JSON: text in UTC sorts as the instants do. */
function utcText(field: FieldModel, value: unknown): unknown {
  const instant = typeof value === "string" ? toInstant(field, value) : value;
  return instant instanceof Date ? (field.dateTime?.text(instant) ?? instant.toISOString()) : instant;
}

/** The text in the form of the field: the schema may refuse offsets and other fractions of a second. Empty, which it refuses too, if that form cannot express the instant. */
function rowDateTime({ dateTime }: FieldModel, text: string): string {
  const instant = isFinerThanRows(text) ? undefined : parseDateTime(text);
  return instant === undefined || instant.getTime() % (dateTime?.unitMs ?? 1) !== 0 ? "" : (dateTime?.text(instant) ?? text);
}

/** The text as it was given, for code that gets it as such; in the form of its type only if that refuses it. */
export function givenDateTime(field: FieldModel, text: string): string {
  if (parseDateTime(text) === undefined) return "";
  return field.dateTime?.accepts(text) ? text : rowDateTime(field, text);
}

/** @throws {ConfigurationError} for digits that the row would lose: clients are refused before, so that the text comes from a default, a transform or a hook */
function toInstant({ name }: FieldModel, text: string): Date {
  if (isFinerThanRows(text)) throw new ConfigurationError(`The date-time "${text}" of "${name}" has digits below a millisecond, which no row holds.`);
  return new Date(text);
}

const noDate = new Date(Number.NaN);

/** Anything but a date-time becomes an invalid Date, which every date schema refuses: `z.coerce.date()` would accept `1` and `true`, in the server's time zone. */
function readDate(value: unknown, nullable: boolean): unknown {
  if (value === undefined || (value === null && nullable) || value instanceof Date) return value;
  return (typeof value === "string" && !isFinerThanRows(value) ? parseDateTime(value) : undefined) ?? noDate;
}

/** The integer of the digits if it fits into 64 bits; no store holds more. */
export function toInt64(text: string): bigint | undefined {
  if (text.length > 20 || !decimalInteger.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const bigintText = (value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

function readBigInt(value: unknown): unknown {
  // A bigint from code that does not fit becomes text, which the schema refuses.
  const text = bigintText(value);
  if (typeof text === "string") return toInt64(text) ?? text;
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

/** After a transform, a schema without a type may contain a Date or a bigint: only JSON values are kept. */
function plainJson(value: unknown): unknown {
  if (value === null || typeof value !== "object") return bigintText(value);
  return JSON.parse(JSON.stringify(value, (_, member) => bigintText(member)));
}
