import { type ZodType, z } from "zod";
import type { FieldLink } from "../../../engine/resource/relations/fieldLink.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { FileId } from "../../../language/schema/scalarFields.js";
import type { ScalarType } from "../../../language/schema/scalarType.js";
import { withScalar } from "../../../language/values/withScalar.js";
import { relateFile } from "./fileRelation.js";

/** What the definition of a field of files says. */
export interface FileType extends ScalarType {
  /** Accepted media types, such as `image/png` and `image/*`. */
  readonly types: readonly string[] | "any";
}

const typePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/;

/**
 * The id of an upload that belongs to the row, such as the picture of a user.
 *
 * A write that sets it claims the file: it must be a `ready` upload of the same principal, of one of these types, which no other field of any row holds; otherwise the write
 * is 422 FILE_NOT_AVAILABLE. While it is claimed the upload cannot be deleted. Another value, or the deletion of the row, makes it free again.
 *
 * Rows show the id. `fields=avatar{url,size}` and `include=avatar` show the file, with a signed URL if it is private, to everyone who may read the field.
 *
 * @param types accepted media types: `"image/*"`, `["image/png", "application/pdf"]`, or `"any"`; that of a file is detected from its bytes
 * @throws {ConfigurationError} for an invalid media type, and from `defineResource` for a file within an object or an array
 * @see docs/uploads.md#files-of-rows
 * @example
 * const users = defineResource("users", { schema: z.object({ id: z.int(), avatar: file("image/*").nullable().default(null) }), … });
 * createService({ resources: [users], storage, use: [uploads({ blobs, types: ["image/png", "image/webp"] })] });
 */
export function file(types: string | readonly string[]): ZodType<string, string> & FileId {
  const accepted = types === "any" ? types : [types].flat();
  const wrong = accepted === "any" ? undefined : accepted.find((type) => typeof type !== "string" || !typePattern.test(type));
  if (wrong !== undefined || accepted.length === 0) {
    throw new ConfigurationError(
      `file(): ${JSON.stringify(wrong ?? [])} must be a media type in small letters, as "image/png" or "image/*", or "any".`,
    );
  }
  const type = z.string().regex(/^[0-9a-f]{32}$/, { error: "Must be the id of an upload: 32 digits of 0 to 9 and a to f." });
  return withScalar(type, fileType(accepted));
}

function fileType(types: FileType["types"]): FileType {
  return { kind: "text", types, parse: (text) => text, expected: "the id of an upload", link };
}

const link: FieldLink = {
  needs: ["file()", `uploads({ blobs, types }) of "restwright/uploads"`],
  relate: relateFile,
  refuseNested() {
    throw new ConfigurationError("file() must be a field of the collection itself, not within an object, an array or a union.");
  },
};

/** Whether a media type is one of these, or of a family of them such as `image/*`. */
export function takes(types: readonly string[], type: string): boolean {
  return types.some((each) => each === type || (each.endsWith("/*") && type.startsWith(each.slice(0, -1))));
}
