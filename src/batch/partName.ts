import { parse } from "content-type";
import { ProblemError } from "../problem/index.js";

/** Printable ASCII without the brackets: Python's client for Google has spaces in it. */
const printable = /^[\x20-\x3b\x3d\x3f-\x7e]{1,255}$/;

/**
 * The name of a part: its Content-ID without the angle brackets, which OData's clients leave away; in a form without one, the name of the field.
 *
 * @throws {ProblemError} INVALID_BATCH for a name that no Content-ID of an answer could repeat
 * @see RFC 2392 §2
 * @see RFC 7578 §4.2
 */
export function partName(fields: ReadonlyMap<string, string>, isForm: boolean): string | undefined {
  const id = fields.get("content-id");
  const disposition = isForm ? fields.get("content-disposition") : undefined;
  const name = id === undefined ? fieldName(disposition) : cutBrackets(id);
  if (name === undefined) return undefined;
  if (!printable.test(name)) {
    throw new ProblemError("INVALID_BATCH", "The name of a part (Content-ID or form field) is 1 to 255 printable ASCII characters without < and >.");
  }
  return name;
}

function cutBrackets(id: string): string {
  return id.startsWith("<") && id.endsWith(">") ? id.slice(1, -1) : id;
}

function fieldName(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const { type, parameters } = parse(disposition);
  return type === "form-data" ? parameters["name"] : undefined;
}
