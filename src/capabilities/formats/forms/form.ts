import { isObject } from "../../../ground/http/isObject.js";
import { turnIsOver, yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { checkBody, decodeUtf8, malformedBody } from "../checkBody.js";
import type { Format } from "../format.js";
import { FormFields, type FormTree } from "./formTree.js";
import { formValue } from "./formValue.js";

const type = "application/x-www-form-urlencoded";

/** Bodies that are forms of a page, or that `curl -d` sends: `name=Ann&address[city]=Bonn&tags[]=a&tags[]=b`. @see https://url.spec.whatwg.org/#application/x-www-form-urlencoded */
export function form(): Format {
  return {
    name: "form",
    types: [type],
    async read(body, _, rows, limits) {
      const tree = await ("parsed" in body ? parsedTree(body.parsed, limits) : textTree(body.bytes, limits));
      await yieldToEventLoop();
      return checkBody(formValue(tree, rows), "MALFORMED_FORM", limits);
    },
  };
}

/** Parses a form in text. @throws {ProblemError} MALFORMED_FORM, UNSUPPORTED_MEDIA_TYPE for JSON */
async function textTree(bytes: Uint8Array, limits: Limits): Promise<FormTree> {
  const text = decodeUtf8(withSpaces(bytes), "MALFORMED_FORM");
  if (/^\s*[{[]/.test(text)) throw jsonAsForm();
  const fields = new FormFields(limits);
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("&", start);
    const end = next === -1 ? text.length : next;
    if (end > start) addField(text.slice(start, end), fields);
    start = end + 1;
    if (turnIsOver()) await yieldToEventLoop();
  }
  return fields.tree;
}

function addField(pair: string, fields: FormFields): void {
  const equals = pair.indexOf("=");
  fields.add(decode(equals === -1 ? pair : pair.slice(0, equals)), equals === -1 ? "" : decode(pair.slice(equals + 1)));
}

/** A plus is a space. Replacing a million of them in a text would hold the event loop. */
function withSpaces(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (let at = copy.indexOf(0x2b); at !== -1; at = copy.indexOf(0x2b, at)) copy[at] = 0x20;
  return copy;
}

function decode(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch (error) {
    const detail = `The form has percent-encoding that is not UTF-8: "${part.slice(0, 64)}".`;
    throw malformedBody("MALFORMED_FORM", detail, [], error);
  }
}

/** The fields as a body parser of the host has parsed them, flat or nested. */
export async function parsedTree(parsed: unknown, limits: Limits): Promise<FormTree> {
  if (typeof parsed === "string") return textTree(Buffer.from(parsed), limits);
  const fields = new FormFields(limits);
  for (const [name, value] of isObject(parsed) ? Object.entries(parsed) : []) {
    if (!Array.isArray(value)) fields.add(name, value);
    else for (const each of value) fields.add(name.endsWith("[]") ? name : `${name}[]`, each);
  }
  return fields.tree;
}

/** `curl -d` names this type if the caller names none. */
function jsonAsForm(): ProblemError {
  const detail = `The body looks like JSON, but Content-Type says "${type}".`;
  const hint = "send Content-Type: application/json; curl -d needs -H 'Content-Type: application/json', or --json";
  const item = { code: "UNSUPPORTED_MEDIA_TYPE", detail, header: "Content-Type", hint } as const;
  return new ProblemError("UNSUPPORTED_MEDIA_TYPE", detail, { errors: [item], extensions: { supported: ["application/json", type] } });
}
