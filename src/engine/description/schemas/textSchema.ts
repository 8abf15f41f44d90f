import { z } from "zod";
import { dateTimeForm } from "../../../language/schema/dateTimeForm.js";
import type { ScalarType } from "../../../language/schema/scalarType.js";
import type { Side } from "./fieldSchema.js";
import { instantPattern } from "./instantPattern.js";
import { portablePattern } from "./portablePattern.js";
import { urlPattern } from "./urlPattern.js";

/** The definition of a type or of one of its checks. */
export type Definition = Readonly<Record<string, unknown>> & { readonly type: string; readonly checks?: readonly z.core.$ZodCheck[] };
export type Draft = Record<string, unknown>;

/** Checks that zod calls formats, although they describe the contents of a text and not its kind. */
const refinements: ReadonlySet<unknown> = new Set(["regex", "starts_with", "ends_with", "includes", "lowercase", "uppercase"]);

/** Formats of zod that JSON Schema has under another name. */
const formatNames: Readonly<Record<string, string>> = { guid: "uuid", url: "iri", uri: "iri", datetime: "date-time" };

/**
 * The formats of JSON Schema that zod has too. Others, such as `ulid` and `decimal`, are left out: tools warn of formats that they do not know, or refuse their values.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3
 */
const formatsOfJsonSchema: ReadonlySet<unknown> = new Set([
  "date-time",
  "date",
  "time",
  "email",
  "idn-email",
  "hostname",
  "ipv4",
  "ipv6",
  "iri",
  "uuid",
]);

/**
 * Changes what zod writes of a type of texts to what the service does with them: bodies have the pattern of a format too, because the formats of JSON Schema allow
 * other texts than zod's. Answers have the format alone, because rows may come from elsewhere.
 */
export function adaptText(definition: Definition, draft: Draft, side: Side): void {
  const scalar = definition["scalar"] as ScalarType | undefined;
  if (scalar?.kind === "bytes") draft["contentEncoding"] = "base64";
  const rules = [definition, ...(definition.checks ?? []).map((check) => check._zod.def as unknown as Definition)];
  const change = rules.findIndex(({ check }) => check === "overwrite");
  const isChanged = change !== -1 && side === "input" && scalar === undefined;
  const [asSent, later] = isChanged ? [rules.slice(0, change), rules.slice(change)] : [rules, []];
  if (isChanged) adaptLengths(draft, asSent, later);
  adaptFormat(draft, rules);
  if (side === "input" && rules.some(({ format }) => format === "datetime")) {
    adaptDateTime(draft, rules);
    return;
  }
  const isDescribed = ({ format }: Definition) => side === "input" || refinements.has(format) || scalar?.kind === "decimal";
  const patterns = asSent.filter(isDescribed).flatMap((rule) => patternOf(rule) ?? []);
  setPatterns(draft, [...new Set([...patterns, ...(isChanged ? patternsAfter(later) : [])])]);
}

/** A body is put into the form of its field before the type sees it: lengths and patterns of the type are those of the form. */
function adaptDateTime(draft: Draft, rules: readonly Definition[]): void {
  for (const name of ["minLength", "maxLength"]) delete draft[name];
  setPatterns(draft, [instantPattern(dateTimeForm(rules as unknown as readonly z.core.$ZodTypeDef[])?.unitMs)]);
}

function setPatterns(draft: Draft, patterns: readonly string[]): void {
  delete draft["pattern"];
  delete draft["allOf"];
  if (patterns.length === 1) draft["pattern"] = patterns[0];
  if (patterns.length > 1) draft["allOf"] = patterns.map((pattern) => ({ pattern }));
}

function adaptFormat(draft: Draft, rules: readonly Definition[]): void {
  const formats = rules.filter(({ format }) => typeof format === "string");
  // Zod names the last check, also if it is none of a format.
  if ((draft["format"] === undefined || refinements.has(draft["format"])) && refinements.has(formats.at(-1)?.["format"])) {
    const own = formats.findLast((rule) => !refinements.has(rule["format"]));
    draft["format"] = own?.["format"] === "time" || own?.["precision"] === -1 ? undefined : own?.["format"];
  }
  // Of JSON Schema "uri" has ASCII only, "duration" no fractions, and "email" a host with a dot.
  const format = formatNames[String(draft["format"])] ?? draft["format"];
  const hasOwnPattern = ({ format: own, pattern }: Definition) => own === "email" && String(pattern) !== String(z.regexes.email);
  if (!formatsOfJsonSchema.has(format)) delete draft["format"];
  else draft["format"] = format === "email" && rules.some(hasOwnPattern) ? "idn-email" : format;
}

const quartet = "[A-Za-z0-9+/]";

/** The pattern of the texts that a format or a refinement allows; `undefined` if the format of JSON Schema allows exactly these. */
function patternOf(rule: Definition): string | undefined {
  const pattern = rule["pattern"] instanceof RegExp ? rule["pattern"] : undefined;
  switch (rule["format"]) {
    case "ipv4":
    case "ipv6":
    case "hostname":
      return undefined;
    case "date":
      // The type of zod has a pattern; the one of this library has years from 0001 on.
      return pattern === undefined ? "^(?!0000)" : undefined;
    case "base64":
      return z.regexes.base64.source;
    case "base64url":
      return z.regexes.base64url.source;
    case "bytes":
      return `^(?:${quartet}{4})*(?:${quartet}[AQgw]==|${quartet}{2}[AEIMQUYcgkosw048]=)?$`;
    case "jwt":
      // The first part is an object of JSON in base64.
      return "^e[\\w+/-]+={0,2}\\.[^.]*\\.[^.]*$";
    case "url":
      return urlPattern(rule);
    default:
      return pattern && portablePattern(pattern);
  }
}

const probes = ["", " aB "];

/** What the changes among checks, such as that of `trim()`, make of two texts; `undefined` if they do not take one. What follows a change is checked of the changed text. */
function changedProbes(later: readonly Definition[]): readonly (string | undefined)[] {
  const changes = later.flatMap(({ check, tx }) => (check === "overwrite" ? [tx as (text: string) => string] : []));
  return probes.map((text) => {
    try {
      return changes.reduce((changed, change) => change(changed), text);
    } catch {
      return undefined;
    }
  });
}

/** Bounds of the changed text hold for the sent one if the change makes no text longer, or none shorter. */
function adaptLengths(draft: Draft, asSent: readonly Definition[], later: readonly Definition[]): void {
  const lengths = changedProbes(later).map((text, index) => (text === undefined ? Number.NaN : text.length - (probes[index]?.length ?? 0)));
  const bounds = (name: string) => asSent.flatMap((rule) => (rule[name] ?? rule["length"] ?? []) as number);
  if (!lengths.every((by) => by <= 0)) setBound(draft, "minLength", Math.max(...bounds("minimum")));
  if (!lengths.every((by) => by >= 0)) setBound(draft, "maxLength", Math.min(...bounds("maximum")));
}

/** The bound of none is infinite. */
function setBound(draft: Draft, name: string, bound: number): void {
  if (Number.isFinite(bound)) draft[name] = bound;
  else delete draft[name];
}

/** Patterns of a text whose case was changed hold for the sent one in both cases. */
function patternsAfter(later: readonly Definition[]): readonly string[] {
  if (!changedProbes(later).every((text, index) => text?.toLowerCase() === probes[index]?.toLowerCase())) return [];
  const own = later.flatMap(({ format, pattern }) => (format === "regex" && pattern instanceof RegExp ? [pattern] : []));
  return own.flatMap(({ source, flags }) => portablePattern(new RegExp(source, flags.includes("i") ? flags : `${flags}i`)) ?? []);
}
