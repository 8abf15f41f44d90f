import { isUtf8 } from "node:buffer";
import { parseBoundary } from "../../../ground/http/body/multipartBoundary.js";
import { pointer } from "../../../ground/http/pointer.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { formParts } from "../../../parts/multipart/formParts.js";
import { malformed } from "../../../parts/multipart/malformed.js";
import type { FilePart } from "../../../parts/multipart/part.js";
import { checkBody, malformedBody } from "../checkBody.js";
import type { Format } from "../format.js";
import { parsedTree } from "./form.js";
import { FormFields, type FormTree } from "./formTree.js";
import { formValue } from "./formValue.js";

/** Bodies that are forms in parts, without files. @see RFC 7578 */
export function multipart(): Format {
  return {
    name: "multipart",
    types: ["multipart/form-data"],
    async read(body, contentType, rows, limits) {
      const tree = await ("parsed" in body ? parsedTree(body.parsed, limits) : bytesTree(body.bytes, contentType, limits));
      return checkBody(formValue(tree, rows), "MALFORMED_FORM", limits);
    },
  };
}

async function bytesTree(bytes: Uint8Array, contentType: string, limits: Limits): Promise<FormTree> {
  if (!isUtf8(bytes)) throw malformedBody("MALFORMED_FORM", "A part of the form is not UTF-8.");
  const fields = new FormFields(limits);
  const { jsonBodyBytes, jsonMembers } = limits;
  const form = { boundary: parseBoundary(contentType, malformed), body: { kind: "bytes", bytes } } as const;
  const options = { requestBytes: jsonBodyBytes, fieldBytes: jsonBodyBytes, allFieldsBytes: jsonBodyBytes, fields: jsonMembers, parts: jsonMembers };
  for await (const part of formParts(form, options)) {
    if (part.kind === "field") fields.add(part.name, part.value);
    else if (await hasFile(part)) throw noFiles(part);
  }
  return fields.tree;
}

/** Browsers send an empty file without a name if none was chosen. */
async function hasFile({ filename, bytes }: FilePart): Promise<boolean> {
  if (filename !== "unnamed") return true;
  for await (const chunk of bytes) if (chunk.length > 0) return true;
  return false;
}

function noFiles({ name }: FilePart): ProblemError {
  const detail = `"${name.slice(0, 64)}" is a file, and this collection takes none in a form.`;
  const hint = "upload the file first, then send its id";
  return new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: pointer([name.slice(0, 256)]), hint }] });
}
