import type { AnsweredList, DescribedRows } from "../../engine/operation/answers/answerFormat.js";
import type { Limits } from "../../ground/limits/limits.js";
import type { View } from "../../language/fields/view.js";

/** A format of answers, or of bodies, or of both: `csv()`, `ndjson()`, `xml()`. */
export interface Format {
  /** Names the format in entity tags, and in `accepts` of resources. No dots. */
  readonly name: string;
  /** Media types in lower case, without parameters, the preferred one first. */
  readonly types: readonly string[];
  /** Parameters of the media type of answers: `; charset=utf-8`. */
  readonly parameters?: string | undefined;
  /** Used only for collections whose `accepts` names it, and only if `Accept` names it and not `text/html`. */
  readonly isChosen?: true | undefined;
  /** Writes a list; absent if answers do not have the format. */
  readonly writeList?: ((list: AnsweredList) => string | Promise<string | Uint8Array>) | undefined;
  /** Writes one row; absent if the format holds lists only. */
  readonly writeRow?: ((rows: DescribedRows, view: View, value: Readonly<Record<string, unknown>>) => string) | undefined;
  /** Reads a body; absent if bodies do not have the format. */
  readonly read?: ReadBody | undefined;
  /** Called when the service starts. Rejects if the format cannot be used, such as with a package that is not installed. */
  readonly start?: (() => Promise<void>) | undefined;
}

/** A body: its bytes, or what a body parser of the host made of them. */
export type SentBody = { readonly bytes: Uint8Array } | { readonly parsed: unknown };

/**
 * Converts a body to the JSON value that a client could have sent instead; the schema validates it.
 *
 * @throws {ProblemError} 4xx
 */
export type ReadBody = (body: SentBody, contentType: string, rows: DescribedRows, limits: Limits) => unknown;
