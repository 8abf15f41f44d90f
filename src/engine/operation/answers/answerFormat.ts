import type { View } from "../../../language/fields/view.js";
import type { FieldModel } from "../../../language/schema/field.js";

/** A format of answers with rows, other than JSON. */
export interface AnswerFormat {
  /** Names the format in entity tags and in fingerprints: `xml`. */
  readonly name: string;
  /** Value of `Content-Type`. */
  readonly contentType: string;
  /** The view of one row in this format; absent if the format holds lists only. */
  viewOf?(view: View, rows: DescribedRows): View;
  /** The body of a list. */
  writeList(list: AnsweredList): string | Promise<string | Uint8Array>;
}

/** The collection of rows, as formats need it. */
export interface DescribedRows {
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldModel>;
}

/** A page of a list, as JSON would show it. */
export interface AnsweredList {
  readonly of: DescribedRows;
  /** The fields that are shown. */
  readonly view: View;
  /** Relations that each row includes. */
  readonly relations: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** What a JSON answer has: the rows, or an object with `data`, `meta` and `links`. */
  readonly json: object;
}
